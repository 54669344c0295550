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

// Magnitudes are below 2^31 or 2^63: as signed numbers they compare the same, which old processors
// can do.
template <class Real>
struct Places {
  using D = hn::RebindToSigned<hn::CappedTag<Real, kGroup>>;
  using Signed = hn::TFromD<D>;
  using Doubles = hn::CappedTag<double, kGroup>;

  explicit HWY_INLINE Places(const BucketRule<Real>& rule)
      : low(hn::Set(D(), static_cast<Signed>(rule.lookup().low))),
        high(hn::Set(D(), static_cast<Signed>(rule.lookup().high))),
        magnitude(hn::Set(D(), static_cast<Signed>(BucketRule<Real>::kMagnitude))),
        clip(hn::Set(Doubles(), rule.clip())) {}

  // Of a group: its places, and the squares of its norms, clipped. Says whether none is zero.
  HWY_INLINE bool compute(const Real* norms, Signed* places, double* squares) const {
    const D d;
    HWY_ALIGN Signed read[kGroup];
    auto least = magnitude;
    for (size_t i = 0; i < kGroup; i += hn::Lanes(d)) {
      const auto loaded = hn::LoadU(d, reinterpret_cast<const Signed*>(norms + i));
      const auto bits = hn::And(loaded, magnitude);
      least = hn::Min(least, bits);
      hn::Store(bits, d, read + i);
      hn::Store(hn::Sub(hn::Min(hn::Max(bits, low), high), low), d, places + i);
    }
    const Doubles doubles;
    for (size_t i = 0; i < kGroup; i += hn::Lanes(doubles)) {
      const auto norm = load(reinterpret_cast<const Real*>(read + i));
      const auto x = hn::IfThenElse(hn::Lt(norm, clip), norm, clip);  // as not a number
      hn::Store(hn::Mul(x, x), doubles, squares + i);
    }
    return hn::AllFalse(d, hn::Eq(least, hn::Zero(d)));
  }

  static HWY_INLINE hn::Vec<Doubles> load(const double* from) { return hn::LoadU(Doubles(), from); }
  static HWY_INLINE hn::Vec<Doubles> load(const float* from) {
    return hn::PromoteTo(Doubles(), hn::LoadU(hn::Rebind<float, Doubles>(), from));
  }

  hn::Vec<D> low, high, magnitude;
  hn::Vec<Doubles> clip;
};

template <bool kShares, class Real>
HWY_INLINE void count_one_by_one(const BucketRule<Real>& rule, const Real* norms, size_t people,
                                 BucketRows rows) {
  for (size_t p = 0; p < people; ++p, rows = rows.from(1)) {
    const Real norm = read_once(norms[p]);
    if (BucketRule<Real>::bits_of(norm) == 0) continue;
    const size_t bucket = rule.bucket(norm);
    ++rows.counts[bucket];
    if constexpr (kShares) rows.shares[bucket] += rule.share(bucket, norm);
  }
}

// With kFetch the counts are asked for before any of the group is needed: for people whose counts
// are not in the cache.
template <bool kFetch, bool kShares, class Real>
HWY_INLINE void count_row(const BucketRule<Real>& rule, const Places<Real>& places,
                          const Real* norms, size_t people, BucketRows rows) {
  const BucketLookup<Real> lookup = rule.lookup();
  const ShareLine* const lines = rule.lines();
  HWY_ALIGN typename Places<Real>::Signed place[kGroup];
  HWY_ALIGN double square[kGroup];
  size_t p = 0;
  for (; p + kGroup <= people; p += kGroup, rows = rows.from(kGroup)) {
    if (HWY_UNLIKELY(!places.compute(norms + p, place, square))) {
      count_one_by_one<kShares>(rule, norms + p, kGroup, rows);
      continue;
    }
    size_t at[kGroup];
    uint32_t share[kGroup];
    size_t row = 0;
    for (size_t i = 0; i < kGroup; ++i, row += rows.buckets) {
      const auto x = static_cast<BitsOf<Real>>(place[i]);
      const auto word = static_cast<BitsOf<Real>>(lookup.words[x >> lookup.shift] - x);
      const size_t bucket = word >> lookup.shift;
      at[i] = row + bucket;
      if constexpr (kShares) share[i] = lines[bucket].share(square[i]);
      if constexpr (kFetch) {
        hwy::Prefetch(rows.counts + at[i]);
        if constexpr (kShares) hwy::Prefetch(rows.shares + at[i]);
      } else {
        ++rows.counts[at[i]];
        if constexpr (kShares) rows.shares[at[i]] += share[i];
      }
    }
    if constexpr (kFetch) {
      for (size_t i = 0; i < kGroup; ++i) {
        ++rows.counts[at[i]];
        if constexpr (kShares) rows.shares[at[i]] += share[i];
      }
    }
  }
  count_one_by_one<kShares>(rule, norms + p, people - p, rows);
}

template <bool kShares, class Real>
void count_steps(const BucketRule<Real>& rule, const NormTable<Real>& norms,
                 const BucketRows& rows) {
  const Places<Real> places(rule);
  if (norms.steps == 1) {
    return count_row<true, kShares>(rule, places, norms.data, norms.people, rows);
  }
  for (size_t s = 0; s < norms.steps; ++s) {
    const Real* row = norms.data + s * norms.stride;
    if (s + 1 < norms.steps) {  // rows are far apart: the processor does not guess the next one
      const Real* next = row + norms.stride;
      for (size_t p = 0; p < norms.people; p += kLine / sizeof(Real)) hwy::Prefetch(next + p);
    }
    count_row<false, kShares>(rule, places, row, norms.people, rows);
  }
}

template <class Real>
void count_all(const BucketRule<Real>& rule, const NormTable<Real>& norms, const BucketRows& rows) {
  if (rows.shares == nullptr) return count_steps<false>(rule, norms, rows);
  count_steps<true>(rule, norms, rows);
}

void CountFloats(const BucketRule<float>& rule, const NormTable<float>& norms,
                 const BucketRows& rows) {
  count_all(rule, norms, rows);
}
void CountDoubles(const BucketRule<double>& rule, const NormTable<double>& norms,
                  const BucketRows& rows) {
  count_all(rule, norms, rows);
}

}  // namespace ration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ration {

HWY_EXPORT(CountFloats);
HWY_EXPORT(CountDoubles);

void count_batch(const BucketRule<float>& rule, const NormTable<float>& norms,
                 const BucketRows& rows) {
  HWY_DYNAMIC_DISPATCH(CountFloats)(rule, norms, rows);
}
void count_batch(const BucketRule<double>& rule, const NormTable<double>& norms,
                 const BucketRows& rows) {
  HWY_DYNAMIC_DISPATCH(CountDoubles)(rule, norms, rows);
}

}  // namespace ration
#endif  // HWY_ONCE
