// The Mills ratio m(x) = Phi(-x) / phi(x) and the drop m(x) - m(x + gap), for one double or for a
// vector of them: one formula, used with both. docs/math/mills.md
//
// With y = x + 1 and t = (y - 4) / (y + 4), the half line x >= -1 becomes -1 <= t < 1, and
//     P(t) = (x + 2) m(x)
// is smooth and decreasing in t, from 3.48 down to 1. kMills is its Chebyshev series, cut off at
// degree 30 and written in powers of t. tests/numeric/mills_proof_test.cc proves, in interval
// arithmetic over the whole range, how far the polynomial and its slope are from P and P'.
#ifndef RATION_NUMERIC_MILLS_CONSTANTS
#define RATION_NUMERIC_MILLS_CONSTANTS

#include <array>
#include <cstddef>

namespace ration {

// Relative errors on x >= -1, rounding included.
inline constexpr double kMillsError = 5e-15;
inline constexpr double kMillsDropError = 1.5e-14;

inline constexpr std::array<double, 31> kMills = {
    0x1.85e0262a319e6p+0,   -0x1.032f622e3cf5dp+0,  0x1.a0727e94db311p-1,  -0x1.be74976e4e7c8p-2,
    0x1.225a0319e3a0dp-4,   0x1.0c7edd8af2316p-3,   -0x1.3a2a713542f41p-3, 0x1.5ae04b98e059ep-4,
    -0x1.4198170b46947p-6,  -0x1.7c3a435069dcbp-8,  0x1.4ed8d0bdf9b04p-8,  -0x1.9a940e66b33e6p-13,
    -0x1.daa7f166a7ef1p-11, 0x1.335637d86cd4dp-13,  0x1.63ba83a685985p-13, -0x1.220c14d04a2b6p-15,
    -0x1.33005e3c95897p-15, 0x1.7a4cf079bf3fcp-18,  0x1.258f7a92c3197p-17, -0x1.140b2b1999825p-22,
    -0x1.1c5ec1b574e81p-19, -0x1.43401bbb7bc45p-22, 0x1.f8076cb372d9ap-22, 0x1.6391889f3093bp-23,
    -0x1.68fb543adbb15p-24, -0x1.c2aa102fdaed2p-25, 0x1.502480f5af96ap-27, 0x1.64d6df10c96acp-27,
    -0x1.3d88f871a000ap-32, -0x1.11c2ca26706a5p-30, -0x1.199dd56130498p-34};

}  // namespace ration

#endif  // RATION_NUMERIC_MILLS_CONSTANTS

// From here on once per instruction set: Highway's scheme for headers with vector code.
#if defined(RATION_NUMERIC_MILLS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RATION_NUMERIC_MILLS_INL
#undef RATION_NUMERIC_MILLS_INL
#else
#define RATION_NUMERIC_MILLS_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
struct MillsPair {
  V first, second;  // m(a), m(b)
  V drop;           // m(a) - m(b)
};

// Needs a >= -1, b = a + gap and gap >= 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE MillsPair<V> mills_pair(D d, V a, V b, V gap) {
  const V two = hn::Set(d, 2), three = hn::Set(d, 3), five = hn::Set(d, 5), eight = hn::Set(d, 8);
  const V a5 = a + five, b5 = b + five;
  const V ta = (a - three) / a5, tb = (b - three) / b5;

  // Horner for P(ta), P(tb) and the divided difference P[ta, tb], which is never formed as a
  // difference: d_k = P_{k+1}(ta) + tb d_{k+1}.
  V pa = hn::Set(d, kMills.back()), pb = pa, slope = hn::Zero(d);
  for (size_t k = kMills.size() - 1; k-- > 0;) {
    const V c = hn::Set(d, kMills[k]);
    slope = hn::MulAdd(slope, tb, pa);
    pa = hn::MulAdd(pa, ta, c);
    pb = hn::MulAdd(pb, tb, c);
  }

  // tb - ta = 8 gap / ((a+5)(b+5)), so m(a) - m(b) = P(ta)/(a+2) - P(tb)/(b+2) is the sum of two
  // positive terms: no cancellation however small the gap.
  const V first = pa / (a + two), b2 = b + two;
  return {first, pb / b2, gap / b2 * (first - slope * eight / (a5 * b5))};
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // RATION_NUMERIC_MILLS_INL
