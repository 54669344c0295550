#include "ration/compose/fourier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "ration/base/error.h"
#include "ration/compose/fourier_transform.h"
#include "ration/compose/saddle.h"
#include "ration/loss/pld.h"
#include "ration/numeric/directed.h"
#include "ration/numeric/float_environment.h"
#include "ration/numeric/root.h"

namespace ration::fourier {
namespace {

constexpr double kMostPoints = 0x1p23;
constexpr double kLeastDelta = 1e-250;
constexpr double kWrapDigits = 34;  // what wraps around is below exp(-34) = 2e-15 of the whole

Guarantee guarantee() {
  return {.theorem =
              "Tight composition of dominating pairs (Zhu, Dong, Wang 2022, thm. 10), discretised "
              "to dominating and dominated pairs and composed by FFT (Koskela, Jalko, Honkela 2020)",
          .adaptive = false,
          .certified = true};
}

double total_steps(const Plan& plan) {
  double sum = 0;
  for (const PlanEntry& e : plan) sum += e.steps;
  return sum;
}

// The plan in one direction on a coarse grid: good enough to find tilts by.
class Sketch {
 public:
  Sketch(const Plan& plan, Direction direction, double tail) {
    const double bins = plan.size() <= 8 ? 1024 : 128;
    for (const auto& [mechanism, steps] : plan) {
      const Bound losses = losses_of(mechanism, direction, tail);
      const double step = std::clamp(width(losses) / bins, 1e-12, 1e6);
      laws_.push_back(pld_of(mechanism, direction, {.step = step, .tail = tail}).upper);
      counts_.push_back(steps);
    }
  }
  // K, K' and K'' at any real z.
  LogMoment at(double z) const {
    LogMoment sum;
    for (std::size_t j = 0; j < laws_.size(); ++j) {
      const Pld& law = laws_[j];
      const auto n = static_cast<double>(law.mass.size() - 1);
      const double shift = std::max(z * law.first, z * (law.first + n)) * law.step;
      double zeroth = 0, first = 0, second = 0;
      for (std::size_t i = 0; i < law.mass.size(); ++i) {
        const double x = (law.first + static_cast<double>(i)) * law.step;
        const double mass = law.mass[i] * std::exp(z * x - shift);
        zeroth += mass;
        first += mass * x;
        second += mass * x * x;
      }
      const double mean = first / zeroth;
      sum.value += counts_[j] * (std::log(zeroth) + shift);
      sum.first += counts_[j] * mean;
      sum.second += counts_[j] * std::max(0.0, second / zeroth - mean * mean);
    }
    return sum;
  }

 private:
  std::vector<Pld> laws_;
  std::vector<double> counts_;
};

// The window of the tilted law beyond which exp(-kWrapDigits) of it lies on either side.
Window window_around(const Sketch& sketch, double tilt, double step) {
  const LogMoment here = sketch.at(tilt);
  // Above x lies exp(K(tilt+y) - K(tilt) - y x) at most, and the best y makes y K' - K + K(tilt)
  // equal to the digits; below, the same with -y.
  const auto side = [&](double sign) {
    const auto condition = [&](double y) {
      const LogMoment there = sketch.at(tilt + sign * y);
      return Condition{sign * y * there.first - there.value + here.value - kWrapDigits,
                       y * there.second};
    };
    const double y = find_tilt(condition, std::sqrt(2 * kWrapDigits / (here.second + 1e-300)));
    const double x = (sketch.at(tilt + sign * y).value - here.value + kWrapDigits) / (sign * y);
    return std::pair{y, x};
  };
  const auto [left, low] = side(-1);
  const auto [right, high] = side(1);
  const double first = std::floor(low / step) - 1, last = std::ceil(high / step) + 1;
  if (!(last - first < kMostPoints)) {
    refuse("grid", step, "a coarser one: it would need more than 8388608 points");
  }
  const double size = std::exp2(std::ceil(std::log2(std::max(last - first, 8.0))));
  return {.step = step,
          .tilt = tilt,
          .first = first,
          .size = static_cast<std::size_t>(size),
          .left = left,
          .right = right};
}

// A plan in one direction, composed: its dominating version and its dominated one.
class Enclosure {
 public:
  Enclosure(const Plan& plan, Direction direction, double tilt, double step, double tail,
            const Sketch& sketch) {
    std::vector<PldBounds> laws;
    for (const PlanEntry& e : plan) {
      laws.push_back(pld_of(e.mechanism, direction, {.step = step, .tail = tail}));
    }
    window_ = window_around(sketch, tilt, laws.front().upper.step);
    sides_.reserve(2);
    for (const auto side : {&PldBounds::upper, &PldBounds::lower}) {
      std::vector<Transform> transforms;
      std::vector<Repeated> repeated;
      transforms.reserve(plan.size());
      for (std::size_t j = 0; j < plan.size(); ++j) {
        transforms.push_back(transform_of(laws[j].*side, window_));
        repeated.push_back({.transform = &transforms.back(), .count = plan[j].steps});
      }
      const Spectrum spectrum = composed(repeated, window_);
      sides_.push_back({ComposedLaw(spectrum), spectrum.slack, spectrum.at_infinity});
    }
  }

