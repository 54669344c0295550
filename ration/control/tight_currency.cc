#include "ration/control/tight_currency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/compose/calibrate.h"
#include "ration/compose/compose.h"
#include "ration/control/tight_price.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

constexpr Units kWhole = PriceList::kWholeStep;

class TightCurrency final : public Currency {
 public:
  TightCurrency(PriceList list, Delta delta, std::vector<BudgetWorth> worth)
      : list_(std::move(list)), delta_(delta), worth_(std::move(worth)) {
    BudgetWorth before = {.units = list_.near_the_end() - 1, .epsilon = 0};
    for (const BudgetWorth& one : worth_) {
      const bool in_order = one.units > before.units && one.units <= kLargestBudget &&
                            one.epsilon >= before.epsilon && one.epsilon < kInfinity;
      if (!in_order)
        throw Error("prices of a tight filter are wrong: give them as they were saved");
      before = one;
    }
  }

  std::string_view name() const override { return "tight"; }
  Numbers numbers() const override {
    Numbers all = {
        {"terms", {delta_, static_cast<double>(list_.last_steps()), list_.lines() ? 1.0 : 0.0}},
        {"prices", {}},
        {"worth", {}}};
    for (const PricedStep& entry : list_.entries()) {
      const auto price = static_cast<double>(entry.price);
      all[1].second.insert(all[1].second.end(), {entry.step.noise, entry.step.rate, price});
    }
    for (const auto& [units, epsilon] : worth_) {
      all[2].second.insert(all[2].second.end(), {static_cast<double>(units), epsilon});
    }
    return all;
  }
  std::size_t places() const override { return 1; }
  bool takes_sampling() const override { return true; }
  bool has_kinds() const override { return false; }

  Row units_of(const Budget& budget) const override {
    const DefaultFloatEnvironment environment;
    return {std::visit([this](const auto& given) { return this->units(given); }, budget)};
  }
  std::unique_ptr<Price> price(const Step& step) const override {
    return std::make_unique<TightPrice>(step, list_);
  }
  Row charge(Mu /*mu*/) const override {
    throw Error(
        "filter tight has no price for a mechanism that is known by its mu: give a step with noise "
        "and rate");
  }
  bool has_fixed_prices() const override { return false; }
  void raise_to_budget(std::span<Units> totals) const override {
    if (totals[0] != 0) totals[0] = add_saturated(totals[0], list_.near_the_end());
  }

  // Lower ends are what steps at the clip bound reach.
  Bound epsilon(std::span<const Units> row, Delta delta) const override {
    check_delta(delta);
    const Units units = row[0];
    if (units < kWhole) return exactly(0);
    const Bound plain = compose(worst_steps(list_, units / kWhole), delta).epsilon;
    if (units < list_.near_the_end()) return plain;
    return {.lower = plain.lower, .upper = std::max(plain.lower, upper(units))};
  }
  std::vector<Bound> epsilons(std::span<const Units> rows, Delta delta) const override;

  Guarantee filter_guarantee(Scope scope) const override {
    return {.theorem = scope == Scope::each_person
                           ? "Individual filter of a price list against its worst adversary "
                             "(docs/math/tight_filter.md, theorems 1 and 3)"
                           : "Filter of a price list against its worst adversary "
                             "(docs/math/tight_filter.md, theorems 1 and 3)",
            .adaptive = true,
            .certified = true};
  }
  Guarantee odometer_guarantee() const override {
    return {
        .theorem =
            "Tight odometer: for each fixed level the outputs up to the last step within it are "
            "those of a filter of the same price list (docs/math/tight_filter.md)",
        .adaptive = true,
        .certified = true};
  }

 private:
  void check_delta(Delta delta) const {
    if (delta == double{delta_}) return;
    refuse("delta", delta,
           fmt::format("{}, for which the prices of this filter were made", double{delta_}));
  }
  // Nothing is said beyond the budgets that the prices were made for.
  double upper(Units units) const {
    const auto found = std::lower_bound(worth_.begin(), worth_.end(), units,
                                        [](const BudgetWorth& w, Units b) { return w.units < b; });
    return found == worth_.end() ? kInfinity : found->epsilon;
  }

