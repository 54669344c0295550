#include "ration/compose/rare_losses.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "ration/base/error.h"
#include "ration/compose/cut_line.h"
#include "ration/compose/saddle.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/search.h"

namespace ration::contour {
namespace {

const SubsampledGaussian& step_of(const PlanEntry& entry) {
  return std::get<SubsampledGaussian>(entry.mechanism);
}

// What "some step lies above the high cut" weighs, as -log of its complement: under Q, and the
// surplus under P.
struct Masses {
  Bound q = exactly(0), surplus = exactly(0);

  // E[1 - e^(eps-X); some step is large] = P - e^eps Q, without the cancellation:
  // P - Q = e^(-q) (1 - e^(-surplus)), and Q is multiplied by e^eps - 1.
  Bound closed(double epsilon) const {
    if (epsilon > 700) throw OutOfReach("contour cannot split losses at an epsilon above 700");
    return -exp(-q) * expm1(-surplus) + expm1(exactly(epsilon)) * expm1(-q);
  }
  double log_q() const { return std::log(std::max((-expm1(-q)).upper, 1e-320)); }
  double log_p() const { return std::log(std::max((-expm1(-(q + surplus))).upper, 1e-320)); }
};
Masses large_masses(const Plan& plan, const Cuts& cuts, double log_negligible) {
  Masses sum;
  const double share = log_negligible - std::log(static_cast<double>(plan.size()));
  for (const PlanEntry& entry : plan) {
    const LargeMass mass =
        large_mass(step_of(entry), cuts.high, share - std::log(double{entry.steps}));
    sum.q = sum.q - log1p(-mass.q) * double{entry.steps};
    sum.surplus = sum.surplus - log1p(-(mass.surplus / (1 - mass.q))) * double{entry.steps};
  }
  return {.q = max(sum.q, exactly(0)), .surplus = max(sum.surplus, exactly(0))};
}

double least(const std::vector<Chernoff>& bounds, double epsilon) {
  double log_delta = kInfinity;
  for (const Chernoff& bound : bounds) log_delta = std::min(log_delta, bound.at(epsilon));
  return log_delta;
}

// Moments of the law below the high cut, to find a tilt by.
struct Moments {
  double k = 0, mean = 0, variance = 0;
};
Moments moments(const Plan& plan, const Cuts& cuts, double tilt) {
  Moments sum;
  const Bands bands = bands_of(cuts, Part::small);
  for (const PlanEntry& entry : plan) {
    const RoughMoments at = rough_moments(step_of(entry), tilt, bands.whole, bands.extra);
    sum.k += entry.steps * at.k;
    sum.mean += entry.steps * at.mean;
    sum.variance += entry.steps * at.variance;
  }
  return sum;
}

// The place where the law below the high cut, tilted, has its mean near eps: the minimum of
// K(z) - eps z - log(z (1+z)), convex, by Newton's method in log z.
struct Saddle {
  double tilt;
  Moments at;
};
Saddle saddle_for(const Plan& plan, const Cuts& cuts, double epsilon, double guess) {
  double low = guess / 30, high = guess * 2.2, z = guess;  // as far as the cuts were made for
  Moments m{};
  for (int i = 0; i < 40; ++i) {
    const std::optional<Moments> here = if_in_reach([&] { return moments(plan, cuts, z); });
    if (!here) {  // further than a double sees
      high = z;
      z = std::sqrt(low * high);
      continue;
    }
    m = *here;
    const double value = z * (m.mean - epsilon) - 1 - z / (1 + z);
    const double slope = z * (m.mean - epsilon) + z * z * m.variance - z / square(1 + z);
    if (std::abs(value) < 0.3) break;
    (value > 0 ? high : low) = z;
    double next = z * std::exp(std::clamp(-value / std::max(slope, 1e-3), -1.0, 1.0));
    if (!(next > low && next < high)) next = std::sqrt(low * high);
    if (high / low < 1.02 || std::abs(next / z - 1) < 1e-3) break;
    z = next;
  }
  return {z, m};
}

// How many widths above 0 a cut has to be so that what the bulk has above it, over all steps, stays
// below exp(-digits).
double sharpness(const Plan& plan, double digits) {
  double steps = 0;
  for (const PlanEntry& entry : plan) steps += entry.steps;
  return std::sqrt(2 * (digits + std::log(steps)));
}

// The high cut for one eps, and the tilt that goes with it: above eps by so much that exp(tilt (X -
// eps)) stays within a few digits, and so sharp that its tail below eps falls faster than
// e^(eps-X) times the law rises, which is by 1 + tilt: otherwise the third part grows without need.
struct Placed {
  Cuts cuts{};
  Saddle saddle{};
};
Placed placed(const Plan& few, double epsilon, double log_delta, double guess) {
  constexpr double kLift = 8, kWidth = 2.5;
  const double narrow = sharpness(few, kErrorDigits - log_delta + 10);
  Placed found;
  double tilt = guess;
  for (int i = 0; i < 12; ++i) {
    const double lift = kLift / tilt, high = epsilon + lift;
    const double steep = std::sqrt(lift / (1 + tilt));
    found.cuts.high = {.at = high, .width = std::min({kWidth / tilt, steep, high / narrow})};
    found.saddle = saddle_for(few, found.cuts, epsilon, tilt);
    const bool settled = std::abs(std::log(found.saddle.tilt / tilt)) < 0.3;
    tilt = found.saddle.tilt;
    if (settled) break;
  }
  return found;
}

// A tilt to start from: that of rare losses, but no further than the bulk would need.
double first_tilt(const Plan& plan, double epsilon, double log_delta) {
  double variance = 0;
  for (const PlanEntry& entry : plan) {
    const SubsampledGaussian& m = step_of(entry);
    variance += entry.steps * square(m.rate / m.noise);
  }
  const double digits = std::max(2.0, -log_delta);
  return std::min(digits / epsilon, 3 * std::sqrt(2 * digits / variance));
}

// log delta(eps), roughly: the saddle point of what is small, and the mass of what is large.
double log_estimate(const Plan& few, double epsilon, const Placed& at) {
  const double z = at.saddle.tilt, k = at.saddle.at.k;
  const double curvature = at.saddle.at.variance + 1 / square(z) + 1 / square(1 + z);
  const double small = k - z * epsilon - std::log(z * (1 + z) * std::sqrt(6.28 * curvature));
  const Bands bands = bands_of(at.cuts, Part::large);
  double large = 0;
  for (const PlanEntry& entry : few) {
    const auto mass = [&](double tilt) {
      const RoughMoments m = rough_moments(step_of(entry), tilt, bands.whole, bands.extra);
      return m.extra * std::exp(m.k);
    };
    large += entry.steps * std::max(0.0, mass(0) - std::exp(epsilon) * mass(-1));
  }
  return search_log(std::exp(std::max(small, -700.0)) + large);
}

// delta(eps) near one eps.
class Split {
 public:
  Split(const Plan& plan, double epsilon, double log_delta, double guess, double most_work)
      : plan_(plan), few_(with_fewer_noises(plan)) {
    const Placed at = placed(few_, epsilon, log_delta, guess);
    cuts_ = at.cuts;
    tilt_ = at.saddle.tilt;
    masses_ = large_masses(plan_, cuts_, log_delta - kErrorDigits - epsilon);
    find_large(epsilon, log_delta, most_work);
    find_small(epsilon, log_delta, most_work);
  }

