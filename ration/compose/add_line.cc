#include "ration/compose/rare_losses.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ration/base/error.h"
#include "ration/compose/cut_line.h"
#include "ration/compose/saddle.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/search.h"

namespace ration::contour {
namespace {

constexpr double kMostWork = 1e8;

// A line for delta near `epsilon`.
CutLine line_near(const Plan& plan, double epsilon, double log_delta, double saddle) {
  const Plan few = with_fewer_noises(plan);
  std::vector<Chernoff> moments;
  for (const double factor : {0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0}) {
    const double tilt = -1 - factor * saddle;
    moments.push_back({tilt, rough_part_moment(few, {}, Part::all, tilt)});
  }
  CutLineOptions options{.part = Part::all,
                         .near_epsilon = -epsilon,
                         .log_error = log_delta - epsilon - kErrorDigits,
                         .log_mass = 0,
                         .most_work = kMostWork};
  choose_tilts(moments, -epsilon, options);
  return {plan, {}, options};
}

Bound delta_on(const CutLine& line, double epsilon) {
  return min(exp(exactly(epsilon)) * line.integral(-epsilon), exactly(1));
}

}  // namespace

Bound add_epsilon(const Plan& plan, double delta, double saddle, const Bound& known) {
  double mean = 0;  // of the add loss, tilted
  for (const PlanEntry& entry : with_fewer_noises(plan)) {
    const auto& m = std::get<SubsampledGaussian>(entry.mechanism);
    mean -= entry.steps * rough_moments(m, -1 - saddle, {}, {}).mean;
  }
  const double log_delta = std::log(delta), guess = std::clamp(mean, known.lower, known.upper);
  const CutLine line = line_near(plan, guess, log_delta, saddle);
  if (delta_on(line, 0).upper <= delta) return exactly(0);
  const auto excess = [&](double e) {
    const Bound d = delta_on(line, e);
    return log_delta - search_log(d.lower > 0 ? midpoint(d) : d.upper);
  };
  const double found = find_root(excess, known, 1e-14);
  return intersect(
      known, certified_root([&](double e) { return delta - delta_on(line, e); }, found, known));
}

Bound add_delta(const Plan& plan, double epsilon, double saddle, const Bound& known) {
  double log_delta = epsilon;
  for (const PlanEntry& entry : with_fewer_noises(plan)) {
    const auto& m = std::get<SubsampledGaussian>(entry.mechanism);
    log_delta += entry.steps * rough_moments(m, -1 - saddle, {}, {}).k;
  }
  log_delta -= (1 + saddle) * epsilon;
  const CutLine line = line_near(plan, epsilon, std::min(-1.0, log_delta), saddle);
  return intersect(known, delta_on(line, epsilon));
}

}  // namespace ration::contour
