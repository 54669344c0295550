#include "ration/compose/accountants.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/compose/contour_line.h"
#include "ration/compose/cut_line.h"
#include "ration/compose/rare_losses.h"
#include "ration/compose/saddle.h"
#include "ration/loss/gdp.h"
#include "ration/loss/rdp.h"
#include "ration/loss/tilted_law.h"
#include "ration/numeric/directed.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/search.h"

namespace ration::contour {
namespace {

Guarantee guarantee() {
  return {.theorem =
              "Tight composition of dominating pairs (Zhu, Dong, Wang 2022, thm. 10) of the "
              "Poisson-subsampled Gaussian, evaluated by a certified contour integral",
          .adaptive = false,
          .certified = true};
}

// Beyond kFarTilt laws take many nodes, and searches are content with rough moments.
LogMoment moments(const Plan& plan, Direction direction, double z) {
  LogMoment sum;
  for (const auto& [mechanism, steps] : plan) {
    const auto* sampled = std::get_if<SubsampledGaussian>(&mechanism);
    if (direction == Direction::add && z > kFarTilt && sampled != nullptr) {
      const RoughMoments at = rough_moments(*sampled, -1 - z, {}, {});
      sum.value += steps * at.k;
      sum.first -= steps * at.mean;
      sum.second += steps * at.variance;
      continue;
    }
    const TiltedLaw law = tilted_law(mechanism, direction, {.tilt = z, .reach = 0, .digits = 12});
    sum.value += steps * midpoint(law.log_moment);
    sum.first += steps * law.centre;
    sum.second += steps * law.variance;
  }
  return sum;
}

// How far to look. In the direction add a step's loss is about rate / noise times a normal one, and
// at delta = 1e-30 the tilt of a single step is twelve times the reciprocal of that.
double largest_tilt(const Plan& plan, Direction direction) {
  double largest = kFarTilt;
  if (direction == Direction::remove) return largest;
  for (const PlanEntry& entry : plan) {
    const auto* m = std::get_if<SubsampledGaussian>(&entry.mechanism);
    if (m != nullptr) largest = std::max(largest, 15 * m->noise / m->rate);
  }
  return largest;
}

double tilt_for_delta(const Plan& plan, Direction direction, double log_delta) {
  return ration::tilt_for_delta([&](double z) { return moments(plan, direction, z); }, log_delta,
                                largest_tilt(plan, direction));
}

double tilt_for_epsilon(const Plan& plan, Direction direction, double epsilon) {
  return ration::tilt_for_epsilon([&](double z) { return moments(plan, direction, z); }, epsilon,
                                  largest_tilt(plan, direction));
}

// The aliases at a distance of one period x are exp(-tilt x) on the left, where delta <= 1, and on
// the right at most exp(K(tilt+y) - K(tilt) - y (mean + x)), relative to the integrand. The y that
// needs the shortest period solves y K'(tilt+y) - K(tilt+y) + K(tilt) = digits.
LineOptions line_for(const Plan& plan, Direction direction, double tilt, double log_delta,
                     std::optional<double> further_guess) {
  if (tilt > kFarTilt)
    throw OutOfReach("contour cannot certify this plan: its losses are too small");
  const LogMoment here = moments(plan, direction, tilt);
  const double digits =
      kDigits + std::max(0.0, std::log(tilt * (1 + tilt) * std::sqrt(here.second))) + 2;
  const auto condition = [&](double y) {
    const LogMoment m = moments(plan, direction, tilt + y);
    return Condition{y * m.first - m.value + here.value - digits, y * m.second};
  };
  constexpr double kCloseEnough = 2;  // the period hardly depends on it
  const double guess = further_guess ? *further_guess - tilt : std::sqrt(2 * digits / here.second);
  const double y = find_tilt(condition, guess, kFarTilt, kCloseEnough);
  const LogMoment there = moments(plan, direction, tilt + y);
  const double right = (there.value - here.value + digits) / y - here.first;
  return {.tilt = tilt,
          .further_tilt = tilt + y,
          .period = std::max((digits - log_delta) / tilt, right + 2 * std::sqrt(here.second))};
}

// Lines at shares of the saddle point, each looked for once.
class Places {
 public:
  Places(const Plan& plan, Direction direction, double saddle, double log_delta)
      : plan_(plan), direction_(direction), saddle_(saddle), log_delta_(log_delta) {}

  const LineOptions& at(double factor) {
    const auto known = known_.find(factor);
    if (known != known_.end()) return known->second;
    const LineOptions found = line_for(plan_, direction_, factor * saddle_, log_delta_, further_);
    further_ = found.further_tilt;
    return known_.emplace(factor, found).first->second;
  }

