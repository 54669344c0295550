#include "ration/numeric/quadrature.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ration/numeric/interval.h"

namespace ration {
namespace {

constexpr Bound kPi = {.lower = std::numbers::pi, .upper = 3.1415926535897936};

// Keep 8 bits of the mantissa: with fewer than 2^45 nodes every node is then an exact double.
double shorten(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::floor(mantissa * 256) / 256, exponent);
}

// cos decreases on [0, pi/2], and the C library's cosine errs by at most one unit.
double log_growth_up(double a, const StripGrowth& growth) {
  const Bound angle = exactly(a) / (2 * exactly(growth.scale));
  const double cosine = library_down(std::cos(angle.upper));
  const double modulus = mul_up(growth.cosine_power, -library_down(std::log(cosine)));
  const double quadratic =
      add_up(mul_up(0.5 * growth.curvature, mul_up(a, a)), mul_up(growth.slope, a));
  return add_up(quadratic, growth.cosine_power == 0 ? 0 : modulus);
}

}  // namespace

StripRule choose_rule(const StripGrowth& growth, double digits) {
  constexpr int kTries = 32;
  const double widest = std::min(0.98 * std::numbers::pi * growth.scale, 16.0);
  StripRule best = {.step = 0, .half_width = 0};
  for (int i = 1; i <= kTries; ++i) {
    // Quadratic spacing: large powers of the cosine ask for narrow strips.
    const double a = widest * i * i / (kTries * kTries);
    const double cosine = growth.cosine_power == 0 ? 1 : std::cos(a / (2 * growth.scale));
    const double exponent =
        0.5 * growth.curvature * a * a + growth.slope * a - growth.cosine_power * std::log(cosine);
    const double step = 2 * std::numbers::pi * a / (digits + exponent);
    if (step > best.step) best = {.step = step, .half_width = a};
  }
  best.step = shorten(best.step);
  return best;
}

double rule_error(const StripRule& rule, const StripGrowth& growth) {
  // In one exponential, so that large growth and fast decay do not overflow.
  const Bound decay = 2 * kPi * rule.half_width / rule.step;
  const Bound size = exp(exactly(log_growth_up(rule.half_width, growth)) - decay);
  return (2 * size / (1 - exp(-decay))).upper;
}

}  // namespace ration
