#include "ration/compose/accountants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/compose/fourier_enclosure.h"
#include "ration/compose/saddle.h"
#include "ration/numeric/directed.h"
#include "ration/numeric/search.h"

namespace ration::fourier {
namespace {

constexpr double kLeastDelta = 1e-250;
constexpr double kTailShare = 1e-9;  // of delta may lie beyond the grid

Guarantee guarantee(const Plan& plan) {
  return {
      .theorem =
          "Tight composition of dominating pairs (Zhu, Dong, Wang 2022, thm. 10), discretised "
          "to dominating and dominated pairs and composed by FFT (Koskela, Jalko, Honkela 2020)",
      .adaptive = false,
      .certified = true,
      .neighbours = neighbours_in(plan)};
}

double total_steps(const Plan& plan) {
  double sum = 0;
  for (const PlanEntry& e : plan) sum += e.steps;
  return sum;
}

// The least eps whose delta is certainly at most `delta`, and the largest whose delta is certainly
// not less. Far from the tilt's own eps nothing is certain, so the second is sought near the first.
Bound solve(const Enclosure& law, double delta) {
  const double log_delta = std::log(delta), top = std::max(law.top(), 0.0);
  if (law.certainly_infinite() > delta) return exactly(kInfinity);
  if (law.upper(0) <= delta) return exactly(0);
  double upper = find_root([&](double e) { return log_delta - search_log(law.upper(e)); },
                           {.lower = 0, .upper = top}, 1e-8);
  for (double nudge = 1e-8 * (1 + upper); law.upper(upper) > delta; nudge *= 2) {
    if (upper > top) return {.lower = 0, .upper = kInfinity};
    upper += nudge;
  }
  double below = upper, step = 1e-7 * (1 + upper);  // lower(below) < delta so far
  for (;; step *= 2) {
    const double candidate = std::max(0.0, below - step);
    if (law.lower(candidate) >= delta) break;
    if (candidate == 0) return {.lower = 0, .upper = upper};
    below = candidate;
  }
  double lower = std::max(0.0, below - step);
  for (int i = 0; i < 8; ++i) {
    const double middle = 0.5 * (lower + below);
    (law.lower(middle) >= delta ? lower : below) = middle;
  }
  return {.lower = lower, .upper = upper};
}

struct Found {
  Bound answer;
  double width;  // of eps
  ErrorBudget budget;
};

// The grid: upper and lower version differ by a variance of about step^2 / 2 a step of the plan,
// which moves eps by (tilt + 1) / 2 times that.
double grid_for(const Options& options, double steps, double tilt) {
  if (options.grid) return *options.grid;
  return 0.7 * std::sqrt(4 * options.accuracy / (steps * (tilt + 1)));
}

// Runs finer and finer grids until the answer is as sharp as was asked for, or at most `enough`,
// which is what the other direction spends anyway.
Found refine(const Options& options, double step, double enough,
             const std::function<Found(double)>& run) {
  double reached = kInfinity;
  if (enough > 0) {  // a glance will often do
    const Found glance = run(4 * step);
    if (glance.answer.upper <= enough) return glance;
  }
  for (int round = 0; round < options.rounds; ++round) {
    if (options.grid) return run(step);
    const std::optional<Found> found = if_in_reach([&] { return run(step); });
    if (!found) break;  // too many points
    if (found->width <= options.accuracy || found->answer.upper <= enough) return *found;
    reached = std::min(reached, found->width);
    const auto& [grid, tail, wrap, rounding] = found->budget;
    if (wrap + rounding > 10 * grid) break;  // a finer grid would not help
    step *= std::clamp(0.8 * std::sqrt(options.accuracy / found->width), 0.1, 0.6);
  }
  const std::string hint = std::isfinite(reached)
                               ? fmt::format("give {:.1e} or more", 1.05 * reached)
                               : "give a larger one";
  throw OutOfReach(
      fmt::format("accuracy is {}: fourier cannot certify it for this plan, {}, or another "
                  "method",
                  options.accuracy, hint));
}

// No eps will do: losses are infinite more often than delta allows.
Found infinite(double probability) {
  return {.answer = exactly(kInfinity),
          .width = 0,
          .budget = {.grid = 0, .tail = probability, .wrap = 0, .rounding = 0}};
}

Found at_delta_in(const Plan& plan, Direction direction, double delta, double enough,
                  const Options& options) {
  const double tail = delta * kTailShare / total_steps(plan);
  const Sketch sketch = sketch_of(plan, direction, tail);
  if (sketch.certainly_infinite > delta) return infinite(sketch.certainly_infinite);
  const double tilt = tilt_for_delta([&](double z) { return sketch.upper.at(z); }, std::log(delta),
                                     sketch.upper.largest_tilt());
  const auto run = [&](double step) -> Found {
    const Enclosure law(plan, direction, {.tilt = tilt, .step = step, .tail = tail}, sketch);
    const Bound epsilon = solve(law, delta);
    const bool finite = std::isfinite(epsilon.upper);
    return {.answer = epsilon,
            .width = epsilon.lower == epsilon.upper ? 0 : width(epsilon),
            .budget = law.budget(finite ? epsilon.upper : law.top())};
  };
  return refine(options, grid_for(options, total_steps(plan), tilt), enough, run);
}

// delta(eps) in one direction. One composition serves a whole stretch of a curve: it is kept until
// it is not sharp enough for the eps that is asked for.
class Curve {
 public:
  Curve(const Plan& plan, Direction direction, const Options& options)
      : plan_(plan), direction_(direction), options_(options), accuracy_(options.accuracy) {}

