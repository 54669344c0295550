// What sampled steps cost under the tight filter: a list fixed before the run, in whole units of
// what a person has left. Any list is sound, for its delta is computed (worst_adversary.h); a good
// one admits many steps at that delta. Values and pure functions. docs/math/tight_filter.md
//
// A step at the clip bound costs kWholeStep units, one of more noise (a smaller norm) less. Entries
// of the list have prices of their own. In between the dearer one counts; or, between entries of
// one rate and between the last one and a norm of zero, a price grows with the norm along a
// straight line (theorem 3, "Prices in between"), which suits a list of many entries. Near the end,
// with fewer than near_the_end() units left, every step costs a whole one.
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
  PriceList(std::vector<PricedStep> entries, std::uint32_t last_steps, bool lines = false);

  const std::vector<PricedStep>& entries() const { return entries_; }
  const SubsampledGaussian& worst() const { return entries_.front().step; }
  std::uint32_t last_steps() const { return last_steps_; }
  bool lines() const { return lines_; }
  Units near_the_end() const { return (Units{last_steps_} + 1) * kWholeStep; }

  // The place of the cheapest entry that pays for this step. Refuses less noise, or a larger rate,
  // than the first one's.
  std::size_t entry_for(const SubsampledGaussian& step) const;
  // Is there a price in between for norms from this entry's to the next one's? With lines, except
  // where the next one is for a smaller rate.
  bool in_between(std::size_t entry) const;
  // That price, at a step of mu = 1 / noise: at most the entry's own, and otherwise
  // least + 1 + slope (mu - from), rounded as it may be.
  struct Line {
    Units least;   // of the next entry, or the entry's own if nothing is in between
    double from;   // not above the mu of the next entry
    double slope;  // units, rounded up
  };
  Line line_below(std::size_t entry) const;

  // What a step of this noise costs whoever is not near the end.
  Units price(const SubsampledGaussian& step) const;
  // How many of these steps `units` pay for, one after the other, the end included.
  std::uint64_t steps_for(const SubsampledGaussian& step, Units units) const;

  friend bool operator==(const PriceList& a, const PriceList& b);

 private:
  std::vector<PricedStep> entries_;
  std::uint32_t last_steps_;
  bool lines_;
};

// Prices by a moment: at noise s a step costs (M_s - 1) / (M_noise - 1) of a step at the clip
// bound, M_s = E exp(tilt L) in the direction remove. A larger tilt is kinder to small norms.
struct PriceRule {
  SubsampledGaussian step;       // at the clip bound
  double tilt;                   // from 0.01 to 1000
  std::uint32_t last_steps = 8;  // near the end every step costs a whole one
  // Entries for each doubling of the ratio of their noise to the worst: so many up to kClose, and
  // half of that beyond, up to largest_ratio. 1, 2, 4, ... are among them.
  std::uint32_t per_doubling = 12;
  double largest_ratio = 32;
  static constexpr double kClose = 16;
};
PriceList price_list(const PriceRule& rule);

// Whom a list should suit: shares of people by ratio of their noise to the worst step's.
struct Population {
  std::vector<double> ratios = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<double> weights = {};  // equal if empty
};
// The rule whose list lets a population take most steps, as the weighted mean of their logarithm,
// at the tight eps of so many worst-case steps; what it costs people at the clip bound counts once
// more. A short search on a coarse list, in plain doubles, in the direction remove: it decides
// about usefulness only, never about a promise.
PriceRule best_rule(PriceRule rule, Steps steps, Delta delta, const Population& population = {});

}  // namespace ration
