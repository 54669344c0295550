// Compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/numeric/fft_batch.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "ration/numeric/directed.h"
#include "ration/numeric/fft_batch.h"

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lane = hn::CappedTag<double, kFftLanes>;

// Two passes of radix 2 in one: of n values at a distance of n/4, with d0 = x0 - x2, d1 = x1 - x3,
//     x0 + x2 + x1 + x3,  w^2j (x0 + x2 - x1 - x3),  w^j (d0 + i d1),  w^3j (d0 - i d1).
template <bool turned>
HWY_INLINE void radix_four(double* HWY_RESTRICT x, size_t quarter, const double* HWY_RESTRICT w) {
  const Lane d;
  constexpr size_t kPart = kFftLanes, kValue = 2 * kFftLanes;
  for (size_t lane = 0; lane < kFftLanes; lane += hn::Lanes(d)) {
    double* HWY_RESTRICT p = x + lane;
    for (size_t j = 0; j < quarter; ++j, p += kValue) {
      double *p1 = p + quarter * kValue, *p2 = p1 + quarter * kValue, *p3 = p2 + quarter * kValue;
      const auto r0 = hn::Load(d, p), i0 = hn::Load(d, p + kPart);
      const auto r1 = hn::Load(d, p1), i1 = hn::Load(d, p1 + kPart);
      const auto r2 = hn::Load(d, p2), i2 = hn::Load(d, p2 + kPart);
      const auto r3 = hn::Load(d, p3), i3 = hn::Load(d, p3 + kPart);
      const auto s0 = hn::Add(r0, r2), t0 = hn::Add(i0, i2);
      const auto s1 = hn::Add(r1, r3), t1 = hn::Add(i1, i3);
      const auto u0 = hn::Sub(r0, r2), v0 = hn::Sub(i0, i2);
      const auto u1 = hn::Sub(r1, r3), v1 = hn::Sub(i1, i3);
      hn::Store(hn::Add(s0, s1), d, p);
      hn::Store(hn::Add(t0, t1), d, p + kPart);
      const auto put = [&](double* to, auto real, auto imaginary, size_t root) HWY_ATTR {
        if constexpr (turned) {
          const auto c = hn::Set(d, w[6 * j + 2 * root]), s = hn::Set(d, w[6 * j + 2 * root + 1]);
          hn::Store(hn::NegMulAdd(imaginary, s, hn::Mul(real, c)), d, to);
          hn::Store(hn::MulAdd(imaginary, c, hn::Mul(real, s)), d, to + kPart);
        } else {
          hn::Store(real, d, to);
          hn::Store(imaginary, d, to + kPart);
        }
      };
      put(p1, hn::Sub(s0, s1), hn::Sub(t0, t1), 1);
      put(p2, hn::Sub(u0, v1), hn::Add(v0, u1), 0);  // d0 + i d1
      put(p3, hn::Add(u0, v1), hn::Sub(v0, u1), 2);
    }
  }
}

void InverseBatch(double* HWY_RESTRICT data, size_t n, const double* HWY_RESTRICT roots) {
  constexpr size_t kValue = 2 * kFftLanes;
  size_t block = n;
  for (; block > 4; block /= 4) {
    for (size_t start = 0; start < n; start += block) {
      radix_four<true>(data + start * kValue, block / 4, roots);
    }
    roots += 6 * (block / 4);
  }
  if (block == 4) {
    for (size_t start = 0; start < n; start += 4) {
      radix_four<false>(data + start * kValue, 1, roots);
    }
    return;
  }
  const Lane d;  // pairs are left
  for (size_t i = 0; i < n * kValue; i += 2 * kValue) {
    for (size_t at = i; at < i + kValue; at += hn::Lanes(d)) {
      const auto a = hn::Load(d, data + at), b = hn::Load(d, data + at + kValue);
      hn::Store(hn::Add(a, b), d, data + at);
      hn::Store(hn::Sub(a, b), d, data + at + kValue);
    }
  }
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(InverseBatch);

namespace {

// exp(2 pi i k / n) to two units: the angle is first reduced to an eighth of the circle.
std::complex<double> root_of_unity(std::size_t k, std::size_t n) {
  k %= n;
  const std::size_t quarter = n / 4, turns = (k + n / 8) / quarter;
  const auto rest = static_cast<double>(k) - static_cast<double>(turns * quarter);
  const double angle = 2 * std::numbers::pi * (rest / static_cast<double>(n));
  const double c = std::cos(angle), s = std::sin(angle);
  switch (turns % 4) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

}  // namespace

FftBatch::FftBatch(std::size_t n) : size_(n), place_(n) {
  for (std::size_t block = n; block > 4; block /= 4) {
    for (std::size_t j = 0; j < block / 4; ++j) {
      for (std::size_t power = 1; power <= 3; ++power) {
        const std::complex<double> root = root_of_unity(power * j, block);
        roots_.push_back(root.real());
        roots_.push_back(root.imag());
      }
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t reversed = 0;
    for (std::size_t bit = 1, mirror = n / 2; bit < n; bit *= 2, mirror /= 2) {
      if (j & bit) reversed |= mirror;
    }
    place_[j] = static_cast<std::uint32_t>(reversed);
  }
}

void FftBatch::inverse(double* data) const {
  HWY_DYNAMIC_DISPATCH(InverseBatch)(data, size_, roots_.data());
}

// As fft_error (numeric/fft.cc) without its step between real and complex: two levels of the tree
// add twice and multiply once.
double fft_batch_error(std::size_t n) {
  return (8 * std::log2(static_cast<double>(n)) + 8) * kRoundoff;
}

}  // namespace ration
#endif  // HWY_ONCE
