// What figure 1 of the paper says, against numbers: each function states the claim, what came out,
// and whether that agrees. Everybody's values are upper ends, in the same order of people. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/individual/blackwell.h"
#include "ration/report/figure.h"

namespace ration {

// A person's curve at one eps: what is certified of it, and the Gaussian curve that was fitted.
struct FittedPoint {
  double epsilon;
  Bound delta;
  double fitted;
};

// On the range it was fitted on, wherever the person's delta is at least 1e-12, the fitted curve
// lies nowhere below theirs and overstates their eps at any delta by at most 0.05. Points beyond
// that are only told about.
Claim fitted_curve_is_close(std::span<const FittedPoint> curve, const BlackwellRange& fitted_on);

// The least eps and the 5% quantile are smaller by PLD than by RDP.
struct RenyiBaseline {
  std::string_view name;  // "RDP over orders 2 to 32"
  std::span<const double> epsilon;
  std::optional<double> floor = {};  // what it says of somebody who has spent nothing
};
Claim pld_captures_small(std::span<const double> pld, const RenyiBaseline& baseline);

// Nobody's eps by PLD is above that by RDP.
Claim pld_is_never_above(std::span<const double> pld, std::span<const double> rdp);

// Nobody's eps by the approximative accountant is below what is certified by PLD (by more than a
// millionth of it, which is as sharp as PLD's ends are).
Claim approximation_is_upper_bound(std::span<const double> approximate,
                                   std::span<const double> pld);

// For more than half of the people the approximative accountant says less than RDP.
Claim approximation_is_below_rdp(std::span<const double> approximate, std::span<const double> rdp);

// eps of nothing spent, by the best of these orders.
double renyi_floor(std::span<const Order> orders, Delta delta);

}  // namespace ration
