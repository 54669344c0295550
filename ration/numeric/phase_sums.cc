// The spreading is compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/numeric/phase_sums.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "ration/numeric/directed.h"
#include "ration/numeric/fft.h"
#include "ration/numeric/phase_sums.h"

#ifndef RATION_NUMERIC_PHASE_SUMS_CC
#define RATION_NUMERIC_PHASE_SUMS_CC
namespace ration::phases {

// A phase at the place y of the grid counts exp(-kNarrow (y - j)^2) at each of kSpread places j.
inline constexpr std::size_t kSpread = 28;
inline constexpr double kWidth = 42;  // tau G^2, tau being half the Gaussian's variance
inline constexpr double kNarrow = std::numbers::pi * std::numbers::pi / kWidth;

}  // namespace ration::phases
#endif

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// exp(-k (x - j)^2) = exp(-k x^2) exp(2 k x)^j exp(-k j^2), j from -13 to 14, |x| <= 1/2. `grid`
// has kSpread places more than the mask says.
void spread(const double* x, const double* weight, std::size_t terms, double scale,
            std::size_t mask, double* HWY_RESTRICT grid) {
  using phases::kNarrow;
  using phases::kSpread;
  const hn::CappedTag<double, 4> d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr int kBefore = static_cast<int>(kSpread) / 2 - 1;
  HWY_ALIGN double fixed[kSpread];
  for (std::size_t i = 0; i < kSpread; ++i) {
    const double j = static_cast<double>(i) - kBefore;
    fixed[i] = std::exp(-kNarrow * j * j);
  }
  for (std::size_t n = 0; n < terms; ++n) {
    const double y = x[n] * scale, whole = std::nearbyint(y), part = y - whole;
    double* to = grid + (static_cast<std::size_t>(static_cast<long long>(whole) - kBefore) & mask);
    HWY_ALIGN double powers[4];
    powers[0] = weight[n] * std::exp(-kNarrow * part * (part + 2 * kBefore));
    const double ratio = std::exp(2 * kNarrow * part);
    for (std::size_t i = 1; i < 4; ++i) powers[i] = powers[i - 1] * ratio;
    const double two = ratio * ratio;
    const auto on = hn::Set(d, lanes == 4 ? two * two : lanes == 2 ? two : ratio);
    auto power = hn::Load(d, powers);
    for (std::size_t i = 0; i < kSpread; i += lanes) {
      hn::StoreU(hn::MulAdd(power, hn::Load(d, fixed + i), hn::LoadU(d, to + i)), d, to + i);
      power = hn::Mul(power, on);
    }
  }
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {
namespace {
HWY_EXPORT(spread);

constexpr std::size_t kHeap = 512;

// So that frequencies reach up to an eighth of the grid.
std::size_t grid_size(std::size_t count) {
  return std::bit_ceil(std::max<std::size_t>(32, 8 * count));
}

}  // namespace

std::vector<std::complex<double>> phase_sums(std::span<const double> x,
                                             std::span<const double> weight, double step,
                                             std::size_t count) {
  const std::size_t size = grid_size(count);
  const double scale = step * static_cast<double>(size) / (2 * std::numbers::pi);
  // Heap by heap, so that no place adds up more than kHeap terms.
  std::vector<double> grid(size + phases::kSpread), heap(grid.size());
  for (std::size_t from = 0; from < x.size(); from += kHeap) {
    const std::size_t terms = std::min(kHeap, x.size() - from);
    std::fill(heap.begin(), heap.end(), 0.0);
    HWY_DYNAMIC_DISPATCH(spread)
    (x.data() + from, weight.data() + from, terms, scale, size - 1, heap.data());
    for (std::size_t i = 0; i < grid.size(); ++i) grid[i] += heap[i];
  }
  for (std::size_t i = 0; i < phases::kSpread; ++i) grid[i] += grid[size + i];
  grid.resize(size);
  std::vector<std::complex<double>> sums = fft(grid);
  sums.resize(count);
  const double flat = std::sqrt(std::numbers::pi / phases::kWidth);
  for (std::size_t m = 0; m < count; ++m) {
    const double f = static_cast<double>(m) / static_cast<double>(size);
    sums[m] = std::conj(sums[m]) * (flat * std::exp(phases::kWidth * f * f));
  }
  return sums;
}

// Of frequencies up to an eighth of the grid: aliases, at most 2 exp(-3/4 kWidth); what the spread
// leaves out, at distances of 13.5 and more on either side; and roundings: of the Gaussian, whose
// powers have 120 at most, of adding terms up at a place, and of the transform; each as large as
// the Gaussian that is divided out makes it.
double phase_sum_error(std::size_t terms, std::size_t count) {
  const double size = 1.01 * std::exp(phases::kWidth / 64);
  const double flat = std::sqrt(std::numbers::pi / phases::kWidth);
  const double missing = 4 * std::exp(-phases::kNarrow * 13.5 * 13.5) * flat;
  const auto heap = static_cast<double>(std::min(terms, kHeap));
  const double rounding = (heap + static_cast<double>(terms / kHeap) + 140) * kRoundoff;
  return 2 * std::exp(-0.75 * phases::kWidth) +
         size * (missing + rounding + fft_error(grid_size(count)));
}

}  // namespace ration
#endif