  double upper(double epsilon) const { return std::min(1.0, parts(epsilon, 0).most()); }
  double lower(double epsilon) const { return std::max(0.0, parts(epsilon, 1).least()); }
  Bound delta(double epsilon) const { return {.lower = lower(epsilon), .upper = upper(epsilon)}; }

  ErrorBudget budget(double epsilon) const {
    const Parts above = parts(epsilon, 0), below = parts(epsilon, 1);
    return {.grid = std::max(0.0, above.finite.value - below.finite.value),
            .tail = above.at_infinity - below.at_infinity,
            .wrap = above.finite.wrap + below.finite.wrap,
            .rounding = above.finite.rounding + below.finite.rounding};
  }
  double top() const {
    return (window_.first + static_cast<double>(window_.size)) * window_.step;
  }

 private:
  struct Parts {
    Evaluation finite;
    double at_infinity;
    double most() const {
      return (finite.value + finite.wrap + finite.rounding + at_infinity) * (1 + 8 * kRoundoff);
    }
    double least() const {
      return (finite.value - finite.wrap - finite.rounding + at_infinity) * (1 - 8 * kRoundoff);
    }
  };
  struct Side {
    ComposedLaw law;
    double slack, at_infinity;
  };
  // Losses may be off by the slack: a smaller eps for the upper end, a larger one for the lower.
  Parts parts(double epsilon, std::size_t side) const {
    const auto& [law, slack, at_infinity] = sides_[side];
    const double moved = side == 0 ? sub_down(epsilon, slack) : add_up(epsilon, slack);
    // 1 - prod (1 - p)^k, from a logarithm
    const double sign = side == 0 ? 1 : -1;
    const double certain = std::max(0.0, at_infinity * (1 + sign * 1e-9));
    return {.finite = law.delta(moved), .at_infinity = certain};
  }

