#include "ration/individual/accounts_fill.h"

#include <algorithm>
#include <array>

#include "ration/base/float_environment.h"
#include "ration/individual/norms.h"

namespace ration {
namespace {

constexpr std::size_t kTileBytes = std::size_t{1} << 17;  // a part of any second-level cache
constexpr std::size_t kSpendWidth = 1024;                 // people whose charges are
constexpr std::size_t kGroup = 32;                        // people that the kernel takes at once
constexpr std::size_t kParallelFrom = std::size_t{1} << 16;

struct Tiles {
  std::size_t people, width;
  std::size_t count() const { return (people + width - 1) / width; }
  std::size_t from(std::size_t tile) const { return tile * width; }
  std::size_t to(std::size_t tile) const { return std::min(people, (tile + 1) * width); }
};

Tiles tiles_of(std::size_t people, std::size_t bytes_per_person) {
  const std::size_t fit = kTileBytes / bytes_per_person / kGroup * kGroup;
  return {.people = people, .width = std::clamp<std::size_t>(fit, kGroup, 4096)};
}

template <class Real>
void count_by_search(const BucketRule<Real>& rule, const NormTable<Real>& norms,
                     const BucketRows& rows) {
  for (std::size_t s = 0; s < norms.steps; ++s) {
    for (std::size_t p = 0; p < norms.people; ++p) {
      count_one(rule, read_once(norms.data[s * norms.stride + p]), 1, rows.from(p));
    }
  }
}

}  // namespace

template <class Real>
void count_one(const BucketRule<Real>& rule, Real norm, std::uint32_t times,
               const BucketRows& rows) {
  if (BucketRule<Real>::bits_of(norm) == 0) return;
  const std::size_t bucket = rule.bucket(norm);
  rows.counts[bucket] += times;
  if (rows.shares != nullptr) {
    rows.shares[bucket] += std::uint64_t{rule.share(bucket, norm)} * times;
  }
}

template <class Real>
void count(const BucketRule<Real>& rule, const NormTable<Real>& norms, const BucketRows& rows) {
  const std::size_t each =
      sizeof(std::uint32_t) + (rows.shares == nullptr ? 0 : sizeof(std::uint64_t));
  const Tiles tiles = tiles_of(norms.people, rows.buckets * each);
#pragma omp parallel for schedule(static) if (norms.people * norms.steps > kParallelFrom)
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    const DefaultFloatEnvironment environment;  // each thread has its own
    const std::size_t from = tiles.from(tile);
    const NormTable<Real> part = {.data = norms.data + from,
                                  .steps = norms.steps,
                                  .people = tiles.to(tile) - from,
                                  .stride = norms.stride};
    if (rule.fast()) {
      count_batch(rule, part, rows.from(from));
    } else {
      count_by_search(rule, part, rows.from(from));
    }
  }
}

template <class Real>
void spend(const SpendRule& rule, const NormTable<Real>& norms, AccountsState::Unsampled* people) {
  const Tiles tiles = {.people = norms.people, .width = kSpendWidth};
#pragma omp parallel for schedule(static) if (norms.people * norms.steps > kParallelFrom)
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    const std::size_t from = tiles.from(tile), size = tiles.to(tile) - from;
    std::array<Units, kSpendWidth> charge;
    for (std::size_t s = 0; s < norms.steps; ++s) {
      const std::span<const Real> row(norms.data + s * norms.stride + from, size);
      charges(rule, row, {charge.data(), size});
      for (std::size_t p = 0; p < size; ++p) people[from + p].add(charge[p]);
    }
  }
}

void spend_repeatedly(const SpendRule& rule, std::span<const float> norms,
                      std::span<const std::uint32_t> times, AccountsState::Unsampled* people) {
  const Tiles tiles = {.people = norms.size(), .width = kSpendWidth};
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    const std::size_t from = tiles.from(tile), size = tiles.to(tile) - from;
    std::array<Units, kSpendWidth> charge;
    charges(rule, norms.subspan(from, size), {charge.data(), size});
    for (std::size_t p = 0; p < size; ++p) people[from + p].add(charge[p], times[from + p]);
  }
}

template void count(const BucketRule<float>&, const NormTable<float>&, const BucketRows&);
template void count(const BucketRule<double>&, const NormTable<double>&, const BucketRows&);
template void count_one(const BucketRule<float>&, float, std::uint32_t, const BucketRows&);
template void count_one(const BucketRule<double>&, double, std::uint32_t, const BucketRows&);
template void spend(const SpendRule&, const NormTable<float>&, AccountsState::Unsampled*);
template void spend(const SpendRule&, const NormTable<double>&, AccountsState::Unsampled*);

}  // namespace ration
