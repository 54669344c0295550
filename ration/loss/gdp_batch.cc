// The vector kernels of gdp::deltas and gdp::epsilons, compiled once per instruction set; the best
// one is chosen at run time. docs/math/gdp.md derives the error terms.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/loss/gdp_batch.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>

#include "ration/loss/gdp_batch.h"
#include "ration/numeric/mills-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ration::gdp::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;

constexpr double kRoundoff = 0x1p-53;
constexpr double kInvSqrtTwoPi = 0.3989422804014327;

HWY_INLINE V set(double x) { return hn::Set(D(), x); }

// exp(-x) for 0 <= x <= 707: 2^k exp(r) with |r| <= 0.3466, Taylor to degree 13.
// Relative error: remainder 1e-17; Horner at most 2u sum_k e^|r|/k! < 9e-16; forming r 2e-16.
constexpr double kExpError = 1.2e-15;
HWY_INLINE V exp_minus(V x) {
  const D d;
  const hn::RebindToSigned<D> di;
  const V magic = set(0x1.8p52);  // adding it leaves the nearest integer in the low bits
  const V shifted = hn::MulAdd(x, set(-1.4426950408889634), magic);
  const V k = shifted - magic;
  // k has 10 bits and the first part of log 2 has 32: their product, and r without the second
  // part, are exact.
  const V r = hn::NegMulAdd(k, set(0x1.62e42feep-1), hn::Neg(x)) - k * set(0x1.a39ef35793c76p-33);
  V p = set(1.0 / 6227020800);
  for (const double c : {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                         1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0}) {
    p = hn::MulAdd(p, r, set(c));
  }
  return hn::BitCast(d, hn::BitCast(di, p) + hn::ShiftLeft<52>(hn::BitCast(di, shifted)));
}

struct Evaluation {
  V value;          // delta, or 1 - delta where `complement` holds
  V error;          // bound of its relative error
  V change;         // -d delta / d a = phi(a) mu m(b)
  V second;         // m(b)
  Mask complement;  // a < kComplementBelow
  Mask vanishing;   // true value too small for a double: `value` is an upper bound of it
};

// a = c - mu/2 and b = c + mu/2 with c = eps/mu.
HWY_INLINE Evaluation evaluate(V a, V c, V mu) {
  const V half = set(0.5), size = hn::Abs(a);
  const Mask complement = hn::Lt(a, set(kComplementBelow));
  const auto m = ration::HWY_NAMESPACE::mills_pair(D(), hn::IfThenElse(complement, size, a),
                                                   hn::MulAdd(mu, half, c), mu);
  const V factor = hn::IfThenElse(complement, m.first + m.second, m.drop);
  const V half_square = size * size * half;
  const V density = exp_minus(hn::Min(half_square, set(707))) * set(kInvSqrtTwoPi);
  // a carries the roundings of eps/mu and of the difference: |da| <= u (c + |a|). That moves the
  // exponent by |a| |da|, where squaring adds u a^2 / 2, and the factor by at most 2 |da|.
  const V moved = size * hn::MulAdd(set(1.5), size, c) + set(2) * (c + size);
  const V fixed = set(kExpError + 4 * kRoundoff) +
                  hn::IfThenElse(complement, set(kMillsError), set(kMillsDropError));
  return {density * factor,
          hn::MulAdd(moved, set(1.01 * kRoundoff), fixed),
          density * mu * m.second,
          m.second,
          complement,
          hn::Gt(half_square, set(707))};
}

HWY_INLINE Evaluation evaluate_at(V epsilon, V mu) {
  const V c = hn::Min(epsilon / mu, set(1e6));  // beyond, delta vanishes whatever mu is
  return evaluate(hn::NegMulAdd(mu, set(0.5), c), c, mu);
}

struct Ends {
  V lower, upper;
};
// What is certified of Evaluation::value; 1e-320 covers roundings among subnormal numbers.
HWY_INLINE Ends ends_of(const Evaluation& e) {
  const V error = hn::MulAdd(e.value, e.error, set(1e-320));
  return {hn::IfThenZeroElse(e.vanishing, hn::Max(set(0), e.value - error)), e.value + error};
}

HWY_INLINE void store(V lower, V upper, Bound* out, size_t count) {
  const D d;
  HWY_ALIGN double low[hn::MaxLanes(D())], high[hn::MaxLanes(D())];
  hn::Store(lower, d, low);
  hn::Store(upper, d, high);
  for (size_t i = 0; i < count; ++i) out[i] = {.lower = low[i], .upper = high[i]};
}

// Full vectors are read in place, the rest through a copy filled up with ones.
HWY_INLINE V load(const double* from, size_t count) {
  const D d;
  if (count >= hn::Lanes(d)) return hn::LoadU(d, from);
  HWY_ALIGN double copy[hn::MaxLanes(D())];
  std::fill(copy, copy + hn::Lanes(d), 1.0);
  std::copy(from, from + count, copy);
  return hn::Load(d, copy);
}

void Deltas(const double* epsilon, const double* mu, Side side, Bound* out, size_t count) {
  const size_t lanes = hn::Lanes(D());
  const V one = set(1), ulp = set(0x1p-52);  // for rounding 1 - x, which is at least 0.27
  for (size_t i = 0; i < count; i += lanes) {
    const size_t left = count - i;
    const Evaluation e = evaluate_at(load(epsilon + i, left), load(mu + i, left));
    const Ends ends = ends_of(e);
    const Mask other = side == Side::delta ? e.complement : hn::Not(e.complement);
    const V lower = hn::IfThenElse(other, one - ends.upper - ulp, ends.lower);
    const V upper = hn::IfThenElse(other, hn::Min(one, one - ends.lower + ulp), ends.upper);
    store(lower, upper, out + i, std::min(left, lanes));
  }
}

