#include "ration/control/renyi_currency.h"

#include <fmt/format.h>

#include <algorithm>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/compose/accountants.h"
#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_price.h"
#include "ration/loss/rdp.h"
#include "ration/numeric/directed.h"
#include "ration/numeric/interval.h"

namespace ration {
namespace {

// D = eps - cost: the part of eps that the conversion takes, (c(z) - log delta) / z.
Bound conversion_cost(Order order, Delta delta) {
  const Bound z = exactly(order) - 1.0;
  return (renyi::conversion(z) - log(exactly(delta))) / z;
}

void check_orders(std::span<const Order> orders) {
  if (orders.empty()) throw Error("orders are missing: give at least one");
  if (orders.size() > kMostPlaces) {
    refuse("number of orders", fmt::format("{}", orders.size()),
           fmt::format("at most {}", kMostPlaces));
  }
  for (std::size_t k = 1; k < orders.size(); ++k) {
    if (orders[k] > double{orders[k - 1]}) continue;
    throw Error(fmt::format("order {} follows {}: give orders that increase", double{orders[k]},
                            double{orders[k - 1]}));
  }
}

struct RenyiUnits {
  std::span<const Order> orders;

  Row operator()(const MuBudget& b) const {
    const Units square = gdp_units(b);
    Row row;
    for (const Order order : orders) row.push_back(scale_down(square, order / 2));
    return row;
  }

  Row operator()(const StepsBudget& b) const {
    Row row = RenyiPrice(b.step, orders).worst_case();
    const auto steps = static_cast<Units>(b.steps);
    for (Units& x : row) x = multiply_saturated(x, steps);
    return row;
  }

  // The multiple is the largest of allowed / shape over the orders; at the order where it is taken
  // the budget is what is allowed, and that order gives the guarantee.
  Row operator()(const EpsilonBudget& b) const {
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
    Row row;
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

class RenyiCurrency final : public Currency {
 public:
  explicit RenyiCurrency(std::vector<Order> orders) : orders_(std::move(orders)) {
    check_orders(orders_);
  }

  std::string_view name() const override { return "rdp"; }
  std::string_view state_name() const override { return "renyi"; }
  Numbers numbers() const override { return {{"orders", {orders_.begin(), orders_.end()}}}; }
  std::size_t places() const override { return orders_.size(); }
  bool takes_sampling() const override { return true; }
  bool has_kinds() const override { return true; }

  Row units_of(const Budget& budget) const override {
    const DefaultFloatEnvironment environment;
    Row row = std::visit(RenyiUnits{orders_}, budget);
    if (limits_nothing(row)) {
      throw Error("budget is a divergence of more than 16384 at every order: give less");
    }
    return row;
  }
  std::unique_ptr<Price> price(const Step& step) const override {
    return std::make_unique<RenyiPrice>(step, orders_);
  }
  // What is mu-GDP has a divergence of at most order mu^2 / 2 at every order.
  Row charge(Mu mu) const override {
    const Units square = square_up(mu);
    Row row;
    for (const Order order : orders_) {
      row.push_back(square == kMostUnits ? kMostUnits : scale_up(square, order / 2));
    }
    return row;
  }

  // By the best order of the list.
  Bound epsilon(std::span<const Units> row, Delta delta) const override {
    const DefaultFloatEnvironment environment;
    Bound best = {.lower = kInfinity, .upper = kInfinity};
    if (std::all_of(row.begin(), row.end(), [](Units d) { return d == 0; })) return exactly(0);
    for (std::size_t k = 0; k < orders_.size(); ++k) {
      if (row[k] == kMostUnits) continue;
      best = min(best, sum_of(row[k], 0) + conversion_cost(orders_[k], delta));
    }
    return max(best, exactly(0));
  }

  Guarantee filter_guarantee(Scope scope) const override {
    return {.theorem =
                scope == Scope::each_person
                    ? "Individual Renyi filter (Feldman, Zrnic 2021, thm. 4.3), at every order of "
                      "a list fixed in advance; conversion of Canonne, Kamath, Steinke (2020)"
                    : "Renyi filter (Feldman, Zrnic 2021, thm. 4.3), at every order of a list "
                      "fixed in advance; conversion of Canonne, Kamath, Steinke (2020)",
            .adaptive = true,
            .certified = true};
  }
  Guarantee odometer_guarantee() const override {
    return {.theorem =
                "Renyi odometer: for each fixed level the outputs up to the last step "
                "within it are those of a Renyi filter (Feldman, Zrnic 2021); conversion "
                "of Canonne, Kamath, Steinke (2020)",
            .adaptive = true,
            .certified = true};
  }

 private:
  std::vector<Order> orders_;
};

}  // namespace

std::vector<Order> default_orders() {
  return {1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64};
}

CurrencyPtr renyi_currency(std::vector<Order> orders) {
  return std::make_shared<const RenyiCurrency>(std::move(orders));
}

}  // namespace ration
