// Compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/control/potential_kernel.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "ration/control/potential_kernel.h"
#include "ration/numeric/fft_batch.h"

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lane = hn::CappedTag<double, kFftLanes>;
using Vector = hn::Vec<Lane>;

struct ComplexVector {
  Vector real, imaginary;
};
HWY_INLINE ComplexVector operator+(const ComplexVector& a, const ComplexVector& b) {
  return {hn::Add(a.real, b.real), hn::Add(a.imaginary, b.imaginary)};
}
HWY_INLINE ComplexVector operator-(const ComplexVector& a, const ComplexVector& b) {
  return {hn::Sub(a.real, b.real), hn::Sub(a.imaginary, b.imaginary)};
}
HWY_INLINE ComplexVector operator*(const ComplexVector& x, const ComplexVector& m) {
  return {hn::NegMulAdd(x.imaginary, m.imaginary, hn::Mul(x.real, m.real)),
          hn::MulAdd(x.imaginary, m.real, hn::Mul(x.real, m.imaginary))};
}
HWY_INLINE ComplexVector scaled(const ComplexVector& x, Vector by) {
  return {hn::Mul(x.real, by), hn::Mul(x.imaginary, by)};
}

// |x + iy| <= max + (sqrt 2 - 1) min, on 0 <= min <= max, where equality holds at both ends of a
// convex function.
HWY_INLINE Vector modulus_up(const ComplexVector& z) {
  const Lane d;
  const auto x = hn::Abs(z.real), y = hn::Abs(z.imaginary);
  return hn::MulAdd(hn::Set(d, 0.41421356237309515), hn::Min(x, y), hn::Max(x, y));
}

// The entries of one vector of lanes, at one frequency.
template <Mix kMix>
HWY_INLINE ComplexVector mixed(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y,
                               const double* HWY_RESTRICT m, const double* HWY_RESTRICT f,
                               Vector share, Vector inverse) {
  const Lane d;
  const ComplexVector multiplier = {hn::Load(d, m), hn::Load(d, m + kFftLanes)};
  const ComplexVector lower = {hn::Set(d, x[0]), hn::Set(d, x[1])};
  if constexpr (kMix == Mix::product) return multiplier * lower;
  const ComplexVector upper = {hn::Set(d, y[0]), hn::Set(d, y[1])};
  const ComplexVector between = lower - upper;
  if constexpr (kMix == Mix::onward) return multiplier * (upper + scaled(between, share));
  if constexpr (kMix == Mix::low) return scaled(multiplier * lower - lower, inverse) + between;
  if constexpr (kMix == Mix::between) {
    const ComplexVector fall = {hn::Load(d, f), hn::Load(d, f + kFftLanes)};
    return scaled(multiplier * upper - upper, inverse) + (multiplier - fall) * between;
  }
  return scaled(multiplier * upper - upper, inverse) + multiplier * between;
}

template <Mix kMix>
void mixtures_of(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y,
                 const double* HWY_RESTRICT multipliers, const double* HWY_RESTRICT falls,
                 const double* HWY_RESTRICT shares, size_t count, size_t n,
                 double* HWY_RESTRICT data, double* HWY_RESTRICT curvature) {
  const Lane d;
  constexpr size_t kValue = 2 * kFftLanes;
  for (size_t lane = 0; lane < kFftLanes; lane += hn::Lanes(d)) {
    const auto share_a = hn::LoadU(d, shares + lane);
    const auto share_b = hn::LoadU(d, shares + lane + kFftLanes);
    const auto one = hn::Set(d, 1.0);
    const auto inverse_a = hn::Div(one, share_a), inverse_b = hn::Div(one, share_b);
    const double* HWY_RESTRICT m = multipliers + lane;
    const double* HWY_RESTRICT f = falls + lane;
    auto first = hn::Zero(d), second = hn::Zero(d);
    for (size_t k = 0; k < count; ++k, m += kBatchRow, f += kBatchRow) {
      const ComplexVector a = mixed<kMix>(x + 2 * k, y + 2 * k, m, f, share_a, inverse_a);
      const ComplexVector b = mixed<kMix>(x + 2 * k, y + 2 * k, m + 2 * kFftLanes,
                                          f + 2 * kFftLanes, share_b, inverse_b);
      double* front = data + k * kValue + lane;
      if (k == 0) {  // where everything is real
        hn::Store(a.real, d, front);
        hn::Store(b.real, d, front + kFftLanes);
        continue;
      }
      double* back = data + (n - k) * kValue + lane;
      hn::Store(hn::Sub(a.real, b.imaginary), d, front);  // A + iB
      hn::Store(hn::Add(a.imaginary, b.real), d, front + kFftLanes);
      hn::Store(hn::Add(a.real, b.imaginary), d, back);  // of the conjugates
      hn::Store(hn::Sub(b.real, a.imaginary), d, back + kFftLanes);
      if constexpr (kMix == Mix::low || kMix == Mix::high || kMix == Mix::between) {
        const auto squared = hn::Set(d, static_cast<double>(k) * static_cast<double>(k));
        first = hn::MulAdd(squared, modulus_up(a), first);
        second = hn::MulAdd(squared, modulus_up(b), second);
      }
    }
    hn::StoreU(first, d, curvature + lane);
    hn::StoreU(second, d, curvature + lane + kFftLanes);
  }
  std::fill(data + count * kValue, data + (n - count + 1) * kValue, 0.0);
}

