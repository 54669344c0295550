#include "ration/control/renyi_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/compose/conversion.h"
#include "ration/control/renyi_rule.h"
#include "ration/loss/rdp.h"
#include "ration/numeric/interval.h"

namespace ration {
namespace {

// D = eps - cost: the part of eps that the conversion takes, (c(z) - log delta) / z.
Bound conversion_cost(Order order, Delta delta) {
  const Bound z = exactly(order) - 1.0;
  return (renyi::conversion(z) - log(exactly(delta))) / z;
}

bool limits_nothing(std::span<const Units> row) {
  return std::all_of(row.begin(), row.end(), [](Units x) { return x == kMostUnits; });
}

struct RenyiUnits {
  std::span<const Order> orders;

  std::vector<Units> operator()(const MuBudget& b) const {
    const Units square = gdp_units(b);
    std::vector<Units> row;
    for (const Order order : orders) row.push_back(scale_down(square, order / 2));
    return row;
  }

  std::vector<Units> operator()(const StepsBudget& b) const {
    std::vector<Units> row = RenyiRule(b.step, orders).worst_case();
    const auto steps = static_cast<Units>(b.steps);
    for (Units& x : row) x = multiply_saturated(x, steps);
    return row;
  }

  // The multiple is the largest of allowed / shape over the orders; at the order where it is taken
  // the budget is what is allowed, and that order gives the guarantee.
  std::vector<Units> operator()(const EpsilonBudget& b) const {
    double multiple = 0;
    std::size_t best = 0;
    double best_allowed = 0;
    for (std::size_t k = 0; k < orders.size(); ++k) {
      const double allowed = (exactly(b.epsilon) - conversion_cost(orders[k], b.delta)).lower;
      const double ratio = allowed > 0 ? div_down(allowed, shape(b, orders[k])) : 0;
      if (ratio <= multiple) continue;
      multiple = ratio;
      best = k;
      best_allowed = allowed;
    }
    if (multiple == 0) {
      throw Error(fmt::format(
          "budget epsilon = {} at delta = {} is out of reach of {}: give larger orders, a larger "
          "epsilon or a larger delta",
          double{b.epsilon}, double{b.delta},
          orders.size() == 1 ? fmt::format("order {}", double{orders[0]}) : "these orders"));
    }
    std::vector<Units> row;
    for (const Order order : orders) {
      row.push_back(units_down(mul_down(multiple, shape(b, order))));
    }
    row[best] = units_down(best_allowed);
    if (row[best] == kMostUnits) refuse("budget epsilon", b.epsilon, "at most 16384");
    return row;
  }

  static double shape(const EpsilonBudget& b, Order order) {
    if (!b.shape) return order / 2;
    const SubsampledGaussian step = {.noise = b.shape->noise, .rate = b.shape->rate};
    return rdp::divergence(step, order).upper;
  }
};

}  // namespace

std::vector<Order> default_orders() {
  return {1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64};
}

void check_orders(std::span<const Order> orders) {
  if (orders.empty()) throw Error("orders are missing: give at least one");
  for (std::size_t k = 1; k < orders.size(); ++k) {
    if (orders[k] > double{orders[k - 1]}) continue;
    throw Error(fmt::format("order {} follows {}: give orders that increase", double{orders[k]},
                            double{orders[k - 1]}));
  }
}

std::vector<Units> renyi_units(const Budget& budget, std::span<const Order> orders) {
  check_orders(orders);
  const DefaultFloatEnvironment environment;
  std::vector<Units> row = std::visit(RenyiUnits{orders}, budget);
  if (limits_nothing(row)) {
    throw Error("budget is a divergence of more than 16384 at every order: give less");
  }
  return row;
}

bool is_total(std::span<const Units> totals) {
  const auto zeros = std::count(totals.begin(), totals.end(), Units{0});
  return zeros == 0 || zeros == std::ssize(totals);
}

bool is_sound(std::span<const Units> spent, std::span<const Units> budget) {
  return !limits_nothing(budget) && is_total(spent) &&
         std::equal(spent.begin(), spent.end(), budget.begin(), budget.end(), std::less_equal<>());
}

Bound renyi_epsilon(std::span<const Units> divergences, std::span<const Order> orders,
                    Delta delta) {
  const DefaultFloatEnvironment environment;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Bound best = {.lower = kInfinity, .upper = kInfinity};
  if (std::all_of(divergences.begin(), divergences.end(), [](Units d) { return d == 0; })) {
    return exactly(0);
  }
  for (std::size_t k = 0; k < orders.size(); ++k) {
    if (divergences[k] == kMostUnits) continue;
    best = min(best, sum_of(divergences[k], 0) + conversion_cost(orders[k], delta));
  }
  return max(best, exactly(0));
}

}  // namespace ration
