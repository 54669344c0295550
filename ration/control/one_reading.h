// Norms are the caller's: another thread, or another process whose file they are, may change them
// at any time. What decides and what charges must see the same numbers, and those that were
// checked. So nothing here looks at the caller's memory twice: it is copied once, and only the copy
// is looked at. OpenMP inside. docs/math/filters.md
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "ration/base/people.h"
#include "ration/control/currency.h"
#include "ration/individual/norms.h"

namespace ration {

// All of them. Refuses what is not a norm, with its person and its step.
class OwnNorms {
 public:
  OwnNorms(const Norms& norms, std::uint64_t step);

  Norms all() const {
    return std::visit([](const auto& own) -> Norms { return std::span(own); }, own_);
  }
  Norms part(std::size_t from, std::size_t count) const { return part_of(all(), from, count); }

 private:
  std::variant<std::vector<float>, std::vector<double>> own_;
};

// A tile at a time, in the cache, for one pass over very many people: no room for a copy of all of
// them is needed, nor the time to fill it. If one is found that is not a norm, what was done for
// the others has to be undone, for the same norms: these are read again, and the prints say whether
// they are the same.
template <class Real>
class TilesOfNorms {
 public:
  explicit TilesOfNorms(std::span<const Real> norms)
      : norms_(norms), key_(print_key()), read_((norms.size() + kMostCopied - 1) / kMostCopied) {}

  // use(first person, norms) for each tile that holds nothing else. Whether all were such.
  template <class Use>
  bool each(const Use& use) {
    std::atomic<bool> all = true;
    each_copy([&](std::size_t tile, const NormsRead& now, std::span<const Real> own) {
      read_[tile] = now;
      if (now.are_norms)
        use(tile * kMostCopied, own);
      else
        all = false;
    });
    return all;
  }

  // The same for the same tiles, but for those that have changed since. Whether none has.
  template <class Use>
  bool each_again(const Use& use) {
    std::atomic<bool> all = true;
    each_copy([&](std::size_t tile, const NormsRead& now, std::span<const Real> own) {
      if (!read_[tile].are_norms) return;
      if (now.are_norms && now.print == read_[tile].print)
        use(tile * kMostCopied, own);
      else
        all = false;
    });
    return all;
  }

 private:
  static_assert(kPeopleInBlock % kMostCopied == 0);  // tiles have numbers

  template <class Use>
  void each_copy(const Use& use) {
    for_blocks_of_people(norms_.size(), [&](std::size_t begin, std::size_t count) {
      std::array<Real, kMostCopied> own;
      for (std::size_t from = begin; from < begin + count; from += kMostCopied) {
        const auto tile = norms_.subspan(from, std::min(kMostCopied, begin + count - from));
        const NormsRead now = copy_norms(key_, tile, own.data());
        use(from / kMostCopied, now, std::span<const Real>(own.data(), tile.size()));
      }
    });
  }

  std::span<const Real> norms_;
  const PrintKey& key_;
  std::vector<NormsRead> read_;
};

}  // namespace ration
