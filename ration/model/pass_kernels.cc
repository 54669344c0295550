// Compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/model/pass_kernels.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ration/model/pass_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToSigned<Floats>;
using HalfWords = hn::Rebind<std::uint16_t, Floats>;

// With x = -z for label 1 and z for label 0 the loss is log(1 + exp(x)) and its derivative by x is
// sigmoid(x), by z the same with the sign turned back. t = exp(-|x|) is at most 1.
HWY_INLINE void binary_vector(float* outputs, const std::uint16_t* labels, float share,
                              float* terms) {
  const Floats d;
  const Words words;
  const auto turn =
      hn::BitCast(d, hn::ShiftLeft<31>(hn::PromoteTo(words, hn::LoadU(HalfWords(), labels))));
  const auto z = hn::LoadU(d, outputs);
  const auto x = hn::Xor(z, turn);
  const auto one = hn::Set(d, 1.0F), zero = hn::Zero(d);
  const auto t = hn::Exp(d, hn::Neg(hn::Abs(x)));
  const auto sigmoid = hn::Div(hn::IfThenElse(hn::Lt(x, zero), t, one), hn::Add(one, t));
  const auto error = hn::Xor(hn::Mul(sigmoid, hn::Set(d, share)), turn);
  const auto term = hn::Add(hn::Max(x, zero), hn::Log1p(d, t));
  // The functions and comparisons above lose what is no number.
  const auto lost = hn::IsNaN(z);
  hn::StoreU(hn::IfThenElse(lost, z, error), d, outputs);
  hn::StoreU(hn::IfThenElse(lost, z, term), d, terms);
}

void Binary(float* outputs, const std::uint16_t* labels, size_t count, float share, float* terms) {
  const size_t lanes = hn::Lanes(Floats());
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) binary_vector(outputs + i, labels + i, share, terms + i);
  if (i == count) return;
  // The rest by way of a full vector, so that it is rounded alike.
  float some[hn::MaxLanes(Floats())] = {}, losses[hn::MaxLanes(Floats())] = {};
  std::uint16_t classes[hn::MaxLanes(Floats())] = {};
  std::copy(outputs + i, outputs + count, some);
  std::copy(labels + i, labels + count, classes);
  binary_vector(some, classes, share, losses);
  std::copy_n(some, count - i, outputs + i);
  std::copy_n(losses, count - i, terms + i);
}

using Doubles = hn::ScalableTag<double>;
using HalfFloats = hn::Rebind<float, Doubles>;

HWY_INLINE double product(const float* left, const float* right, size_t width) {
  const Doubles d;
  const HalfFloats half;
  const size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a;  // four sums, to hide the latency of an addition
  const auto term = [&](size_t i) HWY_ATTR {
    return hn::Mul(hn::PromoteTo(d, hn::LoadU(half, left + i)),
                   hn::PromoteTo(d, hn::LoadU(half, right + i)));
  };
  size_t i = 0;
  for (; i + 4 * lanes <= width; i += 4 * lanes) {
    a = hn::Add(a, term(i));
    b = hn::Add(b, term(i + lanes));
    c = hn::Add(c, term(i + 2 * lanes));
    e = hn::Add(e, term(i + 3 * lanes));
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
  for (; i < width; ++i) sum += static_cast<double>(left[i]) * static_cast<double>(right[i]);
  return sum;
}

double InnerProduct(const float* a, const float* b, size_t width) { return product(a, b, width); }

void SquareNorms(const float* rows, size_t count, size_t width, double* out) {
  for (size_t i = 0; i < count; ++i) out[i] = product(rows + i * width, rows + i * width, width);
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(Binary);

namespace {

float number_or_infinity(double loss) {
  return std::isnan(loss) ? std::numeric_limits<float>::infinity() : static_cast<float>(loss);
}

// p = exp(z - max) / total; the label's own error is -(sum of the other p), not p - 1, which
// cancels; and log(total) is log1p(total - 1) when the largest is the label's.
float softmax_row(float* row, std::size_t classes, std::size_t label) {
  const float* largest = std::max_element(row, row + classes);
  const double top = *largest, own = row[label];
  const auto is_top = static_cast<std::size_t>(largest - row) == label;
  double others = 0;  // without the label's own
  for (std::size_t c = 0; c < classes; ++c) {
    row[c] = std::exp(static_cast<float>(row[c] - top));
    if (c != label) others += static_cast<double>(row[c]);
  }
  const double total = others + static_cast<double>(row[label]);
  for (std::size_t c = 0; c < classes; ++c) row[c] = static_cast<float>(row[c] / total);
  row[label] = static_cast<float>(-others / total);
  return number_or_infinity(is_top ? std::log1p(others) : std::log(total) + (top - own));
}

}  // namespace

void softmax_loss(float* outputs, const std::uint16_t* labels, std::size_t people,
                  std::size_t classes, float* losses) {
  for (std::size_t i = 0; i < people; ++i) {
    losses[i] = softmax_row(outputs + i * classes, classes, labels[i]);
  }
}

void binary_loss(float* outputs, const std::uint16_t* labels, std::size_t people, std::size_t count,
                 float* terms, float* losses) {
  const float share = 1.0F / static_cast<float>(count);
  HWY_DYNAMIC_DISPATCH(Binary)(outputs, labels, people * count, share, terms);
  for (std::size_t i = 0; i < people; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += static_cast<double>(terms[i * count + k]);
    losses[i] = number_or_infinity(sum / static_cast<double>(count));
  }
}

HWY_EXPORT(SquareNorms);

void square_norms(const float* rows, std::size_t count, std::size_t width, double* out) {
  HWY_DYNAMIC_DISPATCH(SquareNorms)(rows, count, width, out);
}

HWY_EXPORT(InnerProduct);

double inner_product(const float* a, const float* b, std::size_t width) {
  return HWY_DYNAMIC_DISPATCH(InnerProduct)(a, b, width);
}

}  // namespace ration
#endif  // HWY_ONCE