  double tilt() const { return tilt_; }

  Bound delta(double epsilon) const {
    const Bound small = line_->integral(epsilon);
    // 1 - e^(eps-X) over all that have a large step, and what that counts below zero.
    const Bound closed = masses_.closed(epsilon);
    const Bound bulk = {
        .lower = 0,
        .upper = bulk_.empty() ? 0 : library_up(std::exp(least(bulk_, epsilon)) * (1 + 1e-9))};
    const double most = std::min(least(put_, epsilon), epsilon + masses_.log_q());
    Bound put = {.lower = 0, .upper = library_up(std::exp(most) * (1 + 1e-9))};
    if (put_line_) put = put_line_->integral(epsilon);
    const Bound sum = small + closed + bulk + put;
    return {.lower = std::max(0.0, sum.lower), .upper = std::min(1.0, sum.upper)};
  }

 private:
  // What the closed form counts below zero, E[(e^(eps-X) - 1)+; some step is large]: at most e^eps
  // times the mass under Q; else Chernoff's bound; else an integral of its own.
  void find_large(double epsilon, double log_delta, double most_work) {
    const double target = log_delta - kErrorDigits, mass = masses_.log_q();
    if (epsilon + mass < target) return;
    std::vector<Chernoff> bounds;
    for (double z = 0.3 / epsilon; z < 1e4 * tilt_; z *= 1.4) {
      const std::optional<double> moment =
          if_in_reach([&] { return rough_part_moment(few_, cuts_, Part::large, -1 - z); });
      if (!moment) break;  // too small for a double
      bounds.push_back({-1 - z, *moment});
      const std::size_t n = bounds.size();
      if (n > 3 && bounds[n - 1].at(epsilon) > bounds[n - 4].at(epsilon)) break;
    }
    if (bounds.empty()) return;
    const auto best = std::min_element(
        bounds.begin(), bounds.end(),
        [&](const Chernoff& a, const Chernoff& b) { return a.at(epsilon) < b.at(epsilon); });
    put_ = {{best->tilt, log_part_moment(plan_, cuts_, Part::large, best->tilt)}};
    if (put_[0].at(epsilon) < target) return;
    CutLineOptions options{.part = Part::large,
                           .near_epsilon = epsilon,
                           .log_error = target,
                           .log_mass = mass,
                           .most_work = most_work};
    // Out of reach: the answer is then as wide as Chernoff's bound.
    if_in_reach([&] {
      choose_tilts(bounds, epsilon + mass, options);
      put_line_.emplace(plan_, cuts_, options);
      return true;
    });
  }