 private:
  const Plan& plan_;
  Direction direction_;
  double saddle_, log_delta_;
  std::optional<double> further_;
  std::map<double, LineOptions> known_;
};

// Ways to place the line. The saddle point is best for many steps. Where the tilted law has two
// maxima a line further left is shorter. Rare large losses are split off where no line of 0.1 s is
// known: that takes longer than to refuse one, and longer than most lines.
struct Attempt {
  double tilt_factor;
  double most_work;
  bool split = false;
};
std::vector<Attempt> attempts(const Plan& plan) {
  std::vector<Attempt> list;
  for (const double work : {1e6, 1e7, 1e8}) {
    for (const double factor : {1.0, 0.75, 0.5}) list.push_back({factor, work});
  }
  if (can_split(plan)) list.push_back({1, 1e8, true});
  for (const double factor : {0.75, 0.5, 0.25}) list.push_back({factor, 1e9});
  return list;
}

bool sharp(const Bound& x) { return width(x) <= 1e-8 * x.upper || width(x) <= 1e-12; }

// Runs attempts until the answer is sharp, or below what the other direction spends anyway. All
// enclosures hold, so they are intersected.
template <class Solve>
Bound best_of(const Plan& plan, Bound known, double irrelevant, const Solve& solve) {
  for (const Attempt& attempt : attempts(plan)) {
    if (sharp(known) || known.upper <= irrelevant) break;
    const std::optional<Bound> found = if_in_reach([&] { return solve(attempt, known); });
    if (found) known = intersect(known, *found);  // else too many points: the next attempt
  }
  return known;
}

// The eps at which a line's delta is `delta`, proved.
Bound solve_line(const Line& line, double delta, double guess, double most) {
  if (line.delta(0).upper <= delta) return exactly(0);
  const Bound range = {.lower = 0, .upper = most};
  const double log_delta = std::log(delta);
  double epsilon = std::clamp(guess, range.lower, range.upper);
  for (int i = 0; i < 60; ++i) {
    const Line::Estimate e = line.estimate(epsilon);
    const double next =
        std::clamp(epsilon + (log_delta - e.log_delta) / e.slope, range.lower, range.upper);
    const bool done = std::abs(next - epsilon) <= 1e-15 * next;
    epsilon = next;
    if (done) break;
  }
  const Bound found =
      certified_root([&](double e) { return delta - line.delta(e); }, epsilon, range);
  if (sharp(found)) return found;

  // The estimate is lost in the errors: look for where the ends themselves pass delta.
  const double low =
      find_root([&](double e) { return log_delta - search_log(line.delta(e).lower); }, range, 1e-6);
  const double high =
      find_root([&](double e) { return log_delta - search_log(line.delta(e).upper); }, range, 1e-6);
  const double below = low * (1 - 1e-5), above = std::min(range.upper, high * (1 + 1e-5));
  return {.lower = line.delta(below).lower >= delta ? std::max(below, found.lower) : found.lower,
          .upper = line.delta(above).upper <= delta ? std::min(above, found.upper) : found.upper};
}

// In the direction add the loss of a step is never above -log(1 - rate).
Bound largest_loss(const Plan& plan) {
  Bound sum = exactly(0);
  for (const auto& [mechanism, steps] : plan) {
    const auto* m = std::get_if<SubsampledGaussian>(&mechanism);
    const bool bounded = m != nullptr && m->rate < 1;
    sum = sum + (bounded ? -log1p(-exactly(m->rate)) * double{steps} : exactly(1e300));
  }
  return sum;
}

// Upper bounds without any line: Chernoff's in the form of Canonne, Kamath and Steinke, at one
// tilt; and for add the largest loss, which is all where there are no moments that far out.
double chernoff_epsilon(const Plan& plan, Direction direction, double delta, double z) {
  Bound moment = exactly(0);
  const bool far = direction == Direction::add && z > kFarTilt && can_split(plan);
  if (far) moment = exactly(log_part_moment(plan, {}, Part::all, -1 - z));
  for (const auto& [mechanism, steps] : plan) {
    if (far) break;
    const LawOptions options = {.tilt = z, .reach = 0, .digits = 12 + std::log(double{steps})};
    moment = moment + tilted_law(mechanism, direction, options).log_moment * double{steps};
  }
  const Bound c = renyi::conversion(exactly(z));
  return ((moment + c - log(exactly(delta))) / z).upper;
}
double crude_epsilon(const Plan& plan, Direction direction, double delta, double z) {
  if (direction == Direction::remove) {
    const double found = chernoff_epsilon(plan, direction, delta, z);
    if (std::isnan(found)) throw OutOfReach("contour cannot certify this plan: no moments");
    return std::max(0.0, found);
  }
  const double most = largest_loss(plan).upper;
  const auto chernoff = if_in_reach([&] { return chernoff_epsilon(plan, direction, delta, z); });
  return std::max(0.0, std::min(most, chernoff.value_or(most)));
}

Bound epsilon_in(const Plan& plan, Direction direction, double delta, double irrelevant) {
  if (direction == Direction::add && largest_loss(plan).upper <= irrelevant) {
    return {.lower = 0, .upper = largest_loss(plan).upper};
  }
  const double log_delta = std::log(delta);
  const Plan few = with_fewer_noises(plan);
  const double saddle = tilt_for_delta(few, direction, log_delta);
  const Bound crude = {.lower = 0, .upper = crude_epsilon(plan, direction, delta, saddle)};
  Places places(few, direction, saddle, log_delta);
  return best_of(plan, crude, irrelevant, [&](const Attempt& attempt, const Bound& known) {
    if (attempt.split) {
      return direction == Direction::remove ? rare_epsilon(plan, delta, known)
                                            : add_epsilon(plan, delta, saddle, known);
    }
    LineOptions options = places.at(attempt.tilt_factor);
    options.most_work = attempt.most_work;
    const Line line(plan, direction, options);
    return solve_line(line, delta, attempt.tilt_factor == 1 ? line.mean() : 0.9 * known.upper,
                      known.upper);
  });
}

Bound delta_in(const Plan& plan, Direction direction, double epsilon, double irrelevant) {
  if (direction == Direction::add && epsilon >= largest_loss(plan).upper) return exactly(0);
  const Plan few = with_fewer_noises(plan);
  const double saddle = tilt_for_epsilon(few, direction, epsilon);
  const LogMoment m = moments(few, direction, saddle);
  const double log_delta = std::min(0.0, m.value - saddle * epsilon);
  Places places(few, direction, saddle, log_delta);
  return best_of(
      plan, {.lower = 0, .upper = 1}, irrelevant, [&](const Attempt& attempt, const Bound& known) {
        if (attempt.split) {
          return direction == Direction::remove ? rare_delta(plan, epsilon, known)
                                                : add_delta(plan, epsilon, saddle, known);
        }
        LineOptions options = places.at(attempt.tilt_factor);
        options.most_work = attempt.most_work;
        return Line(plan, direction, options).delta(epsilon);
      });
}

// delta over a curve in one direction, from few lines: each serves the eps around its own.
class CurveLines {
 public:
  CurveLines(const Plan& plan, Direction direction)
      : plan_(plan), few_(with_fewer_noises(plan)), direction_(direction) {}

