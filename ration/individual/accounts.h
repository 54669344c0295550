// Everybody's account: for each person, how many steps fell into each bucket of noise ratios, per
// sampling rate, and for steps without sampling their exact spend in whole units. Filled from a
// stream of steps; not for two threads at once. What it holds is private. docs/math/individual.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/individual/buckets.h"
#include "ration/individual/spend.h"
#include "ration/individual/step.h"

namespace ration {

// Norms of many steps: row-major, one row per step, rows `stride` apart.
template <class Real>
struct NormTable {
  const Real* data;
  std::size_t steps, people, stride;
};

class Accounts {
 public:
  Accounts(std::size_t people, Buckets buckets);

  // Charges everybody for one step, a listed subset for one step (the others pay nothing), or
  // everybody for many like steps. Norms above the clip bound count as the clip bound; zero costs
  // nothing; a norm that is negative, infinite or not a number is refused with its person and its
  // step (counted from 0 over all steps seen), and then nobody has been charged for any step of the
  // call. Less noise than the first bucket's edge is refused when the rate is below 1.
  template <class Real>
  void charge(const Step& step, std::span<const Real> norms);
  template <class Real>
  void charge(const Step& step, std::span<const std::size_t> who, std::span<const Real> norms);
  template <class Real>
  void charge(const Step& step, const NormTable<Real>& norms);

  std::size_t people() const;
  std::uint64_t steps() const;
  const Buckets& buckets() const;

  // The rates below 1 seen so far, in order of appearance, and a person's counts under each.
  std::span<const Rate> rates() const;
  std::span<const std::uint32_t> counts(std::size_t rate, std::size_t person) const;

  // Steps at rate 1: each charge is rounded up by at most two units, so that the true sum of mu^2
  // lies between total - 2 charges and total.
  struct Unsampled {
    Units total = 0;
    std::uint64_t charges = 0;
  };
  Unsampled unsampled(std::size_t person) const;
};

}  // namespace ration