// One step of Halley's method in a, for log delta = log target where the target is below 1/2 and
// for log(1 - delta) = log(1 - target) elsewhere, so that the logarithm is never that of nearly 1.
HWY_INLINE V improve(V a, V mu, V target, Mask rising) {
  const D d;
  const V c = hn::MulAdd(mu, set(0.5), a), one = set(1);
  const Evaluation e = evaluate(a, hn::Max(set(0), c), mu);
  const V other = one - e.value;
  const Mask swap = hn::Xor(e.complement, rising);
  const V value = hn::Max(hn::IfThenElse(swap, other, e.value), set(1e-307));
  const V gap = hn::Log(d, value / target);
  const V slope = e.change / value;  // of -log delta, or of log(1 - delta)
  const V step = gap / hn::Max(slope, set(1e-300));
  // d log(change) / d a = m'(b)/m(b) - a = mu - 1/m(b)
  const V bend = mu - one / e.second;
  const V signed_step = hn::IfThenElse(rising, hn::Neg(step), step);
  const V second = hn::IfThenElse(rising, bend - slope, bend + slope);
  const V halley = hn::MulAdd(signed_step * set(0.5), second, one);
  return a + signed_step / hn::Min(set(2), hn::Max(set(0.5), halley));
}

// Where to start. Far out delta is about phi(a) mu / ((a+1)(a+1+mu)); near 1, a is a quantile.
HWY_INLINE V first_guess(V mu, V delta, V rest, Mask rising) {
  const D d;
  const V zero = set(0), one = set(1), scale = one + mu;
  const V level = hn::Neg(hn::Log(d, delta / mu * scale * set(2.5066282746310002)));
  const V r = hn::Sqrt(hn::Max(zero, level + level)) + one;
  const V tail = level - hn::Log(d, r * (r + mu) / scale);
  const V far = hn::Sqrt(hn::Max(zero, tail + tail));
  const V quantile = hn::Sqrt(hn::Max(zero, set(-2) * hn::Log(d, rest + rest)));
  return hn::IfThenElse(rising, hn::Neg(quantile), far);
}

// Is delta(eps) certified to be >= target (or, with `at_most`, <= target)? 1 - delta is compared
// only where 1 - target is exact.
HWY_INLINE Mask at_least(const Evaluation& e, V target, V rest, Mask rising) {
  const Ends ends = ends_of(e);
  return hn::Or(hn::And(hn::And(e.complement, rising), hn::Le(ends.upper, rest)),
                hn::AndNot(e.complement, hn::Ge(ends.lower, target)));
}
HWY_INLINE Mask at_most(const Evaluation& e, V target, V rest, Mask rising) {
  const Ends ends = ends_of(e);
  return hn::Or(hn::And(hn::And(e.complement, rising), hn::Ge(ends.lower, rest)),
                hn::AndNot(e.complement, hn::Le(ends.upper, target)));
}

void Epsilons(const double* mus, const double* deltas, Bound* out, unsigned char* proved,
              size_t count) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  const V zero = set(0), one = set(1), half = set(0.5);
  for (size_t i = 0; i < count; i += lanes) {
    const size_t left = count - i;
    const V mu = load(mus + i, left), delta = load(deltas + i, left), rest = one - delta;
    const Mask rising = hn::Ge(delta, half);
    const V target = hn::IfThenElse(rising, rest, delta), origin = mu * set(-0.5);
    V a = hn::Max(origin, first_guess(mu, delta, rest, rising));
    for (int k = 0; k < 4; ++k) a = hn::Max(origin, improve(a, mu, target, rising));

    // Step out by what the error of delta moves the root, and prove that it lies between.
    const V guess = hn::Max(zero, mu * (a - origin));
    const Evaluation e = evaluate_at(guess, mu);
    const V shift = set(1.25) * e.error * e.value * mu / hn::Max(e.change, set(1e-307));
    const V margin = hn::MulAdd(guess, set(4 * kRoundoff), shift);
    const V below = hn::Max(zero, guess - margin), above = guess + margin;
    const Mask below_proved =
        hn::Or(hn::Eq(below, zero), at_least(evaluate_at(below, mu), delta, rest, rising));
    const Mask above_proved = at_most(evaluate_at(above, mu), delta, rest, rising);
    store(below, above, out + i, std::min(left, lanes));
    HWY_ALIGN double flag[hn::MaxLanes(D())];
    hn::Store(hn::IfThenElseZero(hn::And(below_proved, above_proved), one), d, flag);
    for (size_t j = 0; j < std::min(left, lanes); ++j) proved[i + j] = flag[j] != 0;
  }
}

}  // namespace ration::gdp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration::gdp {

HWY_EXPORT(Deltas);
HWY_EXPORT(Epsilons);

void delta_batch(const double* epsilon, const double* mu, Side side, Bound* out,
                 std::size_t count) {
  HWY_DYNAMIC_DISPATCH(Deltas)(epsilon, mu, side, out, count);
}
void epsilon_batch(const double* mu, const double* delta, Bound* out, unsigned char* proved,
                   std::size_t count) {
  HWY_DYNAMIC_DISPATCH(Epsilons)(mu, delta, out, proved, count);
}

}  // namespace ration::gdp
#endif  // HWY_ONCE
