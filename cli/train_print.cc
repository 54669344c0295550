#include "cli/train_print.h"

#include <fmt/format.h>

#include "cli/individual_print.h"
#include "ration/results/summary_json.h"
#include "ration/train/training_plan.h"

namespace ration::cli {
namespace {

std::string mode_in_words(const train::TrainingPlan& plan) {
  if (!plan.sampled()) return "gd: everybody takes part in every step";
  return fmt::format("sgd: each step takes a Poisson sample at rate {}", double{plan.step.rate});
}

std::string norms_in_words(const train::TrainingPlan& plan) {
  if (!plan.refresh) {
    return "clip: nobody's norm is computed ahead, and everybody pays for the clip bound";
  }
  if (plan.refresh == 1) return "exact: everybody's norm is computed at every step";
  return fmt::format("held: everybody's norm is computed every {} steps, and clips them in between",
                     *plan.refresh);
}

std::string promise_in_words(const Bound& epsilon, Delta delta) {
  return fmt::format(
      "Whatever is made from the trained model, it is ({}, {})-differentially private for every "
      "person who was trained on.",
      shown(epsilon), double{delta});
}

// Noise from a known seed promises nothing.
void append(Rows& rows, const Bound& epsilon, const Guarantee& guarantee, Delta delta,
            bool test_run) {
  if (test_run) {
    rows.emplace_back("promise", results::kTestRun);
    return;
  }
  rows.emplace_back("promise", promise_in_words(epsilon, delta));
  rows.emplace_back("guarantee", guarantee.theorem);
  rows.emplace_back("neighbours", guarantee.neighbours);
}

std::string filter_in_words(const train::TrainingPlan& plan, const Promise& promise) {
  const auto first = train::first_filtered_step(plan);
  const std::string budget = fmt::format("{}, with a budget of epsilon {} for everybody",
                                         plan.filter->currency->name(), shown(*promise.budget));
  if (!first) return budget + "; nobody can be left out before the end";
  return budget + fmt::format("; nobody can be left out before epoch {}",
                              *first / plan.steps_per_epoch() + 1);
}

}  // namespace

void print_plan_table(const train::Settings& settings) {
  if (!settings.plan) {
    print(Rows{{"privacy", "none: no clipping, no noise, no accounts"},
               {"epochs", fmt::format("{}", settings.plain->epochs)}});
    return;
  }
  const train::TrainingPlan& plan = *settings.plan;
  const Promise promise = train::promise_of(plan, plan.steps());
  Rows rows = {{"mode", mode_in_words(plan)},
               {"epochs", fmt::format("{} of {} {}", plan.epochs, plan.steps_per_epoch(),
                                      plan.sampled() ? "steps" : "step")},
               {"steps", fmt::format("{}", plan.steps())},
               {"noise", fmt::format("{} times the clip bound", double{plan.step.noise})},
               {"clip", fmt::format("{}", double{plan.step.clip})},
               {"norms", norms_in_words(plan)},
               {"delta", fmt::format("{}", double{plan.delta})},
               {"worst case", "epsilon " + shown(promise.worst_case)}};
  if (plan.filter) rows.emplace_back("filter", filter_in_words(plan, promise));
  append(rows, promise.epsilon, promise.guarantee, plan.delta, settings.test_seed.has_value());
  print(rows);
}

void print_plan_json(const train::Settings& settings) {
  if (!settings.plan) {
    print(Json{{"epsilon", "inf"}, {"epochs", settings.plain->epochs}, {"guarantee", nullptr}});
    return;
  }
  const train::TrainingPlan& plan = *settings.plan;
  const Promise promise = train::promise_of(plan, plan.steps());
  Json document = {{"epsilon", json(promise.epsilon)},
                   {"delta", double{plan.delta}},
                   {"steps", plan.steps()},
                   {"epochs", plan.epochs},
                   {"noise", double{plan.step.noise}},
                   {"clip", double{plan.step.clip}},
                   {"rate", double{plan.step.rate}},
                   {"refresh", plan.refresh ? Json(*plan.refresh) : Json(nullptr)},
                   {"worst_case", json(promise.worst_case)}};
  if (plan.filter) {
    document["filter"] = {{"kind", plan.filter->currency->name()},
                          {"budget", json(*promise.budget)}};
    const auto first = train::first_filtered_step(plan);
    document["filter"]["first_step"] = first ? Json(*first) : Json(nullptr);
  }
  document["guarantee"] = json(promise.guarantee);
  if (settings.test_seed) document["not_private"] = results::kTestRun;
  print(document);
}

void print_results_table(const results::Results& results) {
  Rows rows = {{"data", results.data},
               {"people", fmt::format("{}", results.people)},
               {"steps", fmt::format("{}", results.steps)}};
  if (results.charged_steps > results.steps) {
    rows.emplace_back("charged steps", fmt::format("{}: the run was interrupted, and steps that "
                                                   "were done again were paid for again",
                                                   results.charged_steps));
  }
  if (results.test) {
    const auto add = [&](const char* name, const std::optional<double>& value) {
      if (value) rows.emplace_back(name, fmt::format("{:.4f}", *value));
    };
    add("test loss", results.test->loss);
    add(results.test->by_accuracy ? "test accuracy" : "test AUC", results.test->score);
  }
  if (results.worst_case) {
    rows.emplace_back("worst case", "epsilon " + shown(*results.worst_case));
  }
  if (results.budget) rows.emplace_back("budget", "epsilon " + shown(*results.budget));
  if (results.individual) {
    append(rows, results.individual->quantiles);
    append(rows, results.groups, results.individual->groups);
    append_wide(rows, results.individual->wide);
  }
  if (results.epsilon) {
    append(rows, *results.epsilon, *results.guarantee, *results.delta, results.test_run);
    rows.emplace_back("private", kPrivate);
  } else {
    rows.emplace_back("promise", "none: this run was not private");
  }
  rows.emplace_back("results", results.directory);
  print(rows);
}

void print_results_json(const results::Results& results) {
  fmt::print("{}", results::summary_text(results));
}

}  // namespace ration::cli
