// What sampled steps cost under the tight filter: a list fixed before the run, in whole units of
// what a person has left. Any list is sound, for its delta is computed (worst_adversary.h); a good
// one admits many steps at that delta. Values and pure functions. docs/math/tight_filter.md
//
// A **ticket** is `units` that buy `steps` steps. Each may be any step whose noise is at least the
// ticket's and whose rate is at most the ticket's, at any later time: a price of units / steps a
// step, below one unit too. Whoever buys must remember how many of its steps are still open.
//
// The first ticket is the **lot**: steps at the clip bound, one or a few. Near the end, with fewer
// than near_the_end() units left, it is the only one that is sold: every step costs as much as one
// at the clip bound.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ration/base/values.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

struct Ticket {
  SubsampledGaussian step;  // the least noise and the largest rate that it pays for; rate 1 too
  std::uint32_t units = 1;
  std::uint32_t steps = 1;
};

class PriceList {
 public:
  static constexpr std::uint32_t kMostUnits = 256;       // of a ticket
  static constexpr std::uint32_t kMostSteps = 1u << 20;  // of a ticket
  static constexpr std::size_t kMostTickets = 512;

  // The first ticket is the lot. The others follow in order of increasing noise, at no larger rate
  // and no larger price a step. `last_lots` is how many lots are left when the end is near; 0 if
  // tickets are sold to the end. Refuses what is not so, and last_lots above 0 that do not pay for
  // every ticket.
  PriceList(std::vector<Ticket> tickets, std::uint32_t last_lots);

  const std::vector<Ticket>& tickets() const { return tickets_; }
  const Ticket& lot() const { return tickets_.front(); }
  std::uint32_t last_lots() const { return last_lots_; }
  std::uint64_t near_the_end() const {
    return static_cast<std::uint64_t>(last_lots_) * lot().units;
  }
  std::uint32_t dearest() const;   // the most units that a ticket costs
  std::uint32_t cheapest() const;  // the fewest

  // The place of the cheapest ticket that pays for this step: the last one with no more noise and
  // no smaller rate. Refuses less noise, or a larger rate, than the lot's.
  std::size_t ticket_for(const SubsampledGaussian& step) const;

  // How many of these steps `units` pay for, one after the other, the end included.
  std::uint64_t steps_for(const SubsampledGaussian& step, std::uint64_t units) const;

 private:
  std::vector<Ticket> tickets_;
  std::uint32_t last_lots_;
};

// Prices by a moment: at noise s a step costs (M_s - 1) / (M_noise - 1) of a step at the clip
// bound, M_s = E exp(tilt L) in the direction remove. A larger tilt is kinder to small norms.
struct PriceRule {
  SubsampledGaussian step;       // at the clip bound
  double tilt;                   // from 0.01 to 1000
  std::uint32_t lot_units = 1;   // from 1 to 16: a unit is a lot divided by this
  std::uint32_t lot_steps = 1;   // from 1 to 1000: many make a quick recursion of a long run
  std::uint32_t last_lots = 16;  // no ticket is dearer; 0: up to 16 lots
  double largest_ratio = 16;     // of a ticket's noise to the worst; more costs no less
  std::uint32_t tickets_per_doubling = 24;  // of the ratio; 1, 2, 4, ... are among them
};
// Prices are rounded up to the best whole units over whole steps, ratios down to a ticket's.
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
