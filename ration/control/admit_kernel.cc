// Compiled once per instruction set; the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/control/admit_kernel.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstring>

#include "ration/control/admit_kernel.h"
#include "ration/individual/spend-inl.h"

#ifndef RATION_CONTROL_ADMIT_SPREAD
#define RATION_CONTROL_ADMIT_SPREAD
namespace ration {
// Bit i of the index becomes byte i.
inline constexpr auto kSpread = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::uint64_t bits = 0; bits < 256; ++bits) {
    for (int i = 0; i < 8; ++i) table[bits] |= (bits >> i & 1) << (8 * i);
  }
  return table;
}();
static_assert(std::endian::native == std::endian::little);
}  // namespace ration
#endif

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {

// Admits one vector of people; the low bits of the result say whom.
template <class Real>
HWY_INLINE unsigned admit_vector(const VectorRule& rule, const Real* norms, Units* spent_by,
                                 hn::Vec<Counts> budget) {
  const Counts counts;
  const auto charge = rule.charge(norms);
  const auto spent = hn::LoadU(counts, spent_by);
  const auto halted = hn::Lt(hn::Sub(budget, spent), charge);  // unsigned
  hn::StoreU(hn::Add(spent, hn::IfThenZeroElse(halted, charge)), counts, spent_by);
  std::uint8_t bits = 0;
  hn::StoreMaskBits(counts, hn::Not(halted), &bits);
  return bits;
}

// budget_at(i) is a vector of the budgets of the people from i on. The arrays do not overlap;
// saying so keeps the constants in registers.
template <class Real, class BudgetAt>
HWY_INLINE size_t admit_vectors(const SpendRule& rule, const Real* HWY_RESTRICT norms,
                                Units* HWY_RESTRICT spent, std::uint8_t* HWY_RESTRICT mask,
                                size_t count, const BudgetAt& budget_at) {
  const VectorRule vector(rule);
  const size_t lanes = hn::Lanes(Doubles());
  size_t i = 0;
  for (; lanes <= 8 && i + 8 <= count; i += 8) {
    unsigned bits = 0;
    for (size_t k = 0; k < 8; k += lanes) {
      bits |= admit_vector(vector, norms + i + k, spent + i + k, budget_at(i + k)) << k;
    }
    std::memcpy(mask + i, &kSpread[bits], 8);
  }
  return i;
}

template <class Real>
void admit_all(const SpendRule& rule, const Real* norms, const Purses& purses, std::uint8_t* mask,
               size_t count) {
  const Counts counts;
  size_t i = 0;
  if (purses.stride == 0) {
    const auto common = hn::Set(counts, purses.budgets[0]);
    i = admit_vectors(rule, norms, purses.spent, mask, count,
                      [&](size_t) HWY_ATTR { return common; });
  } else {
    const Units* budgets = purses.budgets;
    i = admit_vectors(rule, norms, purses.spent, mask, count,
                      [&](size_t k) HWY_ATTR { return hn::LoadU(counts, budgets + k); });
  }
  for (; i < count; ++i) {
    const Units charge = rule.charge_unchecked(norms[i]);
    const Units budget = purses.budgets[i * purses.stride];
    const bool fits = charge <= budget - purses.spent[i];
    if (fits) purses.spent[i] += charge;
    mask[i] = static_cast<std::uint8_t>(fits);
  }
}

void AdmitFloats(const SpendRule& rule, const float* norms, const Purses& purses,
                 std::uint8_t* mask, size_t count) {
  admit_all(rule, norms, purses, mask, count);
}
void AdmitDoubles(const SpendRule& rule, const double* norms, const Purses& purses,
                  std::uint8_t* mask, size_t count) {
  admit_all(rule, norms, purses, mask, count);
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
