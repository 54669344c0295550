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

// What people at the clip bound lose counts for itself, with so much weight beside the population.
constexpr double kClipBound = 0.38;
constexpr double kMostLost = 0.1;  // of eps, by anybody

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
  // How many steps everybody takes at the same eps; they grow about as its square.
  std::vector<std::pair<double, double>> seen;  // worth, tilt
  const auto look_at = [&](double tilt) {
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < population.ratios.size(); ++i) {
      const double weight = population.weights.empty() ? 1 : population.weights[i];
      const double ratio = std::min(population.ratios[i], rule.largest_ratio);
      sum += weight * (log_moment(1, tilt) - log_moment(ratio, tilt));
      weights += weight;
    }
    rule.tilt = tilt;
    const double lost = std::log(coarse_epsilon(rule, steps, delta, tight) / tight);
    const double gained = sum / weights - 2 * (1 + kClipBound) * lost;
    seen.emplace_back(lost < kMostLost ? gained : -lost, tilt);
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
  for (double share = 0.2; share < 1.6; share *= 1.3) {
    look_at(std::clamp(share * centre, 0.01, 1000.0));
  }
  for (double apart = 1.14; apart > 1.004; apart = std::sqrt(apart)) {
    const double best = std::max_element(seen.begin(), seen.end())->second;
    for (const double tilt : {best / apart, best * apart}) look_at(std::clamp(tilt, 0.01, 1000.0));
  }
  rule.tilt = std::max_element(seen.begin(), seen.end())->second;
  return rule;
}

}  // namespace ration
