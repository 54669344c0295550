// draw_pairs, compiled once per instruction set; the best one is chosen at run time. Whether
// products and sums are fused does not matter: what is decided is decided with a margin that
// covers every rounding, and what is not is left to decide_pair.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/noise/normal_kernel.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include "ration/noise/normal_pair.h"

#ifndef RATION_NORMAL_CONSTANTS
#define RATION_NORMAL_CONSTANTS
namespace ration {
// Of a radius: a draw errs by less than 2^-48 of it before it is rounded.
inline constexpr double kMargin = 0x1p-46;
// Below this U and 1 - U need more than 64 digits.
inline constexpr double kLeastTail = 0x1p-16;
// Bits of doubles: 2^52 and 2^84 carry 32-bit halves of a number in their low digits.
inline constexpr std::uint64_t kBits2To52 = 0x4330000000000000, kBits2To84 = 0x4530000000000000;
inline constexpr std::uint64_t kBitsOne = 0x3ff0000000000000, kSignBit = 0x8000000000000000;
inline constexpr std::uint64_t kBitsRootHalf = 0x3fe6a09e667f3bcd;
inline constexpr std::uint64_t kExponentBias = 1024;
}  // namespace ration
#endif

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Words = hn::RebindToUnsigned<Doubles>;
using V = hn::Vec<Doubles>;
using W = hn::Vec<Words>;

HWY_INLINE V number(double x) { return hn::Set(Doubles(), x); }
HWY_INLINE W word(std::uint64_t x) { return hn::Set(Words(), x); }
HWY_INLINE V as_double(W bits) { return hn::BitCast(Doubles(), bits); }
HWY_INLINE W as_bits(V x) { return hn::BitCast(Words(), x); }

// A whole number below 2^63, rounded to nearest.
HWY_INLINE V to_double(W x) {
  const V low = as_double(hn::Or(hn::And(x, word(0xffffffff)), word(kBits2To52)));
  const V high = as_double(hn::Or(hn::ShiftRight<32>(x), word(kBits2To84)));
  return hn::Add(hn::Sub(high, number(0x1p84 + 0x1p52)), low);
}

// c[0] + c[1] x + ..., even and odd powers apart, which halves the wait for one another.
template <size_t kTerms>
HWY_INLINE V polynomial(const double (&c)[kTerms], V x) {
  const V square = hn::Mul(x, x);
  V last = number(c[kTerms - 1]), other = number(c[kTerms - 2]);
  for (size_t k = kTerms - 2; k-- > 0;) {
    const V next = hn::MulAdd(last, square, number(c[k]));
    last = other;
    other = next;
  }
  return hn::MulAdd(last, x, other);
}

// -ln U, where tail is U, or 1 - U where `upper` says so.
HWY_INLINE V exponential(V tail, hn::Mask<Doubles> upper) {
  const V u = hn::IfThenElse(upper, hn::Sub(number(1), tail), tail);
  // u = 2^exponent (1 + f), f from sqrt(1/2) - 1 to sqrt(2) - 1.
  const W bias = word(kExponentBias << 52);
  const W biased = hn::ShiftRight<52>(hn::Add(hn::Sub(as_bits(u), word(kBitsRootHalf)), bias));
  const V mantissa = as_double(hn::Add(hn::Sub(as_bits(u), hn::ShiftLeft<52>(biased)), bias));
  const V exponent =
      hn::Sub(as_double(hn::Or(biased, word(kBits2To52))), number(0x1p52 + kExponentBias));
  // Near 1 the tail knows f to more digits than u does.
  const auto near_one = hn::And(upper, hn::Eq(exponent, hn::Zero(Doubles())));
  const V f = hn::IfThenElse(near_one, hn::Neg(tail), hn::Sub(mantissa, number(1)));
  // ln(1 + f) = 2 artanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...), s = f / (2 + f), s^2 < 0.0295.
  static constexpr double kArtanh[] = {1,       1. / 3,  1. / 5,  1. / 7,  1. / 9,
                                       1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19};
  const V s = hn::Div(f, hn::Add(number(2), f));
  const V log = hn::Mul(hn::Add(s, s), polynomial(kArtanh, hn::Mul(s, s)));
  return hn::Neg(hn::MulAdd(exponent, number(0x1.62e42fefa39efp-1), log));
}

struct Circle {
  V cosine, sine;
};

