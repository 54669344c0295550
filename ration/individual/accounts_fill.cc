#include "ration/individual/accounts_fill.h"

#include <algorithm>
#include <array>

#include "ration/individual/count_batch.h"
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
                     std::size_t buckets, std::uint32_t* counts) {
  for (std::size_t s = 0; s < norms.steps; ++s) {
    for (std::size_t p = 0; p < norms.people; ++p) {
      const auto bits = BucketRule<Real>::bits_of(read_once(norms.data[s * norms.stride + p]));
      if (bits != 0) ++counts[p * buckets + rule.search(bits)];
    }
  }
}

}  // namespace

template <class Real>
void count(const BucketRule<Real>& rule, const NormTable<Real>& norms, std::size_t buckets,
           std::uint32_t* counts) {
  const Tiles tiles = tiles_of(norms.people, buckets * sizeof(std::uint32_t));
#pragma omp parallel for schedule(static) if (norms.people * norms.steps > kParallelFrom)
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    const std::size_t from = tiles.from(tile);
    const NormTable<Real> part = {.data = norms.data + from,
                                  .steps = norms.steps,
                                  .people = tiles.to(tile) - from,
                                  .stride = norms.stride};
    if (rule.fast()) {
      count_batch(rule.lookup(), part, buckets, counts + from * buckets);
    } else {
      count_by_search(rule, part, buckets, counts + from * buckets);
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

template void count(const BucketRule<float>&, const NormTable<float>&, std::size_t, std::uint32_t*);
template void count(const BucketRule<double>&, const NormTable<double>&, std::size_t,
                    std::uint32_t*);
template void spend(const SpendRule&, const NormTable<float>&, AccountsState::Unsampled*);
template void spend(const SpendRule&, const NormTable<double>&, AccountsState::Unsampled*);

}  // namespace ration
