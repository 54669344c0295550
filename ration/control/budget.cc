#include "ration/control/budget.h"

#include <fmt/format.h>

#include "ration/base/error.h"
#include "ration/loss/gdp.h"

namespace ration {
namespace {

constexpr double kLargestMu = 127.9;

struct GdpUnits {
  Units operator()(const MuBudget& b) const {
    if (b.mu > kLargestMu) refuse("budget mu", b.mu, "at most 127.9");
    return square_down(b.mu);
  }
  Units operator()(const EpsilonBudget& b) const {
    const Bound mu = gdp::mu({.epsilon = b.epsilon, .delta = b.delta});
    if (!(mu.lower <= kLargestMu)) {
      throw Error(
          fmt::format("budget epsilon = {} at delta = {} is more than a mu of 127.9: give less",
                      double{b.epsilon}, double{b.delta}));
    }
    return square_down(mu.lower);
  }
  Units operator()(const StepsBudget& b) const {
    refuse_rate_below_one(b.step);
    const auto steps = static_cast<Units>(b.steps);
    const Units units = multiply_saturated(SpendRule(b.step).worst_case(), steps);
    if (units > kLargestBudget) {
      throw Error(
          fmt::format("a budget of {} steps at noise {} is more than a mu of 127.9: give fewer",
                      steps, double{b.step.noise}));
    }
    return units;
  }
};

}  // namespace

void check_budgets(const Budgets& budgets, std::size_t people) {
  if (budgets.kinds.empty()) throw Error("budgets are missing: give one for all or one per person");
  if (budgets.kind_of.empty()) {
    if (budgets.kinds.size() == 1) return;
    throw Error(
        fmt::format("{} kinds of budget are given and nobody's kind: say which one each person has",
                    budgets.kinds.size()));
  }
  if (budgets.kind_of.size() != people) {
    throw Error(fmt::format("budgets are given for {} people: give one for each of the {}",
                            budgets.kind_of.size(), people));
  }
  for (std::size_t i = 0; i < people; ++i) {
    if (budgets.kind_of[i] < budgets.kinds.size()) continue;
    throw Error(fmt::format("budget kind of person {} is {}: give a number below {}", i,
                            budgets.kind_of[i], budgets.kinds.size()));
  }
}

Units gdp_units(const Budget& budget) { return std::visit(GdpUnits{}, budget); }

void refuse_rate_below_one(const Step& step) {
  if (step.rate == 1.0) return;
  throw Error(fmt::format(
      "rate is {}: give 1, or use a Renyi filter; Gaussian DP gives a person nothing for being "
      "sampled (a subsampled Gaussian is below no useful mu-GDP curve at every epsilon)",
      double{step.rate}));
}

}  // namespace ration
