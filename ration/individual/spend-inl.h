// The charges of a vector of norms, for kernels that are compiled once per instruction set. Lane by
// lane the same as SpendRule::charge, bit for bit: products are rounded one by one (no fused
// operations), and rare large charges are taken from SpendRule itself.
#if defined(RATION_INDIVIDUAL_SPEND_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RATION_INDIVIDUAL_SPEND_INL
#undef RATION_INDIVIDUAL_SPEND_INL
#else
#define RATION_INDIVIDUAL_SPEND_INL
#endif

#include <hwy/highway.h>

#include "ration/individual/spend.h"

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Counts = hn::RebindToUnsigned<Doubles>;

// One vector of norms as doubles, whatever they are stored as.
HWY_INLINE hn::Vec<Doubles> load_norms(const double* from) { return hn::LoadU(Doubles(), from); }
HWY_INLINE hn::Vec<Doubles> load_norms(const float* from) {
  const hn::Rebind<float, Doubles> narrow;
  return hn::PromoteTo(Doubles(), hn::LoadU(narrow, from));
}

// A function of its own, so that a VectorRule can stay in registers.
static HWY_NOINLINE hn::Vec<Counts> charge_one_by_one(const SpendRule& rule,
                                                      hn::Vec<Doubles> norms) {
  HWY_ALIGN double in[hn::MaxLanes(Doubles())];
  HWY_ALIGN Units out[hn::MaxLanes(Doubles())];
  hn::Store(norms, Doubles(), in);
  for (size_t i = 0; i < hn::Lanes(Doubles()); ++i) out[i] = rule.charge_unchecked(in[i]);
  return hn::Load(Counts(), out);
}

struct VectorRule {
  explicit HWY_INLINE VectorRule(const SpendRule& rule)
      : scalar(rule),
        clip(hn::Set(Doubles(), rule.clip())),
        scale(hn::Set(Doubles(), rule.scale())),
        cap(hn::Set(Doubles(), rule.plain_cap())) {}

  template <class Real>
  HWY_INLINE hn::Vec<Counts> charge(const Real* from) const {
    const Doubles d;
    const Counts counts;
    const auto norms = load_norms(from);
    const auto x = hn::IfThenElse(hn::Lt(norms, clip), norms, clip);  // as not a number
    const auto root = hn::Mul(x, scale);
    auto square = hn::Mul(root, root);
    // A float is at least 1e-45 and the scale at least 1e-31: their square does not underflow, and
    // its ceiling is at least one without help.
    if (sizeof(Real) == 8) square = hn::Max(square, hn::Min(x, hn::Set(d, 1)));
    const auto large = hn::Ge(square, hn::Set(d, kPlainUnits));
    if (HWY_UNLIKELY(!hn::AllFalse(d, large))) return charge_one_by_one(scalar, norms);
    // A whole number below 2^52 lies in the low bits of its sum with 2^52.
    const auto magic = hn::Set(d, 0x1p52);
    const auto sum = hn::Add(hn::Min(hn::Ceil(square), cap), magic);
    return hn::Sub(hn::BitCast(counts, sum), hn::BitCast(counts, magic));
  }

  const SpendRule& scalar;
  hn::Vec<Doubles> clip, scale, cap;
};

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
