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
Plan worst_steps(const PriceList& list, std::uint64_t steps) {
  return {entry({.noise = list.worst().noise,
                 .rate = list.worst().rate,
                 .steps = static_cast<double>(steps)})};
}

WorstAdversary::WorstAdversary(const PriceList& list, std::uint64_t steps, Delta delta)
    : list_(list), steps_(steps) {
  const DefaultFloatEnvironment environment;
  if (steps <= list.last_steps() || steps > kMostSteps) {
    refuse("steps", static_cast<double>(steps),
           fmt::format("from {}, the last steps of the list and one more, to 10^8",
                       list.last_steps() + 1));
  }
  expected_epsilon_ = 1.02 * compose(worst_steps(list, steps), delta).epsilon.upper;
  for (const Direction direction : {Direction::remove, Direction::add}) {
    ways_.push_back(one_way(direction, delta));
  }
  epsilon(delta, budget());  // refuses if errors are too large
}

WorstAdversary::OneWay WorstAdversary::one_way(Direction direction, double delta) const {
  PlaceChoice choice = choose_place(list_, direction, steps_, delta, expected_epsilon_);
  if (!ways_.empty()) {  // what decides is the larger one
    const OneWay& other = ways_.front();
    choice.place.delta =
        std::max(delta, value_at(other.kept.back(), other.place, expected_epsilon_).delta);
  }
  OneWay way{.direction = direction,
             .place = choice.place,
             .kept = linear_potentials(list_, direction, steps_, choice.place),
             .far_tilt = choice.far_tilt};
  for (const PricedStep& entry : list_.entries()) {
    const Bound moment = exactly(static_cast<double>(PriceList::kWholeStep)) /
                         static_cast<double>(entry.price) *
                         rdp::log_moment(entry.step, way.far_tilt, direction);
    way.far_growth = std::max(way.far_growth, moment.upper);
  }
  return way;
}

WorstAdversary::Found WorstAdversary::upper_in(const OneWay& way, double epsilon,
                                               Units units) const {
  const auto kept = std::lower_bound(
      way.kept.begin(), way.kept.end(), units,
      [](const Potential& p, Units b) { return p.steps * PriceList::kWholeStep < b; });
  const PotentialValue value = value_at(*kept, way.place, epsilon);
  // For information, as it is inside of the value: to the left v <= 1, to the right Chernoff's
  // bound v_b(y) <= exp(conversion + growth b - far_tilt y).
  const double window = 2 * std::numbers::pi / way.place.frequency;
  const double left = std::exp(-way.place.tilt * window);
  const double exponent = renyi::conversion(way.far_tilt) +
                          way.far_growth * static_cast<double>(kept->steps) -
                          way.far_tilt * epsilon;
  const double fall = std::exp(-(way.far_tilt - way.place.tilt) * window);
  const double wrap = kSafety * (left / (1 - left) + std::exp(exponent) * fall / (1 - fall));
  return {.delta = std::min(1.0, value.delta),
          .errors = {.parts = value.errors, .wrap = std::min(wrap, value.delta)}};
}

WorstAdversary::Found WorstAdversary::upper(double epsilon, Units units) const {
  Found most{.delta = -1, .errors = {}};
  for (const OneWay& way : ways_) {
    const Found found = upper_in(way, epsilon, units);
    if (found.delta > most.delta) most = found;
  }
  return most;
}

AdversaryErrors WorstAdversary::errors(Epsilon epsilon, Units units) const {
  const DefaultFloatEnvironment environment;
  if (units < list_.near_the_end()) return {};
  return upper(epsilon, std::min(units, budget())).errors;
}

namespace {

void check_units(Units units, Units budget) {
  if (units > budget) {
    refuse("units", static_cast<double>(units), fmt::format("at most {}, the budget", budget));
  }
}

}  // namespace

