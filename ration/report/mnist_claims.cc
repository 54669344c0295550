#include "ration/report/mnist_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ration/compose/conversion.h"
#include "ration/individual/quantiles.h"
#include "ration/loss/gdp.h"
#include "ration/report/rounded_text.h"

namespace ration {
namespace {

constexpr double kLeastSeen = 1e-12;  // of delta; an FFT in double precision ends about there
constexpr double kClose = 0.05;       // in eps
constexpr double kSharp = 1e-6;       // relative: how near PLD's ends are to each other

std::string text(double x) { return rounded_up(x, 4); }

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

// How many of the first lie below the second, by more than a share of it, and the largest share.
struct Below {
  std::size_t count = 0;
  double most = 0;
};
Below below(std::span<const double> first, std::span<const double> second, double more_than = 0) {
  Below found;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!(first[i] < second[i] * (1 - more_than))) continue;
    ++found.count;
    found.most = std::max(found.most, 1 - first[i] / second[i]);
  }
  return found;
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
  std::size_t seen = 0, under = 0;
  double overstated = 0, most_beyond = 0;
  std::vector<FittedPoint> above;  // beyond what is seen
  for (const FittedPoint& point : curve) {
    const bool lies_under = point.fitted < point.delta.lower;
    const bool is_seen = point.epsilon >= fitted_on.from && point.epsilon <= fitted_on.to &&
                         point.delta.upper >= kLeastSeen;
    seen += static_cast<std::size_t>(is_seen);
    under += static_cast<std::size_t>(is_seen && lies_under);
    if (is_seen && !lies_under) {
      // The eps at which the fitted curve comes down to the person's delta.
      const double delta = std::clamp(point.fitted, 1e-300, 1 - 1e-15);
      const double mu = gdp::mu({.epsilon = point.epsilon, .delta = delta}).upper;
      const double at = gdp::epsilon({.mu = mu, .delta = point.delta.upper}).upper;
      overstated = std::max(overstated, at - point.epsilon);
    }
    if (!is_seen && lies_under) {
      above.push_back(point);
      most_beyond = std::max(most_beyond, point.delta.lower / point.fitted);
    }
  }
  const std::string beyond =
      above.empty()
          ? "Beyond that no point that was looked at is certified to lie above the fitted curve."
          : fmt::format(
                "Beyond that the fit covers nothing: from epsilon {:.3g} (delta {:.2g}) to {:.3g} "
                "the person's curve is certified to lie above the fitted one, by a factor of up to "
                "{:.3g}.",
                above.front().epsilon, above.front().delta.upper, above.back().epsilon,
                most_beyond);
  return {
      .statement = "The mu-GDP curve is a close upper bound of the person's delta(epsilon).",
      .finding = fmt::format(
          "Of {} points of the range it was fitted on where delta is at least {:.0e}, the fitted "
          "curve lies below the certified one at {}; elsewhere it overstates epsilon by at most "
          "{} (close: up to {}). {}",
          seen, kLeastSeen, under, text(overstated), kClose, beyond),
      .held = seen > 0 && under == 0 && overstated <= kClose};
}

Claim pld_captures_small(std::span<const double> pld, const RenyiBaseline& baseline) {
  const Small by_pld = small_of(pld), by_rdp = small_of(baseline.epsilon);
  const std::string floor =
      baseline.floor ? fmt::format(" These orders cannot say less than {}, whoever it is about.",
                                   rounded_down(*baseline.floor, 4))
                     : "";
  return {.statement =
              fmt::format("PLD captures small individual epsilons better than {}.", baseline.name),
          .finding = fmt::format(
              "The least epsilon is {} by PLD and {} by {}; the 5% quantile is {} and {}, a "
              "factor of {:.3g}.{}",
              text(by_pld.least), text(by_rdp.least), baseline.name, text(by_pld.quantile),
              text(by_rdp.quantile), by_rdp.quantile / by_pld.quantile, floor),
          .held = by_pld.least < by_rdp.least && by_pld.quantile < by_rdp.quantile};
}

Claim pld_is_never_above(std::span<const double> pld, std::span<const double> rdp) {
  const Below above = below(rdp, pld);
  return {.statement = "Nobody's epsilon by PLD is above their epsilon by RDP.",
          .finding = fmt::format("It is above for {} of {} people.", above.count, pld.size()),
          .held = above.count == 0};
}

Claim approximation_is_upper_bound(std::span<const double> approximate,
                                   std::span<const double> pld) {
  const Below lower = below(approximate, pld, kSharp);
  const std::string by =
      lower.count == 0 ? "" : fmt::format(", by up to {:.2g}% of it", 100 * lower.most);
  double above = 0;
  for (std::size_t i = 0; i < pld.size(); ++i) {
    if (pld[i] > 0) above = std::max(above, approximate[i] / pld[i] - 1);
  }
  return {.statement = "The approximative accountant gives an upper bound of everybody's epsilon.",
          .finding = fmt::format(
              "It is below the certified value for {} of {} people{}; it overstates it by up to "
              "{:.3g}%. It is approximate in any case: nothing proves it.",
              lower.count, pld.size(), by, 100 * above),
          .held = lower.count == 0};
}

Claim approximation_is_below_rdp(std::span<const double> approximate, std::span<const double> rdp) {
  const Below smaller = below(approximate, rdp);
  return {.statement =
              "The approximative accountant often gives a smaller epsilon than individual RDP.",
          .finding = fmt::format("It is smaller than RDP over real orders for {} of {} people, by "
                                 "up to {:.2g}%.",
                                 smaller.count, rdp.size(), 100 * smaller.most),
          .held = 2 * smaller.count > rdp.size()};
}

}  // namespace ration
