// Places of norms (BucketLookup) are computed in vectors; look-ups and counts are one by one, since
// gathering is no faster and two people never share a count. Each count is of one reading of a
// norm, and within the table whatever was read.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ration/individual/count_batch.cc"
#include <hwy/foreach_target.h>  // must come first
// clang-format does not move what follows
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "ration/individual/count_batch.h"
#include "ration/individual/norms.h"

HWY_BEFORE_NAMESPACE();
namespace ration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kGroup = 32;  // people at a time; a whole number of vectors of any width
constexpr size_t kLine = 64;   // bytes

// Below 2^31 or 2^63: as signed numbers they compare the same, which old processors can do.
template <class Real>
struct Places {
  using D = hn::RebindToSigned<hn::CappedTag<Real, kGroup>>;
  using Signed = hn::TFromD<D>;

  explicit HWY_INLINE Places(const BucketLookup<Real>& lookup)
      : low(hn::Set(D(), static_cast<Signed>(lookup.low))),
        high(hn::Set(D(), static_cast<Signed>(lookup.high))),
        magnitude(hn::Set(D(), static_cast<Signed>(BucketRule<Real>::kMagnitude))) {}

  // Whether none of the group's norms is zero.
  HWY_INLINE bool compute(const Real* norms, Signed* places) const {
    const D d;
    auto least = magnitude;
    for (size_t i = 0; i < kGroup; i += hn::Lanes(d)) {
      const auto loaded = hn::LoadU(d, reinterpret_cast<const Signed*>(norms + i));
      const auto bits = hn::And(loaded, magnitude);
      least = hn::Min(least, bits);
      hn::Store(hn::Sub(hn::Min(hn::Max(bits, low), high), low), d, places + i);
    }
    return hn::AllFalse(d, hn::Eq(least, hn::Zero(d)));
  }

  hn::Vec<D> low, high, magnitude;
};

template <class Real>
HWY_INLINE void count_one_by_one(const BucketLookup<Real>& lookup, const Real* norms, size_t people,
                                 size_t buckets, uint32_t* counts) {
  for (size_t p = 0; p < people; ++p, counts += buckets) {
    const auto bits = BucketRule<Real>::bits_of(read_once(norms[p]));
    counts[lookup.bucket(bits)] += static_cast<uint32_t>(bits != 0);
  }
}

// With kFetch the counts are asked for before any of the group is needed: for people whose counts
// are not in the cache.
template <bool kFetch, class Real>
HWY_INLINE void count_row(const BucketLookup<Real>& given, const Places<Real>& places,
                          const Real* norms, size_t people, size_t buckets, uint32_t* counts) {
  const BucketLookup<Real> lookup = given;
  HWY_ALIGN typename Places<Real>::Signed place[kGroup];
  size_t p = 0;
  for (; p + kGroup <= people; p += kGroup, counts += kGroup * buckets) {
    if (HWY_UNLIKELY(!places.compute(norms + p, place))) {
      count_one_by_one(lookup, norms + p, kGroup, buckets, counts);
      continue;
    }
    uint32_t* at[kGroup];
    uint32_t* row = counts;
    for (size_t i = 0; i < kGroup; ++i, row += buckets) {
      const auto x = static_cast<BitsOf<Real>>(place[i]);
      const auto bucket = static_cast<BitsOf<Real>>(lookup.words[x >> lookup.shift] - x);
      if constexpr (kFetch) {
        at[i] = row + (bucket >> lookup.shift);
        hwy::Prefetch(at[i]);
      } else {
        ++row[bucket >> lookup.shift];
      }
    }
    if constexpr (kFetch) {
      for (uint32_t* count : at) ++*count;
    }
  }
  count_one_by_one(lookup, norms + p, people - p, buckets, counts);
}

template <class Real>
void count_steps(const BucketLookup<Real>& lookup, const NormTable<Real>& norms, size_t buckets,
                 uint32_t* counts) {
  const Places<Real> places(lookup);
  if (norms.steps == 1) {
    return count_row<true>(lookup, places, norms.data, norms.people, buckets, counts);
  }
  for (size_t s = 0; s < norms.steps; ++s) {
    const Real* row = norms.data + s * norms.stride;
    if (s + 1 < norms.steps) {  // rows are far apart: the processor does not guess the next one
      const Real* next = row + norms.stride;
      for (size_t p = 0; p < norms.people; p += kLine / sizeof(Real)) hwy::Prefetch(next + p);
    }
    count_row<false>(lookup, places, row, norms.people, buckets, counts);
  }
}

void CountFloats(const BucketLookup<float>& lookup, const NormTable<float>& norms, size_t buckets,
                 uint32_t* counts) {
  count_steps(lookup, norms, buckets, counts);
}
void CountDoubles(const BucketLookup<double>& lookup, const NormTable<double>& norms,
                  size_t buckets, uint32_t* counts) {
  count_steps(lookup, norms, buckets, counts);
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(CountFloats);
HWY_EXPORT(CountDoubles);

void count_batch(const BucketLookup<float>& lookup, const NormTable<float>& norms,
                 std::size_t buckets, std::uint32_t* counts) {
  HWY_DYNAMIC_DISPATCH(CountFloats)(lookup, norms, buckets, counts);
}
void count_batch(const BucketLookup<double>& lookup, const NormTable<double>& norms,
                 std::size_t buckets, std::uint32_t* counts) {
  HWY_DYNAMIC_DISPATCH(CountDoubles)(lookup, norms, buckets, counts);
}

}  // namespace ration
#endif  // HWY_ONCE