  Found at(double epsilon, double enough) {
    // Where eps itself is smaller than the accuracy, losses are, and the grid has to tell them
    // apart.
    options_.accuracy = accuracy_;
    if (epsilon > 0) options_.accuracy = std::min(accuracy_, std::max(0.25 * epsilon, 1e-9));
    if (law_) {
      const Found found = seen(epsilon);
      if (found.width <= options_.accuracy) return found;
    }
    // About what delta will be, for the tail to be small against it.
    const Sketch first = sketch_of(plan_, direction_, tail_for(kLeastDelta));
    const double certain = first.certainly_infinite;
    if (certain >= 1 - 1e-8) {
      return {
          .answer = {.lower = certain, .upper = 1}, .width = 0, .budget = {0, 1 - certain, 0, 0}};
    }
    const double tilt = tilt_for(first, epsilon);
    const LogMoment there = first.upper.at(tilt);
    const double chernoff = there.value - tilt * epsilon;
    const double log_delta =
        chernoff - std::max(0.0, std::log(tilt * (1 + tilt)) + 0.5 * std::log(6.3 * there.second));
    if (log_delta < std::log(kLeastDelta) || chernoff < std::log(certain) - 30) {
      // Doubles cannot tell the finite part from 0, or it does not matter. The sketch dominates, so
      // that Chernoff bounds it; K carries rounding of every mass at every step.
      const double slop = 1e-6 + tilt * first.upper.slack() + 1e-12 * total_steps(plan_);
      const double most = std::exp(std::clamp(chernoff + slop, -600.0, 0.0)) +
                          first.upper.at_infinity() * (1 + 1e-9);
      return {.answer = {.lower = certain, .upper = std::min(1.0, most)},
              .width = 0,
              .budget = {.grid = 0, .tail = most - certain, .wrap = 0, .rounding = 0}};
    }
    double tail = tail_for(std::exp(std::min(log_delta, 0.0)));
    const auto run = [&](double step) -> Found {
      for (;;) {
        const Sketch sketch = sketch_of(plan_, direction_, tail);
        const Enclosure::Options options = {
            .tilt = tilt_for(sketch, epsilon), .step = step, .tail = tail};
        law_.emplace(plan_, direction_, options, sketch);
        const double wanted = tail_for(law_->upper(epsilon));
        if (tail <= 100 * wanted) return seen(epsilon);
        tail = wanted;  // delta is far smaller than it seemed at first
      }
    };
    return refine(options_, grid_for(options_, total_steps(plan_), tilt), enough, run);
  }