  Window window_{};
  std::vector<Side> sides_;
};

// The eps where a decreasing function passes delta, and a side of it on which that is certain.
Bound solve(const Enclosure& law, double delta) {
  const double top = std::max(law.top(), 0.0), log_delta = std::log(delta);
  const auto log_of = [](double x) { return std::log(std::max(x, 1e-320)); };
  const Bound range = {.lower = 0, .upper = top};
  Bound epsilon = {.lower = 0, .upper = std::numeric_limits<double>::infinity()};
  if (law.upper(0) <= delta) {
    epsilon.upper = 0;
  } else {
    const double guess =
        find_root([&](double e) { return log_delta - log_of(law.upper(e)); }, range, 1e-9);
    for (double nudge = 1e-9; nudge < 1e-2; nudge *= 10) {
      const double candidate = guess + nudge * (1 + guess);
      if (law.upper(candidate) > delta) continue;
      epsilon.upper = candidate;
      break;
    }
  }
  if (law.lower(0) > delta) {
    const double guess =
        find_root([&](double e) { return log_delta - log_of(law.lower(e)); }, range, 1e-9);
    for (double nudge = 1e-9; nudge < 1e-2; nudge *= 10) {
      const double candidate = std::max(0.0, guess - nudge * (1 + guess));
      if (law.lower(candidate) < delta) continue;
      epsilon.lower = candidate;
      break;
    }
  }
  return epsilon;
}

struct Found {
  Bound answer;
  ErrorBudget budget;
};

// The grid: upper and lower version differ by a variance of about step^2 / 2 a step of the plan,
// which moves eps by (tilt + 1) / 2 times that.
double grid_for(const Options& options, double steps, double tilt) {
  if (options.grid) return *options.grid;
  return 0.7 * std::sqrt(4 * options.accuracy / (steps * (tilt + 1)));
}

// Runs finer and finer grids until the answer is as sharp as was asked for.
Found refine(const Options& options, double step, const std::function<Found(double)>& run,
             const std::function<double(const Found&)>& width_of) {
  constexpr int kMostRounds = 6;
  double reached = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostRounds; ++round) {
    Found found;
    try {
      found = run(step);
    } catch (const Error&) {
      if (options.grid || round == 0) throw;
      break;
    }
    if (options.grid) return found;
    const double got = width_of(found);
    if (got <= options.accuracy) return found;
    reached = std::min(reached, got);
    step *= std::clamp(0.8 * std::sqrt(options.accuracy / got), 0.1, 0.6);
  }
  throw Error(fmt::format(
      "accuracy is {}: fourier cannot certify it here, give {:.1e} or more, or choose contour",
      options.accuracy, 1.05 * reached));
}

Found at_delta_in(const Plan& plan, Direction direction, double delta, const Options& options) {
  const double tail = delta * 1e-12 / total_steps(plan);
  const Sketch sketch(plan, direction, tail);
  const double tilt = tilt_for_delta([&](double z) { return sketch.at(z); }, std::log(delta));
  const auto run = [&](double step) -> Found {
    const Enclosure law(plan, direction, tilt, step, tail, sketch);
    const Bound epsilon = solve(law, delta);
    return {epsilon, law.budget(std::isfinite(epsilon.upper) ? epsilon.upper : law.top())};
  };
  return refine(options, grid_for(options, total_steps(plan), tilt), run,
                [](const Found& found) { return width(found.answer); });
}

Found at_epsilon_in(const Plan& plan, Direction direction, double epsilon, const Options& options) {
  const auto moments_of = [](const Sketch& sketch) {
    return [&sketch](double z) { return sketch.at(z); };
  };
  double tail = 1e-60 / total_steps(plan);
  const Sketch first(plan, direction, tail);
  const double first_tilt = tilt_for_epsilon(moments_of(first), epsilon);
  // About what delta will be, for the tail to be small against it.
  const LogMoment there = first.at(first_tilt);
  const double log_delta = there.value - first_tilt * epsilon -
                           std::max(0.0, std::log(first_tilt * (1 + first_tilt) *
                                                  std::sqrt(6.3 * there.second)));
  if (log_delta < std::log(kLeastDelta)) {
    throw Error(fmt::format("delta at epsilon {} is below 1e-250: fourier works in doubles and "
                            "cannot tell it from 0; choose contour",
                            epsilon));
  }
  tail = std::exp(std::min(log_delta, 0.0)) * 1e-14 / total_steps(plan);
  const Sketch sketch(plan, direction, tail);
  const double tilt = tilt_for_epsilon(moments_of(sketch), epsilon);
  double in_epsilon = 0;
  const auto run = [&](double step) -> Found {
    const Enclosure law(plan, direction, tilt, step, tail, sketch);
    const Bound delta = law.delta(epsilon);
    // as a width of eps: how much later the upper end is where the lower end was
    in_epsilon = law.upper(epsilon + options.accuracy) <= std::max(delta.lower, 1e-300)
                     ? 0
                     : std::numeric_limits<double>::infinity();
    if (delta.upper < 1e-12 * std::exp(std::min(log_delta, 0.0))) in_epsilon = 0;
    return {delta, law.budget(epsilon)};
  };
  return refine(options, grid_for(options, total_steps(plan), tilt), run,
                [&](const Found&) { return in_epsilon; });
}

void check(const Options& options) {
  if (!(options.accuracy >= 1e-12 && options.accuracy <= 1e6)) {
    refuse("accuracy", options.accuracy, "a number from 1e-12 to 1e6");
  }
  if (options.grid && !(*options.grid >= 1e-12 && *options.grid <= 1e6)) {
    refuse("grid", *options.grid, "a number from 1e-12 to 1e6");
  }
}

Privacy answer(const Found& remove, const Found& add) {
  const bool first = remove.answer.upper >= add.answer.upper;
  return {.epsilon = max(remove.answer, add.answer),
          .delta = max(remove.answer, add.answer),
          .direction = first ? Direction::remove : Direction::add,
          .method = Method::fourier,
          .guarantee = guarantee(),
          .errors = first ? remove.budget : add.budget};
}

}  // namespace

Privacy at_delta(const Plan& plan, Delta delta, const Options& options) {
  const DefaultFloatEnvironment environment;
  check(options);
  if (delta < kLeastDelta) refuse("delta", delta, "at least 1e-250 with method fourier");
  Privacy result = answer(at_delta_in(plan, Direction::remove, delta, options),
                          at_delta_in(plan, Direction::add, delta, options));
  result.delta = exactly(delta);
  return result;
}

Privacy at_epsilon(const Plan& plan, Epsilon epsilon, const Options& options) {
  const DefaultFloatEnvironment environment;
  check(options);
  Privacy result = answer(at_epsilon_in(plan, Direction::remove, epsilon, options),
                          at_epsilon_in(plan, Direction::add, epsilon, options));
  result.epsilon = exactly(epsilon);
  return result;
}

}  // namespace ration::fourier
