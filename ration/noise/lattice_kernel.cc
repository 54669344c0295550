// Compiled once per instruction set; the best one is chosen at run time. Every operation but the
// rounding is exact, so all give the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/noise/lattice_kernel.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include <cmath>

#include "ration/noise/lattice_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
constexpr double kRange = 0x1p52;

// sums += multiple_at(i) over whole vectors, tail_at(i) over the rest. The comparison is false for
// what is no number.
template <class VectorAt, class At>
HWY_INLINE bool add_all(double* HWY_RESTRICT sums, size_t count, const VectorAt& vector_at,
                        const At& at) {
  const Doubles d;
  const size_t lanes = hn::Lanes(d);
  const auto range = hn::Set(d, kRange);
  auto within = hn::Eq(range, range);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto sum = hn::Add(hn::LoadU(d, sums + i), vector_at(i));
    hn::StoreU(sum, d, sums + i);
    within = hn::And(within, hn::Lt(hn::Abs(sum), range));
  }
  bool all = hn::AllTrue(d, within);
  for (; i < count; ++i) {
    sums[i] += at(i);
    all = std::fabs(sums[i]) < kRange && all;
  }
  return all;
}

bool AddRounded(const float* HWY_RESTRICT entries, double scale, double* HWY_RESTRICT sums,
                size_t count) {
  const Doubles d;
  const hn::Rebind<float, Doubles> floats;
  const auto factor = hn::Set(d, scale);
  return add_all(
      sums, count,
      [&](size_t i) HWY_ATTR {
        return hn::Round(hn::Mul(hn::PromoteTo(d, hn::LoadU(floats, entries + i)), factor));
      },
      [&](size_t i) { return std::nearbyint(static_cast<double>(entries[i]) * scale); });
}

bool AddMultiples(const double* HWY_RESTRICT multiples, double* HWY_RESTRICT sums, size_t count) {
  const Doubles d;
  return add_all(
      sums, count, [&](size_t i) HWY_ATTR { return hn::LoadU(d, multiples + i); },
      [&](size_t i) { return multiples[i]; });
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(AddRounded);
HWY_EXPORT(AddMultiples);

bool add_rounded(std::span<const float> entries, double scale, std::span<double> sums) {
  return HWY_DYNAMIC_DISPATCH(AddRounded)(entries.data(), scale, sums.data(), sums.size());
}
bool add_multiples(std::span<const double> multiples, std::span<double> sums) {
  return HWY_DYNAMIC_DISPATCH(AddMultiples)(multiples.data(), sums.data(), sums.size());
}

}  // namespace ration
#endif  // HWY_ONCE
