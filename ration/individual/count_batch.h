// Counting norms in buckets, in vector instructions chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ration/individual/accounts.h"
#include "ration/individual/bucket_rule.h"

namespace ration {

// Counts and sums of shares, people x buckets each. Shares may be null: then they are not kept.
struct BucketRows {
  std::size_t buckets;
  std::uint32_t* counts;
  std::uint64_t* shares;

  BucketRows from(std::size_t person) const {
    return {.buckets = buckets,
            .counts = counts + person * buckets,
            .shares = shares == nullptr ? nullptr : shares + person * buckets};
  }
};

// For each step and person: one more in the bucket of the norm, and its share, unless it is zero.
// By a fast rule, in the default float environment. One thread; the people of a call should fit
// into the cache.
void count_batch(const BucketRule<float>& rule, const NormTable<float>& norms,
                 const BucketRows& rows);
void count_batch(const BucketRule<double>& rule, const NormTable<double>& norms,
                 const BucketRows& rows);

}  // namespace ration
