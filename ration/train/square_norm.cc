// Compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/train/square_norm.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include "ration/train/square_norm.h"

HWY_BEFORE_NAMESPACE();
namespace ration::train::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using HalfFloats = hn::Rebind<float, Doubles>;

HWY_INLINE double square_norm(const float* row, size_t width) {
  const Doubles d;
  const HalfFloats half;
  const size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a;  // four sums, to hide the latency of an addition
  const auto square = [&](size_t i) HWY_ATTR {
    const auto x = hn::PromoteTo(d, hn::LoadU(half, row + i));
    return hn::Mul(x, x);
  };
  size_t i = 0;
  for (; i + 4 * lanes <= width; i += 4 * lanes) {
    a = hn::Add(a, square(i));
    b = hn::Add(b, square(i + lanes));
    c = hn::Add(c, square(i + 2 * lanes));
    e = hn::Add(e, square(i + 3 * lanes));
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
  for (; i < width; ++i) sum += static_cast<double>(row[i]) * static_cast<double>(row[i]);
  return sum;
}

void SquareNorms(const float* rows, size_t count, size_t width, double* out) {
  for (size_t i = 0; i < count; ++i) out[i] = square_norm(rows + i * width, width);
}

}  // namespace ration::train::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration::train {

HWY_EXPORT(SquareNorms);

void square_norms(const float* rows, std::size_t count, std::size_t width, double* out) {
  HWY_DYNAMIC_DISPATCH(SquareNorms)(rows, count, width, out);
}

}  // namespace ration::train
#endif  // HWY_ONCE
