// Charges in bulk, compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/individual/spend_batch.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include "ration/base/float_environment.h"
#include "ration/individual/spend-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {

template <class Real>
void charge_all(const SpendRule& rule, const Real* norms, Units* out, size_t count) {
  const VectorRule vector(rule);
  const size_t lanes = hn::Lanes(Doubles());
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(vector.charge(norms + i), Counts(), out + i);
  }
  for (; i < count; ++i) out[i] = rule.charge_unchecked(norms[i]);
}

void ChargeFloats(const SpendRule& rule, const float* norms, Units* out, size_t count) {
  charge_all(rule, norms, out, count);
}
void ChargeDoubles(const SpendRule& rule, const double* norms, Units* out, size_t count) {
  charge_all(rule, norms, out, count);
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(ChargeFloats);
HWY_EXPORT(ChargeDoubles);

void charges(const SpendRule& rule, std::span<const float> norms, std::span<Units> out) {
  const DefaultFloatEnvironment environment;
  HWY_DYNAMIC_DISPATCH(ChargeFloats)(rule, norms.data(), out.data(), norms.size());
}
void charges(const SpendRule& rule, std::span<const double> norms, std::span<Units> out) {
  const DefaultFloatEnvironment environment;
  HWY_DYNAMIC_DISPATCH(ChargeDoubles)(rule, norms.data(), out.data(), norms.size());
}

}  // namespace ration
#endif  // HWY_ONCE
