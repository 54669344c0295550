// Compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/model/product.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include <algorithm>

#include "ration/model/product.h"

#ifndef RATION_TRAIN_PRODUCT_TASKS
#define RATION_TRAIN_PRODUCT_TASKS
namespace ration {

// The kernel holds 6 rows by 2 vectors of the result: 12 chains, enough to hide the latency of a
// multiply-add, and with the two vectors of a panel they fit into 16 registers.
inline constexpr std::size_t kTileRows = 6;
// So much of the inner dimension at a time: a panel's share then stays in the first-level cache.
inline constexpr std::size_t kSlice = 256;

struct Multiplication {
  const float* left;
  std::size_t rows, depth, columns;
  const float* panels;
  const float* start;
  float* out;
};
struct OuterSum {
  OuterProducts::Task task;
  bool fresh;
  float *tiles, *panel, *out;
};

}  // namespace ration
#endif

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using V = hn::Vec<Floats>;

// Where chains are taken up or laid down: row r at data + r * stride.
template <class Pointer>
struct Place {
  Pointer data;
  size_t stride;
  HWY_INLINE Pointer row(size_t r) const { return data + r * stride; }
};

// Continues the chains of one tile by `depth` steps. Element k of row r of the left factor lies at
// rows[r][k * kStep].
template <size_t kStep>
HWY_INLINE void continue_tile(const float* const (&rows)[kTileRows], const float* panel,
                              size_t depth, Place<const float*> from, Place<float*> to) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const auto load = [&](size_t r, size_t half)
                        HWY_ATTR { return hn::LoadU(d, from.row(r) + half * lanes); };
  V a0 = load(0, 0), a1 = load(0, 1), b0 = load(1, 0), b1 = load(1, 1);
  V c0 = load(2, 0), c1 = load(2, 1), d0 = load(3, 0), d1 = load(3, 1);
  V e0 = load(4, 0), e1 = load(4, 1), f0 = load(5, 0), f1 = load(5, 1);
  const float *ra = rows[0], *rb = rows[1], *rc = rows[2];
  const float *rd = rows[3], *re = rows[4], *rf = rows[5];
  for (size_t k = 0; k < depth; ++k, panel += 2 * lanes) {
    const V p0 = hn::LoadU(d, panel), p1 = hn::LoadU(d, panel + lanes);
    V x = hn::Set(d, ra[k * kStep]);
    a0 = hn::MulAdd(x, p0, a0);
    a1 = hn::MulAdd(x, p1, a1);
    x = hn::Set(d, rb[k * kStep]);
    b0 = hn::MulAdd(x, p0, b0);
    b1 = hn::MulAdd(x, p1, b1);
    x = hn::Set(d, rc[k * kStep]);
    c0 = hn::MulAdd(x, p0, c0);
    c1 = hn::MulAdd(x, p1, c1);
    x = hn::Set(d, rd[k * kStep]);
    d0 = hn::MulAdd(x, p0, d0);
    d1 = hn::MulAdd(x, p1, d1);
    x = hn::Set(d, re[k * kStep]);
    e0 = hn::MulAdd(x, p0, e0);
    e1 = hn::MulAdd(x, p1, e1);
    x = hn::Set(d, rf[k * kStep]);
    f0 = hn::MulAdd(x, p0, f0);
    f1 = hn::MulAdd(x, p1, f1);
  }
  const auto store = [&](size_t r, V left, V right) HWY_ATTR {
    hn::StoreU(left, d, to.row(r));
    hn::StoreU(right, d, to.row(r) + lanes);
  };
  store(0, a0, a1);
  store(1, b0, b1);
  store(2, c0, c1);
  store(3, d0, d1);
  store(4, e0, e1);
  store(5, f0, f1);
}

// The same where only some rows and columns of the tile exist: by way of a full one.
template <size_t kStep>
HWY_NOINLINE void continue_part(const float* const (&rows)[kTileRows], const float* panel,
                                size_t depth, Place<const float*> from, Place<float*> to,
                                size_t real_rows, size_t real_columns) {
  const size_t width = 2 * hn::Lanes(Floats());
  float tile[kTileRows * 2 * hn::MaxLanes(Floats())] = {};
  for (size_t r = 0; r < real_rows; ++r) {
    std::copy_n(from.row(r), real_columns, tile + r * width);
  }
  continue_tile<kStep>(rows, panel, depth, {tile, width}, {tile, width});
  for (size_t r = 0; r < real_rows; ++r) {
    std::copy_n(tile + r * width, real_columns, to.row(r));
  }
}

template <size_t kStep>
HWY_INLINE void continue_any(const float* const (&rows)[kTileRows], const float* panel,
                             size_t depth, Place<const float*> from, Place<float*> to,
                             size_t real_rows, size_t real_columns) {
  if (real_rows == kTileRows && real_columns == 2 * hn::Lanes(Floats())) {
    continue_tile<kStep>(rows, panel, depth, from, to);
  } else {
    continue_part<kStep>(rows, panel, depth, from, to, real_rows, real_columns);
  }
}

size_t PanelWidth() { return 2 * hn::Lanes(Floats()); }