// Of an angle from 0 to pi/4: Taylor up to the powers 16 and 15.
HWY_INLINE Circle eighth(V phi) {
  static constexpr double kCosine[] = {1,
                                       -1. / 2,
                                       1. / 24,
                                       -1. / 720,
                                       1. / 40320,
                                       -1. / 3628800,
                                       1. / 479001600,
                                       -1. / 87178291200,
                                       1. / 20922789888000};
  static constexpr double kSine[] = {
      1,           -1. / 6,        1. / 120,        -1. / 5040,
      1. / 362880, -1. / 39916800, 1. / 6227020800, -1. / 1307674368000};
  const V square = hn::Mul(phi, phi);
  return {polynomial(kCosine, square), hn::Mul(phi, polynomial(kSine, square))};
}

// With two signs, and cosine and sine exchanged or not: the first three digits of V.
HWY_INLINE Circle all_around(W angle) {
  const V fraction = hn::Sub(
      as_double(hn::Or(hn::ShiftRight<12>(hn::ShiftLeft<3>(angle)), word(kBitsOne))), number(1));
  const Circle c = eighth(hn::Mul(fraction, number(0x1.921fb54442d18p-1)));
  const W exchange_bit = word(std::uint64_t{1} << 61);
  const auto exchange = hn::RebindMask(Doubles(), hn::TestBit(angle, exchange_bit));
  const V first = hn::IfThenElse(exchange, c.sine, c.cosine);
  const V second = hn::IfThenElse(exchange, c.cosine, c.sine);
  const W sign = word(kSignBit);
  return {hn::Xor(first, as_double(hn::And(angle, sign))),
          hn::Xor(second, as_double(hn::And(hn::ShiftLeft<1>(angle), sign)))};
}

// Whether no number within the margin of t rounds to anything but `rounded`.
HWY_INLINE hn::Mask<Doubles> decided(V t, V rounded, V margin) {
  return hn::Lt(hn::Add(hn::Abs(hn::Sub(t, rounded)), margin), number(0.5));
}

size_t DrawPairs(const std::uint64_t* HWY_RESTRICT words, double scale, double* HWY_RESTRICT draws,
                 size_t pairs, std::uint32_t* HWY_RESTRICT undecided) {
  const Doubles d;
  const Words dw;
  const hn::RebindToSigned<Doubles> signed_words;
  const size_t lanes = hn::Lanes(d);
  size_t count = 0;
  for (size_t i = 0; i < pairs; i += lanes) {
    W radius_digits, angle_digits;
    hn::LoadInterleaved2(dw, words + 2 * i, radius_digits, angle_digits);
    const auto sign = hn::BroadcastSignBit(hn::BitCast(signed_words, radius_digits));
    const W tail_digits = hn::Xor(radius_digits, hn::BitCast(dw, sign));
    const V tail = hn::Mul(to_double(tail_digits), number(0x1p-64));
    const auto upper = hn::MaskFromVec(hn::BitCast(d, sign));

    const V e = exponential(tail, upper);
    const V radius = hn::Mul(hn::Sqrt(hn::Add(e, e)), number(scale));
    const Circle c = all_around(angle_digits);
    const V first = hn::Mul(radius, c.cosine), second = hn::Mul(radius, c.sine);
    const V first_draw = hn::Round(first), second_draw = hn::Round(second);
    hn::StoreInterleaved2(first_draw, second_draw, d, draws + 2 * i);

    const V margin = hn::Mul(radius, number(kMargin));
    const auto sure =
        hn::And(hn::Ge(tail, number(kLeastTail)),
                hn::And(decided(first, first_draw, margin), decided(second, second_draw, margin)));
    if (HWY_LIKELY(hn::AllTrue(d, sure))) continue;
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, sure, bits);
    for (size_t k = 0; k < lanes; ++k) {
      if ((bits[k / 8] >> k % 8 & 1) == 0) undecided[count++] = static_cast<std::uint32_t>(i + k);
    }
  }
  return count;
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(DrawPairs);

std::size_t draw_pairs(std::span<const std::uint64_t> words, double scale, std::span<double> draws,
                       std::span<std::uint32_t> undecided) {
  return HWY_DYNAMIC_DISPATCH(DrawPairs)(words.data(), scale, draws.data(), words.size() / 2,
                                         undecided.data());
}

}  // namespace ration
#endif  // HWY_ONCE