  void find_small(double epsilon, double log_delta, double most_work) {
    const double target = log_delta - kErrorDigits;
    CutLineOptions options{.part = Part::small,
                           .near_epsilon = epsilon,
                           .log_error = target,
                           .log_mass = 0,
                           .most_work = most_work};
    if_in_reach([&] {
      choose_tilts(part_bounds(Part::small), 0, options);
      line_.emplace(plan_, cuts_, options);
      return true;
    });
    if (line_) return;
    find_bulk(epsilon, target);
    options.part = Part::middle;
    choose_tilts(part_bounds(Part::middle), 0, options);
    line_.emplace(plan_, cuts_, options);
  }

  std::vector<Chernoff> part_bounds(Part part) const {
    std::vector<Chernoff> bounds;
    for (const double factor :
         {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.07, 1.15, 1.25, 1.5, 2.0}) {
      const double z = factor * tilt_;
      bounds.push_back({z, rough_part_moment(few_, cuts_, part, z)});
    }
    return bounds;
  }

  // The highest low cut below which the steps cannot make delta together.
  void find_bulk(double epsilon, double target) {
    const double narrow = sharpness(plan_, kErrorDigits + 15);
    for (double low = 0.7 * epsilon; low > 1e-4 * epsilon; low *= 0.75) {
      cuts_.low = {.at = low, .width = low / narrow};
      const Chernoff bound = bulk_bound(epsilon, target);
      if (bound.at(epsilon) > target) continue;
      const Cuts bulk = {.low = cuts_.low, .high = cuts_.low};
      bulk_ = {{bound.tilt, log_part_moment(plan_, bulk, Part::small, bound.tilt)}};
      if (bulk_[0].at(epsilon) <= target + 1) return;
    }
    throw OutOfReach("contour cannot certify this plan: its losses do not fall apart");
  }
  Chernoff bulk_bound(double epsilon, double target) const {
    const Cuts bulk = {.low = cuts_.low, .high = cuts_.low};
    Chernoff best{tilt_, kInfinity};
    for (const double factor : {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0}) {
      const double z = factor * tilt_;
      const Chernoff bound{z, rough_part_moment(few_, bulk, Part::small, z)};
      if (bound.at(epsilon) > best.at(epsilon)) break;
      best = bound;
      if (best.at(epsilon) < target) break;
    }
    return best;
  }

