// The loops that fill accounts, over tiles of people whose accounts stay in the cache while all
// steps pass. A person belongs to one tile, so that the number of threads changes nothing.
//
// Norms are valid (norms.h). If another thread changes one meanwhile, its person is charged once,
// for what was read: not a number counts as the clip bound, anything else by its size. Nothing
// throws and no memory is asked for.
#pragma once

#include "ration/individual/accounts.h"
#include "ration/individual/bucket_rule.h"
#include "ration/individual/count_batch.h"
#include "ration/individual/spend.h"

namespace ration {

// Counts each norm that is not zero in its bucket, with its share there.
template <class Real>
void count(const BucketRule<Real>& rule, const NormTable<Real>& norms, const BucketRows& rows);
// One norm, `times` times.
template <class Real>
void count_one(const BucketRule<Real>& rule, Real norm, std::uint32_t times,
               const BucketRows& rows);

// Adds each norm's charge to its person's total.
template <class Real>
void spend(const SpendRule& rule, const NormTable<Real>& norms, AccountsState::Unsampled* people);
// For one row, times[i] of them.
void spend_repeatedly(const SpendRule& rule, std::span<const float> norms,
                      std::span<const std::uint32_t> times, AccountsState::Unsampled* people);

}  // namespace ration
