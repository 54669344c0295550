#include "ration/control/worst_adversary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/compose/accountants.h"
#include "ration/compose/compose.h"
#include "ration/loss/log_ratio.h"
#include "ration/loss/rdp.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/search.h"

namespace ration {
namespace {

Plan worst_steps(const PriceList& list, std::uint64_t units) {
  const Ticket& lot = list.lot();
  const double steps = static_cast<double>(units / lot.units * lot.steps);
  return {entry({.noise = lot.step.noise, .rate = lot.step.rate, .steps = steps})};
}

}  // namespace

WorstAdversary::WorstAdversary(const PriceList& list, std::uint64_t budget, Delta delta)
    : list_(list), budget_(budget) {
  const DefaultFloatEnvironment environment;
  if (budget < std::max<std::uint64_t>(list.lot().units, list.near_the_end()) ||
      budget > 100'000'000) {
    refuse("budget", static_cast<double>(budget),
           fmt::format("from {} units, the near end of the list, to 10^8",
                       std::max<std::uint64_t>(list.lot().units, list.near_the_end())));
  }
  expected_epsilon_ = 1.02 * compose(worst_steps(list, budget), delta).epsilon.upper;
  for (const Direction direction : {Direction::remove, Direction::add}) {
    ways_.push_back(one_way(direction, delta));
  }
  epsilon(delta, budget);  // refuses if errors are too large
}

WorstAdversary::OneWay WorstAdversary::one_way(Direction direction, double delta) const {
  const PlaceChoice choice = choose_place(list_, direction, budget_, delta, expected_epsilon_);
  OneWay way{.direction = direction,
             .place = choice.place,
             .kept = least_potentials(list_, direction, budget_, choice.place),
             .far_tilt = choice.far_tilt};
  for (const Ticket& ticket : list_.tickets()) {
    const Bound moment = exactly(ticket.steps) / ticket.units *
                         rdp::log_moment(ticket.step, way.far_tilt, direction);
    way.far_growth = std::max(way.far_growth, moment.upper);
  }
  return way;
}

WorstAdversary::Found WorstAdversary::upper_in(const OneWay& way, double epsilon,
                                               std::uint64_t units) const {
  const auto kept =
      std::lower_bound(way.kept.begin(), way.kept.end(), units,
                       [](const Potential& p, std::uint64_t b) { return p.units < b; });
  const PotentialValue value = value_at(*kept, way.place, epsilon);
  // For information, as it is inside of the value: to the left v <= 1, to the right Chernoff's
  // bound v_b(y) <= exp(conversion + growth b - far_tilt y).
  const double window = 2 * std::numbers::pi / way.place.frequency;
  const double left = std::exp(-way.place.tilt * window);
  const double exponent = renyi::conversion(way.far_tilt) +
                          way.far_growth * static_cast<double>(kept->units) -
                          way.far_tilt * epsilon;
  const double fall = std::exp(-(way.far_tilt - way.place.tilt) * window);
  const double wrap = kSafety * (left / (1 - left) + std::exp(exponent) * fall / (1 - fall));
  return {.delta = std::min(1.0, value.delta),
          .errors = {.numerical = value.errors, .wrap = std::min(wrap, value.delta)}};
}

WorstAdversary::Found WorstAdversary::upper(double epsilon, std::uint64_t units) const {
  Found most{.delta = -1, .errors = {}};
  for (const OneWay& way : ways_) {
    const Found found = upper_in(way, epsilon, units);
    if (found.delta > most.delta) most = found;
  }
  return most;
}

AdversaryErrors WorstAdversary::errors(Epsilon epsilon, std::uint64_t units) const {
  const DefaultFloatEnvironment environment;
  if (units < list_.near_the_end() || units < list_.cheapest()) return {};
  return upper(epsilon, std::min(units, budget_)).errors;
}

namespace {

void check_units(std::uint64_t units, std::uint64_t budget) {
  if (units > budget) {
    refuse("units", static_cast<double>(units), fmt::format("at most {}, the budget", budget));
  }
}

}  // namespace

Bound WorstAdversary::delta(Epsilon epsilon, std::uint64_t units) const {
  const DefaultFloatEnvironment environment;
  check_units(units, budget_);
  const bool end_only = units < list_.near_the_end();
  Bound plain = exactly(0);
  if (units >= list_.lot().units) plain = delta_at(worst_steps(list_, units), epsilon).delta;
  if (end_only || units < list_.cheapest()) return plain;
  const Found found = upper(epsilon, units);
  if (!(found.errors.sum() <= kMostError * found.delta)) {
    const PotentialErrors& e = found.errors.numerical;
    throw Error(fmt::format(
        "epsilon is {} with {} units: no delta can be shown there within 5%, errors are {:.1e} of "
        "{:.1e} (quadrature {:.1e}, rounding {:.1e}, between points {:.1e}, cut {:.1e}, "
        "wrap-around {:.1e}); give an epsilon nearer to {:.3g}, or another price list",
        static_cast<double>(epsilon), units, found.errors.sum(), found.delta, e.quadrature,
        e.rounding, e.between, e.cut, found.errors.wrap, expected_epsilon_));
  }
  if (plain.lower > found.delta) throw std::logic_error("two certified bounds of delta disagree");
  return {.lower = plain.lower, .upper = found.delta};
}

Bound WorstAdversary::epsilon(Delta delta, std::uint64_t units) const {
  const DefaultFloatEnvironment environment;
  check_units(units, budget_);
  Bound plain = exactly(0);
  if (units >= list_.lot().units) plain = compose(worst_steps(list_, units), delta).epsilon;
  if (units < list_.near_the_end() || units < list_.cheapest()) return plain;
  const auto excess = [&](double e) { return std::log(delta) - search_log(upper(e, units).delta); };
  const double most = std::max(4 * expected_epsilon_, 1.0);
  double found = find_root(excess, {.lower = plain.lower, .upper = most}, 1e-9);
  for (double nudge = 1e-9 * (1 + found); upper(found, units).delta > delta; nudge *= 2) {
    found += nudge;
    if (found > 2 * most) {
      throw Error(fmt::format(
          "delta is {} with {} units: no epsilon can be shown for it, give a larger delta or "
          "another price list",
          static_cast<double>(delta), units));
    }
  }
  this->delta(found, units);  // refuses where errors are too large
  return {.lower = plain.lower, .upper = std::max(found, plain.lower)};
}

std::uint64_t WorstAdversary::largest_budget(Epsilon epsilon, Delta delta) const {
  const DefaultFloatEnvironment environment;
  // v_b grows with b.
  const std::vector<Potential>& kept = ways_.front().kept;
  const auto after = std::partition_point(kept.begin(), kept.end(), [&](const Potential& p) {
    return upper(epsilon, p.units).delta <= delta;
  });
  if (after == kept.begin()) return 0;
  const std::uint64_t units = (after - 1)->units;
  this->delta(epsilon, units);  // refuses where errors are too large
  return units;
}

}  // namespace ration
