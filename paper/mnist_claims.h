// What figure 1 of the paper says, against numbers: each function states the claim, what came out,
// and whether that agrees. Everybody's values are upper ends, in the same order of people. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paper/evidence.h"
#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/individual/blackwell.h"

namespace ration::paper {

// A person's curve at one eps: what is certified of it, and the Gaussian curve that was fitted.
struct FittedPoint {
  double epsilon;
  Bound delta;
  double fitted;
};

// Between the points that it was fitted to, which prove nothing (those of the range at which the
// person's delta is at least 1e-12), the fitted curve lies nowhere below theirs, and its mu is
// above that of the Gaussian through their point by less than 5%. Points beyond that are mentioned,
// not judged.
Claim fitted_curve_is_close(std::span<const FittedPoint> curve, const BlackwellRange& fitted_on);

// The least eps and the 5% quantile by PLD are less than half of those by RDP.
struct RenyiBaseline {
  std::string_view name;  // "RDP over orders 2 to 32"
  std::span<const double> epsilon;
  std::optional<double> floor = {};  // what it says of somebody who has spent nothing
};
Claim pld_captures_small(std::span<const double> pld, const RenyiBaseline& baseline);

// Nobody's eps by the approximative accountant is certain to be too small: below the lower end of
// what PLD certifies of the plans that it bounds.
Claim approximation_is_upper_bound(std::span<const double> approximate, std::span<const Bound> pld);

// For more than half of the people the approximative accountant says less than RDP.
Claim approximation_is_below_rdp(std::span<const double> approximate, std::span<const double> rdp);

// The eps of somebody who has spent nothing, by the best of these orders.
double renyi_floor(std::span<const Order> orders, Delta delta);

// An eps as the figures of this experiment show it.
inline std::string epsilon_text(double epsilon) { return rounded_up(epsilon, 4); }

}  // namespace ration::paper