  const Plan& plan_;
  Plan few_;
  double tilt_ = 0;
  Cuts cuts_{};
  Masses masses_{};
  std::vector<Chernoff> bulk_, put_;
  std::optional<CutLine> line_, put_line_;
};

// Where log_estimate passes log_delta: down from the upper end in steps, then by interpolation.
double guess_epsilon(const Plan& few, double log_delta, const Bound& known) {
  const auto excess = [&](double epsilon) -> std::optional<double> {
    return if_in_reach([&] {  // a tilt out of reach: eps is far from where it matters
      const Placed at = placed(few, epsilon, log_delta, first_tilt(few, epsilon, log_delta));
      return log_delta - log_estimate(few, epsilon, at);
    });
  };
  const double least = std::max(known.lower, std::min(5e-10, known.upper));
  double above = known.upper, below = std::max(least, 0.6 * above);
  bool seen = false;
  for (int i = 0; i < 60 && below > least; ++i) {
    const std::optional<double> value = excess(below);
    if (value ? !(*value > 0) : seen) break;
    seen = value.has_value();
    above = below;
    below = std::max(least, 0.6 * above);
  }
  return find_root([&](double e) { return excess(e).value_or(-1); },
                   {.lower = below, .upper = above}, 3e-3);
}

}  // namespace

bool can_split(const Plan& plan) {
  return std::all_of(plan.begin(), plan.end(), [](const PlanEntry& e) {
    const auto* m = std::get_if<SubsampledGaussian>(&e.mechanism);
    return m != nullptr && m->rate < 1;
  });
}

namespace {

// Proves what it can from a guess, moving on while the root is out of reach of the cuts.
Bound solve_from(const Plan& plan, double delta, double guess, Bound known) {
  const double log_delta = std::log(delta);
  const Plan few = with_fewer_noises(plan);
  double tilt = first_tilt(few, guess, log_delta);
  bool settled = false;
  for (int i = 0; i < 10; ++i) {
    guess = std::clamp(guess, std::max(known.lower, 1e-12 * known.upper), known.upper);
    const std::optional<double> next = if_in_reach([&] {
      const Split split(plan, guess, log_delta, tilt, 1e8);
      const auto excess = [&](double e) {
        const Bound d = split.delta(e);
        return log_delta - search_log(d.lower > 0 ? midpoint(d) : d.upper);
      };
      tilt = split.tilt();
      const double room = 6 / tilt;
      const Bound range = {.lower = std::max(known.lower, guess - room),
                           .upper = std::min(known.upper, guess + room)};
      const double root = find_root(excess, range, 1e-14);
      const Bound found =
          certified_root([&](double e) { return delta - split.delta(e); }, root, known);
      known = intersect(known, found);
      settled = width(known) <= 1e-8 * known.upper || std::abs(root - guess) < 0.2 * room;
      return root;
    });
    if (!next || settled) break;  // what is known so far holds
    guess = *next;
  }
  return known;
}

}  // namespace

Bound rare_epsilon(const Plan& plan, double delta, const Bound& given) {
  Bound known = given;
  // Far above the truth the estimate misleads; then start from further down.
  for (const double factor : {1.0, 0.2, 0.04, 0.008}) {
    const Bound range = {.lower = known.lower,
                         .upper = std::max(known.lower, factor * given.upper)};
    const double guess = guess_epsilon(with_fewer_noises(plan), std::log(delta), range);
    known = solve_from(plan, delta, guess, known);
    if (width(known) <= std::max(1e-7 * known.upper, 1e-10)) break;
  }
  return known;
}

Bound rare_delta(const Plan& plan, double epsilon, const Bound& known) {
  const Plan few = with_fewer_noises(plan);
  const std::optional<Bound> found = if_in_reach([&] {
    const Placed at = placed(few, epsilon, -20, first_tilt(few, epsilon, -20));
    const double log_delta = std::min(-1.0, log_estimate(few, epsilon, at));
    const Split split(plan, epsilon, log_delta, at.saddle.tilt, 1e8);
    return intersect(known, split.delta(epsilon));
  });
  return found.value_or(known);
}

}  // namespace ration::contour
