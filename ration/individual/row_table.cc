// The sum of rows is compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/individual/row_table.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include "ration/individual/row_table.h"

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A multiple of kBlock is wanted: four vectors of sums stay in registers through all rows.
void sum_rows(const double* cells, std::size_t stride, std::span<const std::uint32_t> rows,
              const double* weights, std::span<double> to) {
  const hn::CappedTag<double, 4> d;
  const std::size_t lanes = hn::Lanes(d), used = rows.size();
  double* out = to.data();
  for (std::size_t at = 0; at < to.size(); at += 4 * lanes) {
    auto a = hn::Zero(d), b = a, c = a, e = a;
    for (std::size_t i = 0; i < used; ++i) {
      const double* row = cells + rows[i] * stride + at;
      const auto weight = hn::Set(d, weights[i]);
      a = hn::MulAdd(weight, hn::LoadU(d, row), a);
      b = hn::MulAdd(weight, hn::LoadU(d, row + lanes), b);
      c = hn::MulAdd(weight, hn::LoadU(d, row + 2 * lanes), c);
      e = hn::MulAdd(weight, hn::LoadU(d, row + 3 * lanes), e);
    }
    hn::StoreU(a, d, out + at);
    hn::StoreU(b, d, out + at + lanes);
    hn::StoreU(c, d, out + at + 2 * lanes);
    hn::StoreU(e, d, out + at + 3 * lanes);
  }
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {
HWY_EXPORT(sum_rows);

RowTable::RowTable(std::size_t rows, std::size_t width)
    : width_(width), stride_((width + kBlock - 1) / kBlock * kBlock), cells_(rows * stride_) {}

void RowTable::sum(std::span<const std::uint32_t> rows, std::span<const double> weights,
                   std::size_t first, std::span<double> out) const {
  HWY_DYNAMIC_DISPATCH(sum_rows)(cells_.data() + first, stride_, rows, weights.data(), out);
}

}  // namespace ration
#endif
