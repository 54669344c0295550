#include "paper/mnist_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ration/compose/accountants.h"
#include "ration/individual/quantiles.h"
#include "ration/loss/gdp.h"

namespace ration::paper {
namespace {

constexpr double kLeastSeen = 1e-12;  // of delta; an FFT in double precision ends about there
constexpr double kClose = 0.05;       // of mu
constexpr double kSmaller = 0.5;      // "better" at small epsilons: less than this share of RDP's

// The least, and the 5% quantile.
struct Small {
  double least, quantile;
};
Small small_of(std::span<const double> epsilons) {
  std::vector<Bound> exact;
  exact.reserve(epsilons.size());
  for (const double epsilon : epsilons) exact.push_back(exactly(epsilon));
  const Quantiles quantiles = quantiles_of(exact);
  return {.least = quantiles[0].upper, .quantile = quantiles[1].upper};
}

// How many of the first lie below the second, and by what share of it at most.
struct Below {
  std::size_t count = 0;
  double most = 0;
};
Below below(std::span<const double> first, std::span<const double> second) {
  Below found;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!(first[i] < second[i])) continue;
    ++found.count;
    found.most = std::max(found.most, 1 - first[i] / second[i]);
  }
  return found;
}

bool is_in_fit(double epsilon, const BlackwellRange& range) {
  const double place = (epsilon - range.from) / (range.to - range.from) * (range.points - 1);
  return std::round(place) >= 0 && std::round(place) < range.points &&
         std::abs(place - std::round(place)) < 1e-6;
}

// The last eps that the fit has seen.
double last_fitted(std::span<const FittedPoint> curve, const BlackwellRange& range) {
  double last = 0;
  for (const FittedPoint& point : curve) {
    if (point.delta.upper >= kLeastSeen && is_in_fit(point.epsilon, range)) last = point.epsilon;
  }
  return last;
}

// The Gaussian whose delta at eps this is.
double mu_through(double epsilon, double delta) {
  return gdp::mu({.epsilon = epsilon, .delta = std::clamp(delta, 1e-300, 1 - 1e-15)}).upper;
}

// Where the person's curve is certain to be above the fitted one though the fit did not look there.
std::string beyond_in_words(std::span<const FittedPoint> not_covered) {
  if (not_covered.empty()) {
    return "Beyond that no point that was looked at is certified to lie above the fitted curve.";
  }
  double most = 0;
  for (const FittedPoint& point : not_covered) {
    most = std::max(most, point.delta.lower / point.fitted);
  }
  return fmt::format(
      "Beyond that the fit covers nothing: at {} points, the first at epsilon {:.3g} (delta "
      "{:.2g}) "
      "and the last at {:.3g}, the person's curve is certified to lie above the fitted one, by a "
      "factor of up to {:.3g}.",
      not_covered.size(), not_covered.front().epsilon, not_covered.front().delta.upper,
      not_covered.back().epsilon, most);
}

}  // namespace

double renyi_floor(std::span<const Order> orders, Delta delta) {
  double least = std::numeric_limits<double>::infinity();
  for (const double order : orders) {
    const double z = order - 1;
    least = std::min(least, (renyi::conversion(z) - std::log(delta)) / z);
  }
  return least;
}

