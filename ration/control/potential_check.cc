#include "ration/control/potential_check.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "ration/control/potential_kernel.h"
#include "ration/loss/log_ratio.h"
#include "ration/numeric/directed.h"
#include "ration/numeric/fft.h"

namespace ration {
namespace {

// What E of the upper level has to be: with s the entry's share of the level, m its mass, f what
// prices in between take off its mass, and v what a condition misses, divided by s,
//
//     E' >= (1 + (m - 1) / s) E + v,   q E' >= m E + v,   q = 1 - (1 - s) (m - 1) / s - f.
struct Factors {
  double growth;   // of E
  double inverse;  // of v
};
Factors factors(Mix condition, double share, double mass, double mass_fall) {
  const double above_one = div_up(sub_up(mass, 1), share);
  if (condition == Mix::low) return {.growth = add_up(1, above_one), .inverse = 1};
  const double q = sub_down(sub_down(1, mul_up(1 - share, above_one)), mass_fall);
  const double inverse = q > 0 ? div_up(1, q) : kInfinity;
  return {.growth = mul_up(mass, inverse), .inverse = inverse};
}

// The other entry of a pair that shares a transform, as real and imaginary part.
std::size_t partner(std::size_t i) { return i < kFftLanes ? i + kFftLanes : i - kFftLanes; }

double moduli_of_difference(const Potential& lower, const Potential& upper) {
  double sum = 0;
  for (std::size_t k = 0; k < upper.coefficients.size(); ++k) {
    sum += std::abs(upper.coefficients[k] - lower.coefficients[k]);
  }
  return 2 * kSafety * sum;
}

// What lies between the points of a grid that is kFiner times as fine is little, even of a second
// derivative.
double least_bend(const Potential& level, const PotentialPlace& place, std::size_t points) {
  constexpr std::size_t kFiner = 16;
  const std::size_t n = kFiner * points;
  std::vector<std::complex<double>> bend(n / 2 + 1);
  double moduli = 0, curvature = 0;
  for (std::size_t k = 0; k < level.coefficients.size(); ++k) {
    const std::complex<double> z(place.tilt, -place.frequency * static_cast<double>(k));
    bend[k] = z * (z + 1.0) * level.coefficients[k];
    const double size = 2 * std::abs(bend[k]);
    moduli += size;
    curvature += static_cast<double>(k) * static_cast<double>(k) * size;
    bend[k] *= static_cast<double>(n);
  }
  bend[0] = bend[0].real();
  const std::vector<double> values = inverse_fft(bend);
  const double h = 2 * std::numbers::pi / static_cast<double>(n);
  return *std::min_element(values.begin(), values.end()) -
         kSafety * (curvature * h * h / 8 + (fft_error(n) + 16 * kRoundoff) * moduli);
}

}  // namespace

double sum_of_moduli(const Potential& level) {
  return kSafety * 2 * sum_of_moduli(level.coefficients.data(), level.coefficients.size());
}

// E adds tilt (tilt + 1) E to G'' - G'. Written so that no NaN passes.
void raise_for_convexity(PotentialErrors& errors, double missing, const PotentialPlace& place) {
  const double enough = kSafety * missing / (place.tilt * (place.tilt + 1));
  const double there = errors.sum() * (1 - 8 * kRoundoff);
  if (!(enough <= there)) errors.slack += kSafety * (enough - there);
}

PotentialErrors errors_of_level(const Potential& lower, const Potential& upper,
                                const std::vector<MomentBatch>& entries,
                                const PotentialPlace& place, PotentialGrid& grid) {
  const double x = sum_of_moduli(lower), y = sum_of_moduli(upper);
  const double h = 2 * std::numbers::pi / static_cast<double>(grid.points);
  // A value errs with the moduli of both entries that share its transform.
  const double per_modulus = 2 * fft_batch_error(grid.points) + 32 * kRoundoff;
  const LevelPair levels = {lower.coefficients.data(), upper.coefficients.data(),
                            upper.coefficients.size()};
  const double difference = moduli_of_difference(lower, upper);
  double growth = 1;
  PotentialErrors most;
  for (const MomentBatch& batch : entries) {
    const PerEntry share = batch.shares(upper.steps - lower.steps);
    for (const Mix condition : {Mix::low, Mix::high, Mix::between}) {
      if (condition == Mix::between && !batch.in_between) continue;
      const bool low = condition == Mix::low;
      const PerEntry curvature =
          mixtures(condition, levels, {batch.moments.get(), batch.falls.get()}, share, grid.points,
                   grid.data.get());
      grid.transform.inverse(grid.data.get());
      const PerEntry missing = maxima(grid.data.get(), grid.points);
      PerEntry size{};
      for (std::size_t i = 0; i < kEntriesTogether; ++i) {
        const double s = share[i], m = batch.mass[i];
        size[i] = low ? x * (m + 1) / s + x + y : y * (m + 1) / s + 2 * m * (x + y);
      }
      for (std::size_t i = 0; i < kEntriesTogether; ++i) {
        const double s = share[i];
        const auto [grown, inverse] = factors(condition, s, batch.mass[i], batch.mass_fall[i]);
        const double moved = (low ? x : y) * batch.error[i] / s +
                             (low ? 0 : (batch.error[i] + batch.fall_error[i]) * difference);
        growth = std::max(growth, grown);
        most.quadrature = std::max(most.quadrature, kSafety * moved * inverse);
        most.rounding = std::max(
            most.rounding, kSafety * per_modulus * std::max(size[i], size[partner(i)]) * inverse);
        most.between = std::max(most.between, kSafety * 2 * curvature[i] * h * h / 8 * inverse);
        const bool known = missing[i] < kInfinity;  // no NaN
        most.slack = std::max(most.slack, known ? kSafety * missing[i] * inverse : kInfinity);
      }
    }
  }
  const auto carried = [growth](double before, double added) {
    return add_up(mul_up(growth, before), added);
  };
  PotentialErrors errors = {.quadrature = carried(lower.errors.quadrature, most.quadrature),
                            .rounding = carried(lower.errors.rounding, most.rounding),
                            .between = carried(lower.errors.between, most.between),
                            .cut = carried(lower.errors.cut, 0),
                            .slack = carried(lower.errors.slack, most.slack)};
  raise_for_convexity(errors, -least_bend(upper, place, grid.points), place);
  return errors;
}

}  // namespace ration