Bound WorstAdversary::delta(Epsilon epsilon, Units units) const {
  const DefaultFloatEnvironment environment;
  check_units(units, budget());
  Bound plain = exactly(0);
  if (units >= PriceList::kWholeStep)
    plain = delta_at(worst_steps(list_, units / PriceList::kWholeStep), epsilon).delta;
  if (units < list_.near_the_end()) return plain;
  const Found found = upper(epsilon, units);
  if (!(found.errors.numerical() <= kMostError * found.delta)) {
    const PotentialErrors& e = found.errors.parts;
    throw OutOfReach(fmt::format(
        "epsilon is {} with {} units: no delta can be shown there within 5%, errors are {:.1e} of "
        "{:.1e} (quadrature {:.1e}, rounding {:.1e}, between points {:.1e}, cut {:.1e}, "
        "wrap-around {:.1e}); give an epsilon nearer to {:.3g}, or another price list",
        static_cast<double>(epsilon), units, found.errors.numerical(), found.delta, e.quadrature,
        e.rounding, e.between, e.cut, found.errors.wrap, expected_epsilon_));
  }
  if (plain.lower > found.delta) throw std::logic_error("two certified bounds of delta disagree");
  return {.lower = plain.lower, .upper = found.delta};
}

// An eps whose delta is at most this one, up to 1e-9 the least; about twice `most` if none is
// found.
double WorstAdversary::least_epsilon(double delta, Units units, double most) const {
  const auto excess = [&](double e) { return std::log(delta) - search_log(upper(e, units).delta); };
  double found = find_root(excess, {.lower = 0, .upper = most}, 1e-9);
  for (double nudge = 1e-9 * (1 + found); upper(found, units).delta > delta && found <= 2 * most;
       nudge *= 2) {
    found += nudge;
  }
  return found;
}

Bound WorstAdversary::epsilon(Delta delta, Units units) const {
  const DefaultFloatEnvironment environment;
  check_units(units, budget());
  Bound plain = exactly(0);
  if (units >= PriceList::kWholeStep)
    plain = compose(worst_steps(list_, units / PriceList::kWholeStep), delta).epsilon;
  if (units < list_.near_the_end()) return plain;
  const double found = least_epsilon(delta, units, most_epsilon());
  if (!(upper(found, units).delta <= delta)) {
    throw OutOfReach(fmt::format(
        "delta is {} with {} units: no epsilon can be shown for it, give a larger delta or another "
        "price list",
        static_cast<double>(delta), units));
  }
  this->delta(found, units);  // refuses where errors are too large
  return {.lower = plain.lower, .upper = std::max(found, plain.lower)};
}

std::vector<BudgetWorth> WorstAdversary::worth(Delta delta) const {
  const DefaultFloatEnvironment environment;
  std::vector<BudgetWorth> all;
  double above = kInfinity;
  const std::vector<Potential>& kept = ways_.front().kept;
  for (auto level = kept.rbegin(); level != kept.rend(); ++level) {
    const Units units = level->steps * PriceList::kWholeStep;
    if (units < list_.near_the_end()) break;
    const double found = least_epsilon(delta, units, std::min(above, most_epsilon()));
    if (!(upper(found, units).delta <= delta)) break;
    above = std::min(above, found);
    all.push_back({.units = units, .epsilon = above});
  }
  std::reverse(all.begin(), all.end());
  return all;
}

Units WorstAdversary::largest_budget(Epsilon epsilon, Delta delta) const {
  const DefaultFloatEnvironment environment;
  // v_b grows with b.
  const std::vector<Potential>& kept = ways_.front().kept;
  const auto after = std::partition_point(kept.begin(), kept.end(), [&](const Potential& p) {
    return upper(epsilon, p.steps * PriceList::kWholeStep).delta <= delta;
  });
  if (after == kept.begin()) return 0;
  const Units units = (after - 1)->steps * PriceList::kWholeStep;
  this->delta(epsilon, units);  // refuses where errors are too large
  return units;
}

}  // namespace ration