Claim fitted_curve_is_close(std::span<const FittedPoint> curve, const BlackwellRange& fitted_on) {
  const double last = last_fitted(curve, fitted_on);
  double judged_points = 0, points_below = 0, overstated = 0;
  std::vector<FittedPoint> not_covered;
  for (const FittedPoint& point : curve) {
    const bool lies_below = point.fitted < point.delta.lower;
    if (point.epsilon > last && lies_below) not_covered.push_back(point);
    if (point.epsilon > last || is_in_fit(point.epsilon, fitted_on)) continue;
    ++judged_points;
    points_below += lies_below ? 1 : 0;
    overstated = std::max(
        overstated,
        mu_through(point.epsilon, point.fitted) / mu_through(point.epsilon, point.delta.upper) - 1);
  }
  return judged(
      fmt::format("Between the points that it is fitted to (with a delta of at least {:.0e}), the "
                  "mu-GDP curve is a close upper bound of the person's delta(epsilon): nowhere "
                  "below it, with a mu less than {:.0f}% above that of their curve.",
                  kLeastSeen, 100 * kClose),
      fmt::format(
          "Of {} points between those of the fit where delta is at least {:.0e}, the fitted "
          "curve lies below the certified one at {}; it overstates mu by up to {:.2g}%. {}",
          judged_points, kLeastSeen, points_below, 100 * overstated, beyond_in_words(not_covered)),
      {{.what = "points that were judged", .number = known(judged_points), .above = 0},
       {.what = "points where the fitted curve lies below",
        .number = known(points_below),
        .below = 1},
       {.what = "largest share by which mu is overstated",
        .number = known(overstated),
        .below = kClose}});
}

Claim pld_captures_small(std::span<const double> pld, const RenyiBaseline& baseline) {
  const Small by_pld = small_of(pld), by_rdp = small_of(baseline.epsilon);
  const double least = by_pld.least / by_rdp.least, quantile = by_pld.quantile / by_rdp.quantile;
  const std::string floor =
      baseline.floor ? fmt::format(" These orders cannot give less than {}, whoever it is about.",
                                   rounded_down(*baseline.floor, 4))
                     : "";
  return judged(
      fmt::format("PLD captures small individual epsilons better than {}: the least one and the 5% "
                  "quantile are less than half as large.",
                  baseline.name),
      fmt::format(
          "The least epsilon is {} by PLD and {} by {}, a factor of {:.3g}; the 5% quantile "
          "is {} and {}, a factor of {:.3g}.{}",
          epsilon_text(by_pld.least), epsilon_text(by_rdp.least), baseline.name, 1 / least,
          epsilon_text(by_pld.quantile), epsilon_text(by_rdp.quantile), 1 / quantile, floor),
      {{.what = "least epsilon by PLD as a share of RDP's",
        .number = known(least),
        .below = kSmaller},
       {.what = "5% quantile by PLD as a share of RDP's",
        .number = known(quantile),
        .below = kSmaller}});
}

Claim approximation_is_upper_bound(std::span<const double> approximate,
                                   std::span<const Bound> pld) {
  std::vector<double> certain;
  double overstated = 0;
  for (std::size_t i = 0; i < pld.size(); ++i) {
    certain.push_back(pld[i].lower);
    if (pld[i].upper > 0) overstated = std::max(overstated, approximate[i] / pld[i].upper - 1);
  }
  const Below too_small = below(approximate, certain);
  const std::string by =
      too_small.count == 0 ? "" : fmt::format(", by up to {:.2g}% of it", 100 * too_small.most);
  return judged(
      "The approximative accountant gives an upper bound of everybody's epsilon.",
      fmt::format("It is below the lower end of the certified value for {} of {} people{}; it "
                  "overstates the upper end by up to {:.3g}%. It is approximate in any case: "
                  "nothing proves it.",
                  too_small.count, pld.size(), by, 100 * overstated),
      {{.what = "people for whom it is certain to be too small",
        .number = known(static_cast<double>(too_small.count)),
        .below = 1}});
}

Claim approximation_is_below_rdp(std::span<const double> approximate, std::span<const double> rdp) {
  const Below smaller = below(approximate, rdp);
  return judged(
      "The approximative accountant often (for more than half of the people) gives a "
      "smaller epsilon than individual RDP.",
      fmt::format("It is smaller than RDP over real orders for {} of {} people, by up to "
                  "{:.2g}%.",
                  smaller.count, rdp.size(), 100 * smaller.most),
      {{.what = "share of people for whom it is smaller",
        .number = known(static_cast<double>(smaller.count) / static_cast<double>(rdp.size())),
        .above = 0.5}});
}

}  // namespace ration::paper
