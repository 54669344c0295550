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
HWY_INLINE ComplexVector times(const ComplexVector& x, const double* HWY_RESTRICT m) {
  const Lane d;
  const auto mr = hn::Load(d, m), mi = hn::Load(d, m + kFftLanes);
  return {hn::NegMulAdd(x.imaginary, mi, hn::Mul(x.real, mr)),
          hn::MulAdd(x.imaginary, mr, hn::Mul(x.real, mi))};
}

// Coefficients of one frequency, one ticket to a lane. Most batches start from one row.
class Rows {
 public:
  explicit Rows(const double* const* rows) : rows_(rows) {
    for (size_t i = 1; i < kTicketsTogether; ++i) one_ = one_ && rows[i] == rows[0];
  }
  // Of the tickets first + lane, lane + 1, ...
  HWY_INLINE ComplexVector at(size_t k, size_t first) const {
    const Lane d;
    if (one_) return {hn::Set(d, rows_[0][2 * k]), hn::Set(d, rows_[0][2 * k + 1])};
    HWY_ALIGN double real[kFftLanes];
    HWY_ALIGN double imaginary[kFftLanes];
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      real[i] = rows_[first + i][2 * k];
      imaginary[i] = rows_[first + i][2 * k + 1];
    }
    return {hn::Load(d, real), hn::Load(d, imaginary)};
  }

 private:
  const double* const* rows_;
  bool one_ = true;
};

void Products(const double* const* row_starts, const double* HWY_RESTRICT multipliers, size_t count,
              size_t n, double* HWY_RESTRICT data) {
  const Lane d;
  const Rows rows(row_starts);
  constexpr size_t kValue = 2 * kFftLanes;
  for (size_t lane = 0; lane < kFftLanes; lane += hn::Lanes(d)) {
    // At frequency 0 everything is real.
    const double* HWY_RESTRICT m = multipliers + lane;
    hn::Store(hn::Mul(rows.at(0, lane).real, hn::Load(d, m)), d, data + lane);
    hn::Store(hn::Mul(rows.at(0, lane + kFftLanes).real, hn::Load(d, m + 2 * kFftLanes)), d,
              data + lane + kFftLanes);
    for (size_t k = 1; k < count; ++k) {
      m += kBatchRow;
      const ComplexVector a = times(rows.at(k, lane), m);
      const ComplexVector b = times(rows.at(k, lane + kFftLanes), m + 2 * kFftLanes);
      double* front = data + k * kValue + lane;
      double* back = data + (n - k) * kValue + lane;
      hn::Store(hn::Sub(a.real, b.imaginary), d, front);  // A + iB
      hn::Store(hn::Add(a.imaginary, b.real), d, front + kFftLanes);
      hn::Store(hn::Add(a.real, b.imaginary), d, back);  // of the conjugates
      hn::Store(hn::Sub(b.real, a.imaginary), d, back + kFftLanes);
    }
  }
  std::fill(data + count * kValue, data + (n - count + 1) * kValue, 0.0);
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

// |x + iy| <= max + (sqrt 2 - 1) min, on 0 <= min <= max, where equality holds at both ends of a
// convex function.
HWY_INLINE Vector modulus_up(Vector real, Vector imaginary) {
  const Lane d;
  const auto x = hn::Abs(real), y = hn::Abs(imaginary);
  return hn::MulAdd(hn::Set(d, 0.41421356237309515), hn::Min(x, y), hn::Max(x, y));
}

void DistancesOfCurvature(const double* const* row_starts, const double* HWY_RESTRICT multipliers,
                          const double* HWY_RESTRICT y, size_t count, double* HWY_RESTRICT to) {
  const Lane d;
  const Rows rows(row_starts);
  for (size_t lane = 0; lane < kFftLanes; lane += hn::Lanes(d)) {
    auto first = hn::Zero(d), second = hn::Zero(d);
    for (size_t k = 1; k < count; ++k) {
      const double* HWY_RESTRICT m = multipliers + k * kBatchRow + lane;
      const auto squared = hn::Set(d, static_cast<double>(k) * static_cast<double>(k));
      const auto yr = hn::Set(d, y[2 * k]), yi = hn::Set(d, y[2 * k + 1]);
      const ComplexVector a = times(rows.at(k, lane), m);
      const ComplexVector b = times(rows.at(k, lane + kFftLanes), m + 2 * kFftLanes);
      first = hn::MulAdd(squared, modulus_up(hn::Sub(a.real, yr), hn::Sub(a.imaginary, yi)), first);
      second =
          hn::MulAdd(squared, modulus_up(hn::Sub(b.real, yr), hn::Sub(b.imaginary, yi)), second);
    }
    hn::StoreU(first, d, to + lane);
    hn::StoreU(second, d, to + lane + kFftLanes);
  }
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(Products);
HWY_EXPORT(RaiseTo);
HWY_EXPORT(DistancesOfCurvature);

namespace {
// A complex number is two doubles, real part first.
const double* parts(const std::complex<double>* x) { return reinterpret_cast<const double*>(x); }

std::array<const double*, kTicketsTogether> row_parts(const BatchRows& rows) {
  std::array<const double*, kTicketsTogether> starts{};
  std::transform(rows.begin(), rows.end(), starts.begin(), parts);
  return starts;
}
}  // namespace

void products(const BatchRows& rows, const double* multipliers, std::size_t count, std::size_t n,
              double* data) {
  HWY_DYNAMIC_DISPATCH(Products)(row_parts(rows).data(), multipliers, count, n, data);
}
void raise_to(const double* data, std::size_t n, double* most) {
  HWY_DYNAMIC_DISPATCH(RaiseTo)(data, n, most);
}
std::array<double, kTicketsTogether> distances_of_curvature(const BatchRows& rows,
                                                            const double* multipliers,
                                                            const std::complex<double>* result,
                                                            std::size_t count) {
  std::array<double, kTicketsTogether> distances{};
  HWY_DYNAMIC_DISPATCH(DistancesOfCurvature)
  (row_parts(rows).data(), multipliers, parts(result), count, distances.data());
  return distances;
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