  static Units units(const MuBudget& /*budget*/) {
    throw Error("budget of filter tight is a mu: give epsilon and delta, or a number of steps");
  }
  Units units(const EpsilonBudget& budget) const {
    check_delta(budget.delta);
    const auto after =
        std::partition_point(worth_.begin(), worth_.end(),
                             [&](const BudgetWorth& w) { return w.epsilon <= budget.epsilon; });
    if (after != worth_.begin()) return (after - 1)->units;
    return last_steps_in(budget.epsilon) * kWhole;
  }
  // How many steps near the end are within this eps; refuses if not even one is.
  std::uint64_t last_steps_in(Epsilon epsilon) const {
    const std::uint64_t steps = std::min<std::uint64_t>(
        list_.last_steps(), worst_case_steps(list_.worst(), epsilon, delta_));
    if (steps == 0) {
      throw Error(fmt::format(
          "budget epsilon = {} at delta = {} is too small for one step at the clip bound: give "
          "more of either, or more noise",
          double{epsilon}, double{delta_}));
    }
    return steps;
  }
  Units units(const StepsBudget& budget) const {
    const SubsampledGaussian step = {.noise = budget.step.noise, .rate = budget.step.rate};
    const Units each = list_.price(step);
    const auto steps = static_cast<std::uint64_t>(double{budget.steps});
    const std::uint64_t last = list_.last_steps();
    const Units most = worth_.empty() ? last * kWhole : worth_.back().units;
    const Units units = steps <= last ? steps * kWhole
                                      : add_saturated(list_.near_the_end(),
                                                      multiply_saturated(each, steps - last - 1));
    if (units > most) {
      refuse("steps", double{budget.steps},
             fmt::format("at most {}, for which the prices of this filter were made",
                         list_.steps_for(step, most)));
    }
    return units;
  }

  PriceList list_;
  Delta delta_;
  std::vector<BudgetWorth> worth_;  // at levels of what is left, increasing
};

// A list of few totals, so that one that many have in common is worked out once.
std::vector<Bound> TightCurrency::epsilons(std::span<const Units> rows, Delta delta) const {
  const auto key = [this](Units units) {  // totals with the same eps
    if (units < list_.near_the_end()) return units / kWhole * kWhole;
    const auto found = std::lower_bound(worth_.begin(), worth_.end(), units,
                                        [](const BudgetWorth& w, Units b) { return w.units < b; });
    return found == worth_.begin() ? list_.near_the_end() : (found - 1)->units + 1;
  };
  std::vector<Units> keys(rows.size());
  std::transform(rows.begin(), rows.end(), keys.begin(), key);
  std::vector<Units> unlike = keys;
  std::sort(unlike.begin(), unlike.end());
  unlike.erase(std::unique(unlike.begin(), unlike.end()), unlike.end());
  const std::vector<Bound> of = Currency::epsilons(unlike, delta);
  std::vector<Bound> all(rows.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto found = std::lower_bound(unlike.begin(), unlike.end(), keys[i]);
    all[i] = of[static_cast<std::size_t>(found - unlike.begin())];
  }
  return all;
}

// As many as suit a run of so many steps: fewer cost those who are near the end less, more make the
// first potentials smooth, which they are not while hardly anybody has been drawn.
std::uint32_t last_steps_of(const SubsampledGaussian& step, double steps) {
  const double few = 7 * std::cbrt(steps / 1000);
  const double drawn = std::min(0.35 * std::pow(step.rate, -0.77) / step.noise, steps / 4);
  return static_cast<std::uint32_t>(std::clamp(std::max(few, drawn), 1.0, 1e5));
}

// How many steps people take within this eps, as the weighted mean of their logarithm.
double usefulness(const PriceList& list, const std::vector<BudgetWorth>& worth, double epsilon,
                  const Population& population) {
  const auto after = std::partition_point(
      worth.begin(), worth.end(), [&](const BudgetWorth& w) { return w.epsilon <= epsilon; });
  if (after == worth.begin()) return -kInfinity;
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < population.ratios.size(); ++i) {
    const double weight = population.weights.empty() ? 1 : population.weights[i];
    SubsampledGaussian step = list.worst();
    step.noise =
        std::min(step.noise * population.ratios[i], double{list.entries().back().step.noise});
    sum += weight * std::log(static_cast<double>(list.steps_for(step, (after - 1)->units)));
    weights += weight;
  }
  return sum / weights;
}

