// From a plan to (eps, delta): the front door of the accountants. Pure functions.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

// gdp: exact, for normal noise without sampling. contour: tight, for normal noise. fourier: tight
// on a grid, for every mechanism. rdp: Renyi divergences, for steps chosen in view of outputs too.
enum class Method { gdp, rdp, contour, fourier };
inline constexpr std::array kMethods = {Method::gdp, Method::contour, Method::fourier, Method::rdp};
std::string_view name(Method method);

inline constexpr double kDefaultAccuracy = 1e-3;

// How to account. By default the tightest certified method that fits the plan, and for Renyi
// the best of all real orders.
struct Accounting {
  std::optional<Method> method = {};
  std::vector<Order> orders = {};  // if not empty: the best of these only, as many other tools do
  // Of fourier: the width of eps that is good enough, and, if given, the grid to work on.
  double accuracy = kDefaultAccuracy;
  std::optional<double> grid = {};
};

// What makes a bound wide, as parts of delta: upper and lower version on the grid, what lies beyond
// the grid, what wraps around, and rounding.
struct ErrorBudget {
  double grid, tail, wrap, rounding;
};

struct Privacy {
  Bound epsilon;
  Bound delta;
  Direction direction;  // the one that costs more
  Method method;
  Guarantee guarantee;
  std::optional<ErrorBudget> errors = {};  // of fourier
};

// The smallest eps at this delta, and the smallest delta at this eps, that the method can show: for
// rdp the Bound encloses the best Renyi bound, which lies above the tight value. Each refuses a
// plan that is empty or that the chosen method cannot certify.
Privacy compose(const Plan& plan, Delta delta, const Accounting& how = {});
Privacy delta_at(const Plan& plan, Epsilon epsilon, const Accounting& how = {});

// delta over a range of eps under every method that can account for a plan, side by side; the
// methods that certify this plan, tightest first.
std::vector<Method> methods_for(const Plan& plan);

struct CurveRange {
  Epsilon from, to;
  int points;  // at least 2
};
struct CurvePoint {
  double epsilon;
  std::vector<Bound> delta;  // one per method
};
std::vector<CurvePoint> delta_curve(const Plan& plan, const std::vector<Method>& methods,
                                    const CurveRange& range);

}  // namespace ration