  // To be asked in order of eps, up to `last`. Nothing, if no line here sees delta.
  std::optional<Bound> delta(double epsilon, double last, double irrelevant) {
    if (direction_ == Direction::add && epsilon >= largest_loss(plan_).upper) return exactly(0);
    const auto enough = [&](const Bound& x) { return sharp(x) || x.upper <= irrelevant; };
    if (place_ && std::abs(epsilon - place_->epsilon) <= kServes * place_->deviation) {
      const Bound found = place_->line.delta(epsilon);
      if (enough(found)) return found;
    }
    // Best ahead, for all on the way.
    const double ahead = place_ ? std::min(last, epsilon + kServes * place_->deviation) : epsilon;
    for (const double there : {ahead, epsilon}) {
      for (const double work : {1e7, 1e8}) {
        for (const double factor : {1.0, 0.75, 0.5}) {
          if (!if_in_reach([&] { return put_line(there, factor, work); })) continue;
          const Bound found = place_->line.delta(epsilon);
          if (enough(found)) return found;
        }
      }
    }
    return {};
  }

 private:
  // In deviations of the tilted law. Away from its own eps a line's errors, exp(-kDigits), count
  // for exp(deviations^2 / 2) times as much.
  static constexpr double kServes = 3.5;

  struct Place {
    double epsilon, deviation;
    Line line;
  };
  bool put_line(double epsilon, double factor, double most_work) {
    const double saddle = tilt_for_epsilon(few_, direction_, epsilon);
    const LogMoment m = moments(few_, direction_, saddle);
    const double log_delta = std::min(0.0, m.value - saddle * epsilon);
    LineOptions options = line_for(few_, direction_, factor * saddle, log_delta, further_);
    options.most_work = most_work;
    const double deviation = std::sqrt(moments(few_, direction_, options.tilt).second);
    further_ = options.further_tilt;
    place_.emplace(Place{epsilon, deviation, Line(plan_, direction_, options)});
    return true;
  }

