// The loop of filters with one place, for kernels that are compiled once per instruction set: who
// takes part, and what they have spent then. A Rule says what a step costs them:
//     mask cost(norms, left, paid)  of a vector of people: who is halted, and what the others pay
//     bool cost_of(norm, left, paid)  the same of one person
#if defined(RATION_CONTROL_ADMIT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RATION_CONTROL_ADMIT_INL
#undef RATION_CONTROL_ADMIT_INL
#else
#define RATION_CONTROL_ADMIT_INL
#endif

#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstring>

#include "ration/control/purse.h"

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
namespace hn = hwy::HWY_NAMESPACE;

using Counts = hn::ScalableTag<Units>;

// Admits one vector of people; the low bits of the result say whom.
template <class Rule, class Real>
HWY_INLINE unsigned admit_vector(const Rule& rule, const Real* norms, Units* spent_by,
                                 hn::Vec<Counts> budget) {
  const Counts counts;
  const auto spent = hn::LoadU(counts, spent_by);
  auto paid = hn::Zero(counts);
  const auto halted = rule.cost(norms, hn::Sub(budget, spent), paid);
  hn::StoreU(hn::Add(spent, paid), counts, spent_by);
  std::uint8_t bits = 0;
  hn::StoreMaskBits(counts, hn::Not(halted), &bits);
  return bits;
}

// budget_at(i) is a vector of the budgets of the people from i on. The arrays do not overlap;
// saying so keeps the constants in registers.
template <class Rule, class Real, class BudgetAt>
HWY_INLINE size_t admit_vectors(const Rule& rule, const Real* HWY_RESTRICT norms,
                                Units* HWY_RESTRICT spent, std::uint8_t* HWY_RESTRICT mask,
                                size_t count, const BudgetAt& budget_at) {
  const size_t lanes = hn::Lanes(Counts());
  size_t i = 0;
  for (; lanes <= 8 && i + 8 <= count; i += 8) {
    unsigned bits = 0;
    for (size_t k = 0; k < 8; k += lanes) {
      bits |= admit_vector(rule, norms + i + k, spent + i + k, budget_at(i + k)) << k;
    }
    std::memcpy(mask + i, &kSpread[bits], 8);
  }
  return i;
}

template <class Rule, class Real>
HWY_INLINE void admit_all(const Rule& rule, const Real* norms, const Purses& purses,
                          std::uint8_t* mask, size_t count) {
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
    Units paid = 0;
    const bool fits =
        rule.cost_of(norms[i], purses.budgets[i * purses.stride] - purses.spent[i], paid);
    if (fits) purses.spent[i] += paid;
    mask[i] = static_cast<std::uint8_t>(fits);
  }
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
