#include "ration/individual/blackwell.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/compose/accountants.h"
#include "ration/individual/line_table.h"
#include "ration/individual/tilt_ladder.h"
#include "ration/individual/used_mechanisms.h"
#include "ration/loss/gdp.h"

namespace ration {
namespace {

constexpr int kRungsOfGaussians = 2;
constexpr int kPoints = 64;
constexpr double kDigits = 14;  // aliases are below exp(-kDigits) of delta
// Points of the curve with a smaller delta are not looked at: the paper's transforms cannot see
// them.
constexpr double kLeastDelta = 1e-12;
// A line needs a law that is tilted visibly.
constexpr double kLeastMoment = 0.15;

// The rung whose line shows delta(eps) best: the least Chernoff bound.
std::size_t best_rung(const TiltLadder& ladder, const std::vector<double>& k, double epsilon) {
  std::size_t best = ladder.size() - 1;
  for (std::size_t i = ladder.size(); i-- > 0 && k[i] >= kLeastMoment;) {
    if (k[i] - ladder.tilt(i) * epsilon <= k[best] - ladder.tilt(best) * epsilon) best = i;
  }
  return best;
}

std::vector<double> grid(const BlackwellRange& range) {
  if (!(range.from < range.to)) refuse("end of the range", range.to, "an epsilon above its start");
  if (range.points < 2) refuse("points", range.points, "2 or more");
  std::vector<double> epsilons;
  epsilons.reserve(static_cast<std::size_t>(range.points));
  for (int i = 0; i < range.points; ++i) {
    epsilons.push_back(range.from + (range.to - range.from) * i / (range.points - 1));
  }
  return epsilons;
}

// One direction of everybody's curve at one end of the rounding.
class Curves {
 public:
  Curves(const UsedMechanisms& used, Rounding rounding, Direction direction,
         const std::vector<double>& epsilons)
      : used_(used),
        rounding_(rounding),
        epsilons_(epsilons),
        ladder_(used.mechanisms(), direction, kRungsOfGaussians) {
    const auto [first, last] = rungs_in_use();
    const std::vector<unsigned char> all(used.mechanisms().size(), 1);
    lines_.resize(ladder_.size());
    for (std::size_t i = first; i <= last; ++i) {
      const double tilt = 0.7 * ladder_.tilt(i);
      const LineShape shape = {
          .tilt = tilt, .period = (kDigits - std::log(kLeastDelta)) / tilt, .points = kPoints};
      lines_[i].emplace(Laws{.mechanisms = used.mechanisms()}, direction, shape, used.steps(), all);
    }
  }

  // The largest mu through a point of the person's curve, or `mu` if that is larger.
  double raise(std::size_t person, double mu) const {
    static thread_local std::vector<double> delta, mus;
    static thread_local std::vector<Bound> gaussian;
    curve(person, delta);
    const std::size_t points = delta.size();
    gaussian.resize(points);
    // Takes the point that lies furthest above the Gaussian curve, until none does.
    for (std::size_t worst = points / 2; worst < points;) {
      mu = std::max(mu, gdp::mu({.epsilon = epsilons_[worst], .delta = delta[worst]}).upper);
      mus.assign(points, mu);
      gdp::deltas(std::span(epsilons_).first(points), mus, gaussian);
      double most = 1 + 1e-9;
      worst = points;
      for (std::size_t i = 0; i < points; ++i) {
        if (delta[i] <= most * gaussian[i].upper) continue;
        most = delta[i] / gaussian[i].upper;
        worst = i;
      }
    }
    return mu;
  }

 private:
  struct Rungs {
    std::size_t first, last;
  };
  // delta at the grid's eps, as far as it is at least kLeastDelta.
  void curve(std::size_t person, std::vector<double>& deltas) const {
    static thread_local Usage usage;
    static thread_local std::vector<double> k;
    deltas.clear();
    used_.usage(person, rounding_, usage);
    if (usage.empty()) return;
    k.resize(ladder_.room());
    ladder_.moments_up(usage, k);
    std::optional<LineTable::Person> line;
    std::size_t rung = lines_.size();
    for (const double epsilon : epsilons_) {
      const std::size_t best = best_rung(ladder_, k, epsilon);
      if (k[best] - ladder_.tilt(best) * epsilon < std::log(kLeastDelta)) return;
      if (best != rung) {
        rung = best;
        line.emplace(*lines_[rung], at_edges(usage), epsilon, 0);
      }
      const double log_delta = line->estimate(epsilon).log_sum;
      if (!std::isfinite(log_delta)) {
        throw OutOfReach(
            "blackwell cannot see these losses: noise, rate and order ask for too much");
      }
      const double delta = std::min(1.0, std::exp(log_delta));
      if (delta < kLeastDelta) return;
      deltas.push_back(delta);
    }
  }
  // Looks at everybody, and extends the ladder while somebody stands at its end.
  Rungs rungs_in_use() {
    for (;;) {
      std::vector<Rungs> of(used_.people());
      in_parallel(used_.people(), [&](std::size_t p) { of[p] = rungs_of(p); });
      Rungs all = {.first = ladder_.size() - 1, .last = 0};
      for (const Rungs& r : of) {
        all = {.first = std::min(all.first, r.first), .last = std::max(all.last, r.last)};
      }
      const bool down = all.first == 0 && ladder_.extend_down();
      const bool up = all.last + 1 == ladder_.size() && ladder_.extend_up();
      if (!down && !up) return all;
    }
  }
  Rungs rungs_of(std::size_t person) const {
    static thread_local Usage usage;
    static thread_local std::vector<double> k;
    used_.usage(person, rounding_, usage);
    if (usage.empty()) return {.first = ladder_.size() - 1, .last = 0};
    k.resize(ladder_.room());
    ladder_.moments_up(usage, k);
    Rungs found = {.first = best_rung(ladder_, k, epsilons_.front()), .last = 0};
    for (const double epsilon : epsilons_) {
      const std::size_t best = best_rung(ladder_, k, epsilon);
      if (k[best] - ladder_.tilt(best) * epsilon < std::log(kLeastDelta)) break;
      found.last = best;
    }
    return found;
  }