  const Plan& plan_;
  Plan few_;
  Direction direction_;
  std::optional<Place> place_;
  std::optional<double> further_;
};

// How far a step can move the output distribution, in total variation.
struct Distance {
  Bound operator()(const Gaussian& m) const { return gdp::advantage(1 / m.noise * (1 + 1e-15)); }
  Bound operator()(const SubsampledGaussian& m) const {
    return gdp::advantage(1 / m.noise * (1 + 1e-15)) * double{m.rate};
  }
  Bound operator()(const WithoutNormalNoise auto&) const { refuse_without_normal_noise("contour"); }
};

// Telling the data sets apart at all is a union over the steps: delta(0) <= sum of rate times
// advantage. Where that is below delta, nothing is spent.
bool free_of_charge(const Plan& plan, double delta) {
  double sum = 0;
  for (const auto& [mechanism, steps] : plan) {
    sum = add_up(sum, mul_up(std::visit(Distance{}, mechanism).upper, steps));
  }
  return sum <= delta;
}

// Before any search, which would take its time to no end.
void refuse_little_noise(const Plan& plan) {
  for (const PlanEntry& e : plan) {
    const auto* m = std::get_if<SubsampledGaussian>(&e.mechanism);
    if (m != nullptr && m->rate < 1 && m->noise < rdp::kLeastNoise) {
      refuse("noise", m->noise, "at least 0.01 when the rate is below 1");
    }
  }
}

Privacy answer(const Bound& remove, const Bound& add) {
  return {.epsilon = {},
          .delta = {},
          .direction = remove.upper >= add.upper ? Direction::remove : Direction::add,
          .method = Method::contour,
          .guarantee = guarantee()};
}

}  // namespace

bool covers(const Plan& plan) {
  return std::all_of(plan.begin(), plan.end(), [](const PlanEntry& e) {
    return std::holds_alternative<Gaussian>(e.mechanism) ||
           std::holds_alternative<SubsampledGaussian>(e.mechanism);
  });
}

Privacy at_delta(const Plan& plan, Delta delta) {
  const DefaultFloatEnvironment environment;
  const bool free = free_of_charge(plan, delta);
  if (!free) refuse_little_noise(plan);
  const Bound remove = free ? exactly(0) : epsilon_in(plan, Direction::remove, delta, 0);
  const Bound add = free ? exactly(0) : epsilon_in(plan, Direction::add, delta, remove.lower);
  Privacy result = answer(remove, add);
  result.epsilon = max(remove, add);
  if (!sharp(result.epsilon)) {  // Renyi's is never the tight value, but it bounds both directions
    const double renyi = renyi::at_delta(plan, delta).epsilon.upper;
    result.epsilon.upper = std::min(result.epsilon.upper, renyi);
  }
  result.delta = exactly(delta);
  return result;
}

Privacy at_epsilon(const Plan& plan, Epsilon epsilon) {
  const DefaultFloatEnvironment environment;
  refuse_little_noise(plan);
  const Bound remove = delta_in(plan, Direction::remove, epsilon, 0);
  const Bound add = delta_in(plan, Direction::add, epsilon, remove.lower);
  Privacy result = answer(remove, add);
  result.epsilon = exactly(epsilon);
  result.delta = max(remove, add);
  if (width(result.delta) > 1e-6 * result.delta.upper) {
    const double renyi = renyi::at_epsilon(plan, epsilon).delta.upper;
    result.delta.upper = std::min(result.delta.upper, renyi);
  }
  return result;
}

std::vector<Bound> delta_curve(const Plan& plan, std::span<const double> epsilons) {
  const DefaultFloatEnvironment environment;
  refuse_little_noise(plan);
  std::vector<Bound> deltas;
  CurveLines removing(plan, Direction::remove), adding(plan, Direction::add);
  for (const double epsilon : epsilons) {
    const std::optional<Bound> remove = removing.delta(epsilon, epsilons.back(), 0);
    const std::optional<Bound> add =
        remove ? adding.delta(epsilon, epsilons.back(), remove->lower) : std::nullopt;
    deltas.push_back(remove && add ? max(*remove, *add) : at_epsilon(plan, epsilon).delta);
  }
  return deltas;
}

}  // namespace ration::contour
