// What sampled steps cost under the tight filter: a list fixed before the run, in whole units of
// what a person has left. Any list is sound, for its delta is computed (worst_adversary.h); a good
// one admits many steps at that delta. Values and pure functions. docs/math/tight_filter.md
//
// A step at the clip bound costs kWholeStep units. A step of more noise (a smaller norm) costs what
// the last entry with no more noise and no smaller rate says. Near the end, with fewer than
// near_the_end() units left, every step costs a whole one.
#pragma once

#include <cstdint>
#include <vector>

#include "ration/base/values.h"
#include "ration/individual/units.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

struct PricedStep {
  SubsampledGaussian step;  // the least noise and the largest rate that are paid for; rate 1 too
  Units price;
};

class PriceList {
 public:
  static constexpr Units kWholeStep = Units{1} << 20;
  static constexpr std::size_t kMostEntries = 512;
  static constexpr std::uint32_t kMostLastSteps = 1'000'000;

  // The first entry is the step at the clip bound, at kWholeStep. The others follow in order of
  // increasing noise, at no larger rate or price; no price is below kWholeStep / 65536. The end is
  // near when fewer than last_steps + 1 whole steps are left; last_steps is at least 1. Refuses
  // what is not so.
  PriceList(std::vector<PricedStep> entries, std::uint32_t last_steps);

  const std::vector<PricedStep>& entries() const { return entries_; }
  const SubsampledGaussian& worst() const { return entries_.front().step; }
  std::uint32_t last_steps() const { return last_steps_; }
  Units near_the_end() const { return (Units{last_steps_} + 1) * kWholeStep; }

  // The place of the cheapest entry that pays for this step. Refuses less noise, or a larger rate,
  // than the first one's.
  std::size_t entry_for(const SubsampledGaussian& step) const;
  // What this entry costs whoever has so many units left.
  Units price(std::size_t entry, Units left) const {
    return left < near_the_end() ? kWholeStep : entries_[entry].price;
  }

  // How many of these steps `units` pay for, one after the other, the end included.
  std::uint64_t steps_for(const SubsampledGaussian& step, Units units) const;

  friend bool operator==(const PriceList& a, const PriceList& b);

 private:
  std::vector<PricedStep> entries_;
  std::uint32_t last_steps_;
};

// Prices by a moment: at noise s a step costs (M_s - 1) / (M_noise - 1) of a step at the clip
// bound, M_s = E exp(tilt L) in the direction remove. A larger tilt is kinder to small norms.
struct PriceRule {
  SubsampledGaussian step;          // at the clip bound
  double tilt;                      // from 0.01 to 1000
  std::uint32_t last_steps = 16;    // near the end every step costs a whole one
  double largest_ratio = 16;        // of an entry's noise to the worst; more costs no less
  std::uint32_t per_doubling = 24;  // entries, of the ratio; 1, 2, 4, ... are among them
};
// Prices are rounded up to whole units, ratios down to an entry's.
PriceList price_list(const PriceRule& rule);

// Whom a list should suit: shares of people by ratio of their noise to the worst step's.
struct Population {
  std::vector<double> ratios = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<double> weights = {};  // equal if empty
};
// The rule whose list lets a population take most steps, as the weighted mean of their logarithm,
// at the tight eps of so many worst-case steps, among those that cost people at the clip bound at
// most about 2% of eps: a short search on a coarse list, in plain doubles, in the direction remove.
// It decides about usefulness only, never about a promise.
PriceRule best_rule(PriceRule rule, Steps steps, Delta delta, const Population& population = {});

}  // namespace ration