  const UsedMechanisms& used_;
  Rounding rounding_;
  const std::vector<double>& epsilons_;
  TiltLadder ladder_;
  std::vector<std::optional<LineTable>> lines_;
};

// min over z > 0 of (mu^2 z (z+1) / 2 + c(z) - log delta) / z, which has one minimum.
double gaussian_renyi(double mu, double log_delta) {
  if (mu == 0) return 0;
  const auto epsilon = [&](double log_z) {
    const double z = std::exp(log_z);
    return (mu * mu * z * (z + 1) / 2 + renyi::conversion(z) - log_delta) / z;
  };
  double low = -20, high = 45;
  while (high - low > 1e-6) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (epsilon(a) < epsilon(b) ? high : low) = epsilon(a) < epsilon(b) ? b : a;
  }
  return std::max(0.0, epsilon(low));
}

// mu of everybody at one end of the rounding.
std::vector<double> mus_at(Rounding rounding, const UsedMechanisms& used,
                           const BlackwellRange& range) {
  const std::vector<double> epsilons = grid(range);
  std::vector<double> mu(used.people(), 0);
  for (const Direction direction : {Direction::remove, Direction::add}) {
    const Curves curves(used, rounding, direction, epsilons);
    in_parallel(mu.size(), [&](std::size_t p) { mu[p] = curves.raise(p, mu[p]); });
  }
  return mu;
}

}  // namespace

std::vector<Bound> blackwell_mus(const UsedMechanisms& used, const BlackwellRange& range,
                                 const Progress& progress) {
  std::vector<Bound> mu(used.people());
  const std::vector<double> down = mus_at(Rounding::down, used, range);
  if (progress) progress(used.people());
  const std::vector<double> up = mus_at(Rounding::up, used, range);
  if (progress) progress(used.people());
  for (std::size_t p = 0; p < mu.size(); ++p) mu[p] = {.lower = down[p], .upper = up[p]};
  return mu;
}

std::vector<Bound> blackwell_epsilons(const UsedMechanisms& used, Delta delta,
                                      const BlackwellRange& range, const Progress& progress) {
  std::vector<Bound> found = blackwell_mus(used, range, progress);
  const double log_delta = std::log(delta);
  in_parallel(found.size(), [&](std::size_t p) {
    found[p] = {.lower = gaussian_renyi(found[p].lower, log_delta),
                .upper = gaussian_renyi(found[p].upper, log_delta)};
  });
  return found;
}

namespace {

// The grid would give the contour's numbers again, in minutes for a person of many noise levels.
std::vector<Method> methods_of(const Plan& run) {
  if (gaussian::covers(run)) return {Method::gdp, Method::contour, Method::rdp};
  return {Method::contour, Method::rdp};
}

// delta is 0 everywhere, even at the smallest eps.
std::vector<CurvePoint> curve_of_nothing(std::size_t methods, const CurveRange& range) {
  std::vector<CurvePoint> points = delta_curve({}, {}, range);
  for (CurvePoint& point : points) point.delta.assign(methods, exactly(0));
  return points;
}

}  // namespace

PersonCurve person_curve(const Accounts& accounts, std::size_t person, const Plan& run,
                         const CurveRange& range, const BlackwellRange& fitted_on) {
  const Plan plan = plan_of(accounts, person, Rounding::up);
  PersonCurve curve = {.methods = methods_of(run), .points = {}, .blackwell = {}};
  curve.points = plan.empty() ? curve_of_nothing(curve.methods.size(), range)
                              : delta_curve(plan, curve.methods, range);
  const Accounts account = accounts.of({&person, 1});
  const double mu = mus_at(Rounding::up, UsedMechanisms(account), fitted_on).front();
  for (const CurvePoint& point : curve.points) {
    curve.blackwell.push_back(gdp::delta({.epsilon = point.epsilon, .mu = mu}).upper);
  }
  return curve;
}

}  // namespace ration