void Multiply(const Multiplication& m) {
  const size_t width = PanelWidth();
  for (size_t k = 0; k < m.depth; k += kSlice) {
    const size_t depth = std::min(kSlice, m.depth - k);
    for (size_t column = 0; column < m.columns; column += width) {
      const float* panel = m.panels + column * m.depth + k * width;
      const size_t columns = std::min(width, m.columns - column);
      for (size_t row = 0; row < m.rows; row += kTileRows) {
        const size_t rows = std::min(kTileRows, m.rows - row);
        const float* left[kTileRows];
        for (size_t r = 0; r < kTileRows; ++r) {
          left[r] = m.left + std::min(row + r, m.rows - 1) * m.depth + k;
        }
        float* out = m.out + row * m.columns + column;
        const Place<const float*> from =
            k == 0 ? Place<const float*>{m.start + column, 0} : Place<const float*>{out, m.columns};
        continue_any<1>(left, panel, depth, from, {out, m.columns}, rows, columns);
      }
    }
  }
}

// Rows of the left side, weighted, as the kernel reads them: tile after tile, 6 columns a step.
void lay_out_tiles(const OuterProducts::Task& task, size_t first, size_t count, float* to) {
  for (size_t column = 0; column < task.left_columns; column += kTileRows) {
    const size_t columns = std::min(kTileRows, task.left_columns - column);
    for (size_t k = first; k < first + count; ++k, to += kTileRows) {
      const float weight = task.weights[k];
      const float* from = task.left + k * task.left_columns + column;
      for (size_t c = 0; c < kTileRows; ++c) {
        to[c] = weight == 0 || c >= columns ? 0.0F : weight * from[c];
      }
    }
  }
}

// A panel of the right side. Who is left out is zero on both sides, since 0 times infinity is not.
void lay_out_panel(const OuterProducts::Task& task, size_t first, size_t count, size_t column,
                   float* to) {
  const size_t width = PanelWidth();
  const size_t columns = std::min(width, task.right_columns - column);
  for (size_t k = first; k < first + count; ++k, to += width) {
    const float* from = task.right + k * task.right_columns + column;
    if (task.weights[k] == 0) {
      std::fill_n(to, width, 0.0F);
    } else {
      std::copy_n(from, columns, to);
      std::fill(to + columns, to + width, 0.0F);
    }
  }
}

void Outer(const OuterSum& sum) {
  static constexpr float kZeros[2 * hn::MaxLanes(Floats())] = {};
  const OuterProducts::Task& task = sum.task;
  const size_t width = PanelWidth(), stride = task.right_columns;
  for (size_t k = 0; k < task.people; k += kSlice) {
    const size_t depth = std::min(kSlice, task.people - k);
    const bool fresh = k == 0 && sum.fresh;
    lay_out_tiles(task, k, depth, sum.tiles);
    for (size_t column = 0; column < stride; column += width) {
      lay_out_panel(task, k, depth, column, sum.panel);
      const size_t columns = std::min(width, stride - column);
      for (size_t row = 0; row < task.left_columns; row += kTileRows) {
        const size_t rows = std::min(kTileRows, task.left_columns - row);
        const float* t = sum.tiles + row * depth;
        const float* const left[kTileRows] = {t, t + 1, t + 2, t + 3, t + 4, t + 5};
        float* out = sum.out + row * stride + column;
        const Place<const float*> from = {fresh ? kZeros : out, fresh ? 0 : stride};
        continue_any<kTileRows>(left, sum.panel, depth, from, {out, stride}, rows, columns);
      }
    }
  }
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(PanelWidth);
HWY_EXPORT(Multiply);
HWY_EXPORT(Outer);

namespace {

std::size_t panel_width() { return HWY_DYNAMIC_DISPATCH(PanelWidth)(); }
std::size_t rounded_up(std::size_t x, std::size_t unit) { return (x + unit - 1) / unit * unit; }

}  // namespace

void Panels::resize(std::size_t depth, std::size_t columns) {
  depth_ = depth;
  columns_ = columns;
  values_.assign(depth * rounded_up(columns, panel_width()), 0.0F);
}

void Panels::lay_out(const float* matrix, std::size_t rows, std::size_t columns) {
  resize(rows, columns);
  const std::size_t width = panel_width();
  for (std::size_t column = 0; column < columns; column += width) {
    for (std::size_t k = 0; k < rows; ++k) {
      std::copy_n(matrix + k * columns + column, std::min(width, columns - column),
                  values_.data() + column * rows + k * width);
    }
  }
}

void Panels::lay_out_transpose(const float* matrix, std::size_t rows, std::size_t columns) {
  resize(columns, rows);
  const std::size_t width = panel_width();
  for (std::size_t row = 0; row < rows; ++row) {
    float* to = values_.data() + row / width * width * columns + row % width;
    for (std::size_t k = 0; k < columns; ++k) to[k * width] = matrix[row * columns + k];
  }
}

void multiply(const float* left, std::size_t rows, const Panels& right, const float* start,
              float* out) {
  if (rows == 0) return;
  const std::vector<float> zeros(start == nullptr ? right.columns() : 0);
  const Multiplication task = {.left = left,
                               .rows = rows,
                               .depth = right.depth(),
                               .columns = right.columns(),
                               .panels = right.data(),
                               .start = start == nullptr ? zeros.data() : start,
                               .out = out};
  HWY_DYNAMIC_DISPATCH(Multiply)(task);
}

void OuterProducts::run(const Task& task, float* out, bool fresh) {
  if (task.people == 0 && fresh) std::fill_n(out, task.left_columns * task.right_columns, 0.0F);
  const std::size_t depth = std::min(task.people, kSlice);
  tiles_.resize(std::max(tiles_.size(), depth * rounded_up(task.left_columns, kTileRows)));
  panel_.resize(std::max(panel_.size(), depth * panel_width()));
  HWY_DYNAMIC_DISPATCH(Outer)
  ({.task = task, .fresh = fresh, .tiles = tiles_.data(), .panel = panel_.data(), .out = out});
}

}  // namespace ration
#endif  // HWY_ONCE