void Mixtures(Mix mix, const double* x, const double* y, const double* multipliers,
              const double* falls, const double* shares, size_t count, size_t n, double* data,
              double* curvature) {
  switch (mix) {
    case Mix::product:
      return mixtures_of<Mix::product>(x, y, multipliers, falls, shares, count, n, data, curvature);
    case Mix::onward:
      return mixtures_of<Mix::onward>(x, y, multipliers, falls, shares, count, n, data, curvature);
    case Mix::low:
      return mixtures_of<Mix::low>(x, y, multipliers, falls, shares, count, n, data, curvature);
    case Mix::high:
      return mixtures_of<Mix::high>(x, y, multipliers, falls, shares, count, n, data, curvature);
    case Mix::between:
      return mixtures_of<Mix::between>(x, y, multipliers, falls, shares, count, n, data, curvature);
  }
}

void RaiseTo(const double* HWY_RESTRICT data, size_t n, double* HWY_RESTRICT most) {
  const Lane d;
  for (size_t j = 0; j < n; ++j) {
    for (size_t lane = 0; lane < kFftLanes; lane += hn::Lanes(d)) {
      const double* at = data + 2 * kFftLanes * j + lane;
      double* to = most + kFftLanes * j + lane;
      const auto larger = hn::Max(hn::Load(d, at), hn::Load(d, at + kFftLanes));
      hn::Store(hn::Max(hn::Load(d, to), larger), d, to);
    }
  }
}

void Maxima(const double* HWY_RESTRICT data, size_t n, double* HWY_RESTRICT to) {
  const Lane d;
  for (size_t lane = 0; lane < 2 * kFftLanes; lane += hn::Lanes(d)) {
    auto most = hn::Load(d, data + lane);
    for (size_t j = 1; j < n; ++j)
      most = hn::Max(most, hn::Load(d, data + 2 * kFftLanes * j + lane));
    hn::StoreU(most, d, to + lane);
  }
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(Mixtures);
HWY_EXPORT(RaiseTo);
HWY_EXPORT(Maxima);

PerEntry mixtures(Mix mix, const LevelPair& levels, const Multipliers& multipliers,
                  const PerEntry& share, std::size_t n, double* data) {
  // A complex number is two doubles, real part first.
  const auto* x = reinterpret_cast<const double*>(levels.x);
  const auto* y = reinterpret_cast<const double*>(levels.y);
  PerEntry curvature{};
  HWY_DYNAMIC_DISPATCH(Mixtures)
  (mix, x, y, multipliers.of_entry,
   multipliers.of_fall == nullptr ? multipliers.of_entry : multipliers.of_fall, share.data(),
   levels.count, n, data, curvature.data());
  return curvature;
}
void raise_to(const double* data, std::size_t n, double* most) {
  HWY_DYNAMIC_DISPATCH(RaiseTo)(data, n, most);
}
PerEntry maxima(const double* data, std::size_t n) {
  PerEntry most{};
  HWY_DYNAMIC_DISPATCH(Maxima)(data, n, most.data());
  return most;
}
double sum_of_moduli(const std::complex<double>* coefficients, std::size_t count) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double x = std::abs(coefficients[k].real()), y = std::abs(coefficients[k].imag());
    sum += std::max(x, y) + 0.41421356237309515 * std::min(x, y);
  }
  return sum;
}

}  // namespace ration
#endif  // HWY_ONCE
