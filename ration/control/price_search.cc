// Which prices suit a population: a search in plain doubles.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/compose/compose.h"
#include "ration/control/linear_potential.h"
#include "ration/control/price_list.h"
#include "ration/loss/rdp.h"
#include "ration/numeric/search.h"

namespace ration {
namespace {

constexpr double kMostAtClipBound = 1.026;  // eps over tight eps, for people who are always there

// The eps of a coarse list of these prices after so many worst-case steps, direction remove.
double coarse_epsilon(const PriceRule& rule, double steps, double delta, double tight) {
  PriceRule coarse = rule;
  coarse.per_doubling = 6;
  const PriceList list = price_list(coarse);
  const std::uint64_t whole =
      std::max<std::uint64_t>(rule.last_steps + 1, static_cast<std::uint64_t>(steps));
  PotentialPlace place = choose_place(list, Direction::remove, whole, delta, 1.02 * tight).place;
  place.certified = false;
  const std::vector<Potential> found = linear_potentials(list, Direction::remove, whole, place);
  return find_root(
      [&](double epsilon) {
        const PotentialValue value = value_at(found.back(), place, epsilon);
        return std::log(delta) - search_log(value.delta - value.errors.sum());
      },
      {.lower = 0.5 * tight, .upper = 2 * tight}, 1e-6);
}

void check_population(const Population& population) {
  if (population.ratios.empty() ||
      (!population.weights.empty() && population.weights.size() != population.ratios.size())) {
    refuse("population", "lists of unlike length", "ratios, and a weight for each or none");
  }
  for (const double ratio : population.ratios) {
    if (!(ratio >= 1 && ratio <= 1e6)) refuse("ratio", ratio, "a number from 1 to 1e6");
  }
  double sum = 0;
  for (const double weight : population.weights) {
    if (!(weight >= 0 && weight <= 1e300))
      refuse("weight", weight, "a number that is not negative");
    sum += weight;
  }
  if (!population.weights.empty() && !(sum > 0)) refuse("weights", sum, "a sum above 0");
}

}  // namespace

PriceRule best_rule(PriceRule rule, Steps steps, Delta delta, const Population& population) {
  const DefaultFloatEnvironment environment;
  check_population(population);
  const Plan worst = {entry({.noise = rule.step.noise, .rate = rule.step.rate, .steps = steps})};
  const double tight = compose(worst, delta).epsilon.upper;
  const auto log_moment = [&](double ratio, double tilt) {
    SubsampledGaussian step = rule.step;
    step.noise = rule.step.noise * ratio;
    return std::log(std::expm1(rdp::log_moment_estimate(step, tilt, Direction::remove)));
  };
  // How many steps everybody takes at the same eps; they grow about as its square. Beyond what is
  // asked of people at the clip bound nothing counts but how little is.
  struct Worth {
    double value;
    bool fits;
  };
  const auto worth = [&](double tilt) -> Worth {
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < population.ratios.size(); ++i) {
      const double weight = population.weights.empty() ? 1 : population.weights[i];
      const double ratio = std::min(population.ratios[i], rule.largest_ratio);
      sum += weight * (log_moment(1, tilt) - log_moment(ratio, tilt));
      weights += weight;
    }
    rule.tilt = tilt;
    const double epsilon = coarse_epsilon(rule, steps, delta, tight);
    const bool fits = epsilon <= kMostAtClipBound * tight;
    return {fits ? sum / weights - 2 * std::log(epsilon / tight) : -1e6 * epsilon, fits};
  };
  // About where the Renyi bound of this run is best, prices change most.
  double centre = 1, least = 1e300;
  for (double tilt = 0.1; tilt < 500; tilt *= 1.25) {
    const double moment = steps * rdp::log_moment_estimate(rule.step, tilt, Direction::remove);
    const double value = (moment - std::log(delta)) / tilt;
    if (value < least) {
      least = value;
      centre = tilt;
    }
  }
  double most = -1e300, fitting = 0, too_large = 0;
  std::vector<std::pair<double, double>> seen;  // tilt, worth
  const auto look_at = [&](double tilt) {
    const Worth found = worth(tilt);
    if (found.fits) fitting = std::max(fitting, tilt);
    if (!found.fits && too_large == 0) too_large = tilt;
    most = std::max(most, found.value);
    seen.emplace_back(tilt, found.value);
    return found.fits;
  };
  for (const double share : {0.3, 0.45, 0.6, 0.75, 0.9, 1.1}) {
    look_at(std::clamp(share * centre, 0.01, 1000.0));
    if (too_large > 0) break;  // a larger tilt costs people at the clip bound more
  }
  if (fitting > 0 && too_large > 0) {
    for (int round = 0; round < 3; ++round) {
      const double middle = 0.5 * (fitting + too_large);
      if (!look_at(middle)) too_large = middle;
    }
  }
  // Of those that are as good, the one that is kindest to people at the clip bound.
  constexpr double kAsGood = 0.0007;
  rule.tilt = 1000;
  for (const auto& [tilt, value] : seen) {
    if (value >= most - kAsGood) rule.tilt = std::min(rule.tilt, tilt);
  }
  return rule;
}

}  // namespace ration
