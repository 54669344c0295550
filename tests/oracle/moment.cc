#include "tests/oracle/moment.h"

#include <acb.h>
#include <acb_calc.h>

#include <algorithm>
#include <cmath>

namespace ration::oracle {
namespace {

struct Parameters {
  Arb noise, rate, power;
};

// exp(-u^2/2) (1 - q + q exp(u/s - 1/(2 s^2)))^e, with its branch cut respected.
int integrand(acb_ptr result, const acb_t u, void* given, slong order, slong bits) {
  const auto& p = *static_cast<const Parameters*>(given);
  const Arb inverse = Arb(1) / p.noise, shift = inverse * inverse / 2, rest = Arb(1) - p.rate;
  acb_t ratio, weight;
  acb_init(ratio);
  acb_init(weight);
  acb_mul_arb(ratio, u, inverse.get(), bits);
  acb_sub_arb(ratio, ratio, shift.get(), bits);
  acb_exp(ratio, ratio, bits);
  acb_mul_arb(ratio, ratio, p.rate.get(), bits);
  acb_add_arb(ratio, ratio, rest.get(), bits);
  acb_log_analytic(ratio, ratio, order != 0, bits);
  acb_mul_arb(ratio, ratio, p.power.get(), bits);
  acb_mul(weight, u, u, bits);
  acb_mul_2exp_si(weight, weight, -1);
  acb_sub(ratio, ratio, weight, bits);
  acb_exp(result, ratio, bits);
  acb_clear(ratio);
  acb_clear(weight);
  return 0;
}

}  // namespace

Arb whole_moment(const MomentCase& c, int n) {
  const Arb q = c.rate, rest = Arb(1) - q, inverse = Arb(1) / (Arb(c.noise) * Arb(c.noise));
  Arb sum = 0, binomial = 1;
  for (int k = 0; k <= n; ++k) {
    Arb left, right;
    arb_pow_ui(left.get(), rest.get(), static_cast<ulong>(n - k), kBits);
    arb_pow_ui(right.get(), q.get(), static_cast<ulong>(k), kBits);
    sum = sum + binomial * left * right * exp(Arb(0.5 * k * (k - 1.0)) * inverse);
    binomial = binomial * Arb(n - k) / Arb(k + 1.0);
  }
  return sum;
}

Arb moment(const MomentCase& c, double z, bool remove) {
  Parameters p = {.noise = c.noise, .rate = c.rate, .power = remove ? Arb(1) + Arb(z) : Arb(-z)};
  // All mass lies within 30 of the outermost maximum of the exponent; what is cut off is below
  // exp(-450) of what is kept, relative to a moment of at least 1.
  const double edge = remove ? (1 + z) / c.noise : -z / c.noise;
  const double from = std::min(0.0, edge) - 30, to = std::max(0.0, edge) + 30;
  acb_t a, b, integral;
  acb_init(a);
  acb_init(b);
  acb_init(integral);
  acb_set_d(a, from);
  acb_set_d(b, to);
  mag_t tolerance;
  mag_init(tolerance);
  acb_calc_integrate_opt_t options;
  acb_calc_integrate_opt_init(options);
  options->depth_limit = 100000;
  options->eval_limit = 10000000;
  acb_calc_integrate(integral, integrand, &p, a, b, 160, tolerance, options, kBits);
  Arb result;
  arb_set(result.get(), acb_realref(integral));
  acb_clear(a);
  acb_clear(b);
  acb_clear(integral);
  mag_clear(tolerance);
  return result / sqrt(Arb(2) * pi());
}

}  // namespace ration::oracle