 private:
  static double tilt_for(const Sketch& sketch, double epsilon) {
    return tilt_for_epsilon([&](double z) { return sketch.upper.at(z); }, epsilon,
                            sketch.upper.largest_tilt());
  }
  double tail_for(double delta) const {
    return std::max(delta, kLeastDelta) * kTailShare / total_steps(plan_);
  }
  // As a width of eps: how much later the upper end comes down to where the lower end is, or how
  // much earlier the lower end was where the upper end is.
  Found seen(double epsilon) const {
    const Bound delta = law_->delta(epsilon);
    // Where the curve is flat, or delta too small to tell, eps is no measure.
    const bool known = width(delta) <= std::max(1e-6 * delta.upper, kLeastDelta);
    if (known) return {.answer = delta, .width = 0, .budget = law_->budget(epsilon)};
    // Far from this eps nothing is certain, so that small steps come first.
    const double eighth = 0.125 * options_.accuracy;
    double apart = 0x1p-18 * eighth;
    while (apart < 512 * eighth && law_->upper(epsilon + apart) > delta.lower &&
           law_->lower(epsilon - apart) < delta.upper) {
      apart *= apart < eighth ? 64 : 2;
    }
    return {.answer = delta, .width = apart, .budget = law_->budget(epsilon)};
  }

  const Plan& plan_;
  Direction direction_;
  Options options_;
  double accuracy_;  // that was asked for
  std::optional<Enclosure> law_;
};

void check(const Options& options) {
  if (!(options.accuracy >= kLeastAccuracy && options.accuracy <= kMostAccuracy)) {
    refuse("accuracy", options.accuracy, "a number from 1e-12 to 1e6");
  }
  if (options.grid && !(*options.grid >= 1e-12 && *options.grid <= 1e6)) {
    refuse("grid", *options.grid, "a number from 1e-12 to 1e6");
  }
}

Privacy answer(const Plan& plan, const Found& remove, const Found& add) {
  const bool first = remove.answer.upper >= add.answer.upper;
  return {.epsilon = max(remove.answer, add.answer),
          .delta = max(remove.answer, add.answer),
          .direction = first ? Direction::remove : Direction::add,
          .method = Method::fourier,
          .guarantee = guarantee(plan),
          .errors = first ? remove.budget : add.budget};
}

}  // namespace

Privacy at_delta(const Plan& plan, Delta delta, const Options& options) {
  const DefaultFloatEnvironment environment;
  check(options);
  if (delta < kLeastDelta) out_of_reach("delta", delta, "at least 1e-250 with method fourier");
  const Found remove = at_delta_in(plan, Direction::remove, delta, 0, options);
  const Found add = at_delta_in(plan, Direction::add, delta, remove.answer.lower, options);
  Privacy result = answer(plan, remove, add);
  result.delta = exactly(delta);
  return result;
}

Privacy at_epsilon(const Plan& plan, Epsilon epsilon, const Options& options) {
  const DefaultFloatEnvironment environment;
  check(options);
  const Found remove = Curve(plan, Direction::remove, options).at(epsilon, 0);
  const Found add = Curve(plan, Direction::add, options).at(epsilon, remove.answer.lower);
  Privacy result = answer(plan, remove, add);
  result.epsilon = exactly(epsilon);
  return result;
}

std::vector<Bound> delta_curve(const Plan& plan, std::span<const double> epsilons,
                               const Options& options) {
  const DefaultFloatEnvironment environment;
  check(options);
  Curve remove(plan, Direction::remove, options), add(plan, Direction::add, options);
  std::vector<Bound> deltas;
  for (const double epsilon : epsilons) {
    const Bound first = remove.at(Epsilon(epsilon), 0).answer;
    deltas.push_back(max(first, add.at(epsilon, first.lower).answer));
  }
  return deltas;
}

}  // namespace ration::fourier
