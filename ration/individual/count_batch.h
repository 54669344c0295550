// Counting norms in buckets, in vector instructions chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ration/individual/accounts.h"
#include "ration/individual/bucket_rule.h"

namespace ration {

// For each step and person: one more in the bucket of the norm, unless it is zero. `counts` is
// people x buckets. One thread; the people of a call should fit into the cache.
void count_batch(const BucketLookup<float>& lookup, const NormTable<float>& norms,
                 std::size_t buckets, std::uint32_t* counts);
void count_batch(const BucketLookup<double>& lookup, const NormTable<double>& norms,
                 std::size_t buckets, std::uint32_t* counts);

}  // namespace ration
