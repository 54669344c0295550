// Compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/control/admit_kernel.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include "ration/control/admit-inl.h"
#include "ration/control/admit_kernel.h"
#include "ration/individual/spend-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {

struct SquareCosts {
  explicit HWY_INLINE SquareCosts(const SpendRule& rule) : vector(rule) {}

  template <class Real>
  HWY_INLINE hn::Mask<Counts> cost(const Real* norms, hn::Vec<Counts> left,
                                   hn::Vec<Counts>& paid) const {
    const auto charge = vector.charge(norms);
    const auto halted = hn::Lt(left, charge);  // unsigned
    paid = hn::IfThenZeroElse(halted, charge);
    return halted;
  }
  HWY_INLINE bool cost_of(double norm, Units left, Units& paid) const {
    paid = vector.scalar.charge_unchecked(norm);
    return paid <= left;
  }

  VectorRule vector;
};

void AdmitFloats(const SpendRule& rule, const float* norms, const Purses& purses,
                 std::uint8_t* mask, size_t count) {
  admit_all(SquareCosts(rule), norms, purses, mask, count);
}
void AdmitDoubles(const SpendRule& rule, const double* norms, const Purses& purses,
                  std::uint8_t* mask, size_t count) {
  admit_all(SquareCosts(rule), norms, purses, mask, count);
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(AdmitFloats);
HWY_EXPORT(AdmitDoubles);

void admit_batch(const SpendRule& rule, const float* norms, const Purses& purses,
                 std::uint8_t* mask, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AdmitFloats)(rule, norms, purses, mask, count);
}
void admit_batch(const SpendRule& rule, const double* norms, const Purses& purses,
                 std::uint8_t* mask, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AdmitDoubles)(rule, norms, purses, mask, count);
}

}  // namespace ration
#endif  // HWY_ONCE