// Where nothing can be shown for a list, more last steps make its first potentials smoother. Few
// steps in all are worth a second look, too. With whole steps only, those at the clip bound lose
// nothing, and others gain nothing. Prices suit a budget of `aim` steps, and are for up to `steps`.
CurrencyPtr made_for(const SubsampledGaussian& step, std::uint64_t steps, double aim, Delta delta,
                     const Population& population) {
  constexpr std::uint64_t kFew = 200;
  if (steps > WorstAdversary::kMostSteps) {
    refuse("steps", static_cast<double>(steps), "at most 1e8 for a tight filter");
  }
  PriceRule rule = {
      .step = step, .tilt = 1, .last_steps = last_steps_of(step, static_cast<double>(steps))};
  CurrencyPtr best;
  double most = -kInfinity;
  for (; steps > 2 * rule.last_steps && rule.last_steps <= PriceList::kMostLastSteps;
       rule.last_steps *= 2) {
    rule = best_rule(rule, aim, delta, population);
    const PriceList list = price_list(rule);
    try {
      const WorstAdversary adversary(list, steps, delta);
      const double tight = compose(worst_steps(list, steps), delta).epsilon.upper;
      const double useful = usefulness(list, adversary.worth(delta), tight, population);
      if (best != nullptr && useful <= most) break;
      most = useful;
      best = tight_currency(list, delta, adversary.worth(delta));
      if (steps > kFew) break;
    } catch (const OutOfReach&) {  // more last steps
    }
  }
  if (best != nullptr) return best;
  if (steps > PriceList::kMostLastSteps) {
    throw Error(fmt::format(
        "no prices are found for {} steps of noise {} at rate {} and delta = {}: take filter rdp",
        steps, double{step.noise}, double{step.rate}, double{delta}));
  }
  rule.last_steps = static_cast<std::uint32_t>(steps);
  return tight_currency(price_list(rule), delta, {});
}

}  // namespace

std::uint64_t worst_case_steps(const SubsampledGaussian& step, Epsilon epsilon, Delta delta) {
  return calibrate_steps({.epsilon = epsilon, .delta = delta},
                         {.noise = step.noise, .rate = step.rate}, {});
}

CurrencyPtr tight_currency(const SubsampledGaussian& step, Epsilon epsilon, Delta delta,
                           const Population& population) {
  const std::uint64_t steps = worst_case_steps(step, epsilon, delta);
  if (steps == 0) {
    throw Error(fmt::format(
        "budget epsilon = {} at delta = {} is too small for one step at the clip bound: give more "
        "of either, or more noise",
        double{epsilon}, double{delta}));
  }
  // The price of adaptivity: some five steps in a hundred.
  return made_for(step, steps, std::ceil(0.95 * static_cast<double>(steps)), delta, population);
}

CurrencyPtr tight_currency(const SubsampledGaussian& step, Steps steps, Delta delta,
                           const Population& population) {
  return made_for(step, static_cast<std::uint64_t>(double{steps}), steps, delta, population);
}

CurrencyPtr tight_currency(PriceList list, Delta delta, std::vector<BudgetWorth> worth) {
  return std::make_shared<const TightCurrency>(std::move(list), delta, std::move(worth));
}

CurrencyPtr tight_currency_from(std::span<const std::vector<double>> numbers) {
  const std::vector<double>&terms = numbers[0], &prices = numbers[1], &worth = numbers[2];
  const auto is_whole = [](double x) { return x >= 0 && x <= 0x1p53 && x == std::floor(x); };
  if (terms.size() != 3 || prices.size() % 3 != 0 || worth.size() % 2 != 0 || !is_whole(terms[1]) ||
      terms[1] > PriceList::kMostLastSteps || (terms[2] != 0 && terms[2] != 1)) {
    throw Error("prices of a tight filter are wrong: give them as they were saved");
  }
  std::vector<PricedStep> entries;
  for (std::size_t i = 0; i < prices.size(); i += 3) {
    if (!is_whole(prices[i + 2])) throw Error("prices of a tight filter are not whole units");
    entries.push_back({.step = {.noise = prices[i], .rate = prices[i + 1]},
                       .price = static_cast<Units>(prices[i + 2])});
  }
  std::vector<BudgetWorth> levels;
  for (std::size_t i = 0; i < worth.size(); i += 2) {
    if (!is_whole(worth[i])) throw Error("levels of a tight filter are not whole units");
    levels.push_back({.units = static_cast<Units>(worth[i]), .epsilon = worth[i + 1]});
  }
  return tight_currency({std::move(entries), static_cast<std::uint32_t>(terms[1]), terms[2] == 1},
                        terms[0], std::move(levels));
}

}  // namespace ration
