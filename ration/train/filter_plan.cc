#include "ration/train/filter_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/compose/calibrate.h"
#include "ration/control/renyi_currency.h"
#include "ration/control/tight_currency.h"

namespace ration::train {
namespace {

constexpr std::string_view kTight = "tight", kRenyi = "rdp";
constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();

// What is left of an epsilon for exact noise.
double exact_part(double epsilon) {
  if (!(epsilon > 1e-6)) refuse("epsilon", epsilon, "a number above 1e-6");
  return epsilon - 2 * kComputedEpsilon;
}

SubsampledGaussian sampled(const Step& step) { return {.noise = step.noise, .rate = step.rate}; }

// Made by `make` unless they were just now: settings are read more than once in a run.
template <class Make>
CurrencyPtr kept_prices(const std::array<double, 5>& of, const Make& make) {
  static std::mutex guard;
  static std::vector<std::pair<std::array<double, 5>, CurrencyPtr>> kept;
  const std::lock_guard lock(guard);
  const auto found =
      std::find_if(kept.begin(), kept.end(), [&](const auto& one) { return one.first == of; });
  if (found != kept.end()) return found->second;
  CurrencyPtr made = make();
  constexpr std::size_t kKept = 4;
  if (kept.size() == kKept) kept.erase(kept.begin());
  kept.emplace_back(of, made);
  return made;
}
CurrencyPtr tight_for(const Step& step, Epsilon epsilon, Delta delta) {
  return kept_prices({step.noise, step.rate, delta, 0, epsilon},
                     [&] { return tight_currency(sampled(step), epsilon, delta); });
}
CurrencyPtr tight_for(const Step& step, Steps steps, Delta delta) {
  return kept_prices({step.noise, step.rate, delta, 1, steps},
                     [&] { return tight_currency(sampled(step), steps, delta); });
}

double steps_of(const TrainingPlan& plan, std::uint64_t epochs) {
  return static_cast<double>(epochs * plan.steps_per_epoch());
}

// A filter with a budget of so many steps, or of this epsilon, of exact noise.
FilterPlan filter_worth(std::string_view kind, const TrainingPlan& plan, Steps steps) {
  return {.currency = kind == kTight ? tight_for(plan.step, steps, accounted_delta(plan))
                                     : currency_named(kind),
          .budget = StepsBudget{.step = plan.step, .steps = steps}};
}
FilterPlan filter_worth(std::string_view kind, const TrainingPlan& plan, Epsilon epsilon) {
  const Delta delta = accounted_delta(plan);
  return {
      .currency = kind == kTight ? tight_for(plan.step, epsilon, delta) : currency_named(kind),
      .budget = EpsilonBudget{.epsilon = epsilon,
                              .delta = delta,
                              .shape = plan.sampled() ? std::optional(plan.step) : std::nullopt}};
}

std::optional<FilterPlan> filter_of(const TrainingPlan& plan, std::string_view kind,
                                    const FilterAsk& asked) {
  if (kind == "none") return std::nullopt;
  if (asked.mu) return FilterPlan{.currency = currency_named(kind), .budget = MuBudget{*asked.mu}};
  if (asked.epsilon) return filter_worth(kind, plan, Epsilon{exact_part(*asked.epsilon)});
  return filter_worth(kind, plan, Steps{steps_of(plan, *asked.after_epochs)});
}

double epsilon_of(const TrainingPlan& plan, const FilterPlan& filter) {
  return Filter(1, filter.currency, filter.budget).budget(0, accounted_delta(plan)).upper;
}

// The noise at which so many steps cost `epsilon` under the tight filter. It costs a few percent
// more than the steps alone do, about as much at any noise near: those percent are what is searched
// for, and any noise is sound whose prices say so.
double tight_noise(TrainingPlan plan, double epsilon, Steps steps) {
  constexpr int kTries = 8;
  constexpr double kNear = 2e-4;
  std::optional<double> least;
  double factor = 1.03;
  for (int i = 0; i < kTries; ++i) {
    plan.step.noise = calibrate_noise({.epsilon = epsilon / factor, .delta = accounted_delta(plan)},
                                      {.rate = plan.step.rate, .steps = steps});
    const double costs = epsilon_of(plan, filter_worth(kTight, plan, steps)) / epsilon;
    if (costs <= 1 && (!least || plan.step.noise < *least)) least = plan.step.noise;
    if (costs <= 1 && costs >= 1 - kNear) return plan.step.noise;
    factor *= costs * (1 + kNear / 2);
  }
  if (least) return *least;
  throw Error(
      fmt::format("privacy.epsilon is {}: no noise is found for it under filter tight; give "
                  "privacy.noise, or filter.kind rdp",
                  epsilon));
}

// A Renyi filter accounts for steps as it will, and so does a tight one.
double noise_for(const TrainingPlan& plan, std::string_view kind, const FilterAsk& asked) {
  if (asked.noise) return *asked.noise;
  const double epsilon = exact_part(*asked.privacy_epsilon);
  const bool by_filter = asked.after_epochs && kind != "none";
  const double steps = steps_of(plan, asked.after_epochs.value_or(plan.epochs));
  if (by_filter && kind == kTight) return tight_noise(plan, epsilon, steps);
  Accounting how = {};
  if (by_filter && kind == kRenyi) how = {.method = Method::rdp, .orders = default_orders()};
  return calibrate_noise({.epsilon = epsilon, .delta = accounted_delta(plan)},
                         {.rate = plan.step.rate, .steps = steps}, how);
}

TrainingPlan settled_as(TrainingPlan plan, std::string_view kind, const FilterAsk& asked) {
  plan.step.noise = noise_for(plan, kind, asked);
  plan.filter = filter_of(plan, kind, asked);
  return plan;
}

// Of two plans that differ in their filter alone. With after_epochs both admit as many steps: then
// less noise, or a smaller epsilon, is better.
bool is_better(const TrainingPlan& a, const TrainingPlan& b, const FilterAsk& asked) {
  if (asked.epsilon) {
    return worst_steps_in(*a.filter, a.step, kMost) > worst_steps_in(*b.filter, b.step, kMost);
  }
  if (asked.privacy_epsilon) return a.step.noise < double{b.step.noise};
  return epsilon_of(a, *a.filter) < epsilon_of(b, *b.filter);
}

// What `work` returns, or nothing where it cannot be done.
template <class Work>
auto if_possible(const Work& work) -> std::optional<decltype(work())> {
  try {
    return work();
  } catch (const Error&) {
    return std::nullopt;
  } catch (const OutOfReach&) {
    return std::nullopt;
  }
}

TrainingPlan settled_as_is_best(const TrainingPlan& plan, const FilterAsk& asked) {
  const auto tight = if_possible([&] { return settled_as(plan, kTight, asked); });
  if (!tight) return settled_as(plan, kRenyi, asked);
  const auto renyi = if_possible([&] { return settled_as(plan, kRenyi, asked); });
  return renyi && !is_better(*tight, *renyi, asked) ? *renyi : *tight;
}

void check(const FilterAsk& asked, const TrainingPlan& plan, bool budgeted) {
  if (asked.noise.has_value() == asked.privacy_epsilon.has_value()) {
    throw Error(
        "[privacy] needs either noise, or epsilon for which the noise is to be found: give one");
  }
  if (asked.kind && *asked.kind == kTight) {
    if (!plan.sampled()) {
      refuse("filter.kind", kTight,
             "gdp where everybody takes part in every step: it is exact there, and tight is for "
             "samples");
    }
    if (asked.mu) {
      refuse("filter.kind", kTight,
             "filter.epsilon or filter.after_epochs instead of filter.mu: a budget of sampled "
             "steps is no mu");
    }
  } else if (asked.kind && *asked.kind != "none") {
    currency_named(*asked.kind);
  }
  if (asked.epsilon.has_value() + asked.mu.has_value() + asked.after_epochs.has_value() > 1) {
    throw Error("[filter] has several budgets: give one of epsilon, mu and after_epochs");
  }
  if (asked.kind.value_or("none") != "none" && !budgeted) {
    throw Error("[filter] has no budget: give epsilon, mu or after_epochs");
  }
  if (asked.after_epochs && *asked.after_epochs == 0) {
    refuse("filter.after_epochs", 0, "a whole number from 1");
  }
}

}  // namespace

void settle(TrainingPlan& plan, const FilterAsk& asked) {
  const bool budgeted = asked.epsilon || asked.mu || asked.after_epochs;
  check(asked, plan, budgeted);
  if (asked.kind) {
    plan = settled_as(plan, *asked.kind, asked);
  } else if (!budgeted) {
    plan = settled_as(plan, "none", asked);
  } else if (!plan.sampled()) {
    plan = settled_as(plan, "gdp", asked);
  } else if (asked.of_samples || asked.mu || !plan.refresh) {
    plan = settled_as(plan, asked.of_samples.value_or(std::string(kRenyi)), asked);
  } else {
    plan = settled_as_is_best(plan, asked);
  }
}

std::optional<WorstCaseSteps> worst_case_steps(const TrainingPlan& plan) {
  if (!plan.filter || !plan.sampled() || std::holds_alternative<MuBudget>(plan.filter->budget)) {
    return std::nullopt;
  }
  const auto* const given = std::get_if<EpsilonBudget>(&plan.filter->budget);
  const Epsilon epsilon = given ? given->epsilon : Epsilon{epsilon_of(plan, *plan.filter)};
  const std::string_view own = plan.filter->currency->name();
  const auto fit = [&](std::string_view kind) {
    return if_possible([&] {
      return worst_steps_in(kind == own ? *plan.filter : filter_worth(kind, plan, epsilon),
                            plan.step, kMost);
    });
  };
  return WorstCaseSteps{
      .tight_accounting = worst_case_steps(sampled(plan.step), epsilon, accounted_delta(plan)),
      .tight = fit(kTight),
      .rdp = fit(kRenyi).value_or(0)};
}

TrainingPlan with_prices_of(TrainingPlan plan, const std::optional<Filter>& filter) {
  if (plan.filter && filter) plan.filter->currency = filter->state().currency;
  return plan;
}

}  // namespace ration::train
