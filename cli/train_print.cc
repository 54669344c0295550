#include "cli/train_print.h"

#include <fmt/format.h>

#include "cli/individual_print.h"
#include "ration/file/atomic_file.h"

namespace ration::cli {
namespace {

constexpr const char* kTestRun =
    "This was a test run with a known seed: nothing that it made is private.";

std::string_view score_name(LabelKind kind) {
  return kind == LabelKind::one ? "accuracy" : "macro_auc";
}

Json or_null(const std::optional<double>& value) { return value ? json(*value) : Json(nullptr); }

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

std::string promise_in_words(const Promise& promise, Delta delta) {
  return fmt::format(
      "Whatever is made from the trained model, it is ({}, {})-differentially private for every "
      "person who was trained on.",
      shown(promise.epsilon), double{delta});
}

// Noise from a known seed promises nothing.
void append(Rows& rows, const Promise& promise, Delta delta, bool test_run) {
  if (test_run) {
    rows.emplace_back("promise", kTestRun);
    return;
  }
  rows.emplace_back("promise", promise_in_words(promise, delta));
  rows.emplace_back("guarantee", promise.guarantee.theorem);
  rows.emplace_back("neighbours", promise.guarantee.neighbours);
}

std::string filter_in_words(const train::TrainingPlan& plan, const Promise& promise) {
  const auto first = train::first_filtered_step(plan);
  const std::string budget = fmt::format("{}, with a budget of epsilon {} for everybody",
                                         plan.filter->currency->name(), shown(*promise.budget));
  if (!first) return budget + "; nobody can be left out before the end";
  return budget + fmt::format("; nobody can be left out before epoch {}",
                              *first / plan.steps_per_epoch() + 1);
}

Json json_of(const train::Outcome::Individual& individual, const std::vector<std::string>& groups) {
  Json document = {{"quantiles", json(individual.quantiles)},
                   {"method", name(individual.method)},
                   {"guarantee", json(individual.guarantee)}};
  if (!individual.groups.empty()) document["groups"] = json(groups, individual.groups);
  if (individual.wide > 0) document["wide"] = individual.wide;
  document["private"] = kPrivate;
  return document;
}

Json json_of(const train::Outcome& outcome) {
  Json document = {{"epsilon", outcome.promise ? json(outcome.promise->epsilon) : Json("inf")},
                   {"delta", outcome.delta ? Json(double{*outcome.delta}) : Json(nullptr)},
                   {"steps", outcome.steps},
                   {"charged_steps", outcome.charged_steps},
                   {"people", outcome.people},
                   {"data", outcome.data}};
  if (outcome.test) {
    document["test"] = {
        {"loss", or_null(outcome.test->everybody.loss)},
        {std::string(score_name(outcome.kind)), or_null(outcome.test->everybody.score)}};
    Json groups = Json::object();
    for (std::size_t g = 0; g < outcome.test->groups.size(); ++g) {
      groups[outcome.groups[g]] = outcome.test->groups[g].people;
    }
    if (!groups.empty()) document["test"]["people"] = groups;
  }
  if (outcome.promise) {
    document["worst_case"] = json(outcome.promise->worst_case);
    if (outcome.promise->budget) document["budget"] = json(*outcome.promise->budget);
  }
  if (outcome.individual) document["individual"] = json_of(*outcome.individual, outcome.groups);
  document["guarantee"] = outcome.promise ? json(outcome.promise->guarantee) : Json(nullptr);
  if (outcome.test_run) document["not_private"] = kTestRun;
  document["directory"] = outcome.directory.string();
  return document;
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
  append(rows, promise, plan.delta, settings.test_seed.has_value());
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
  if (settings.test_seed) document["not_private"] = kTestRun;
  print(document);
}

void print_outcome_table(const train::Outcome& outcome) {
  Rows rows = {{"data", outcome.data},
               {"people", fmt::format("{}", outcome.people)},
               {"steps", fmt::format("{}", outcome.steps)}};
  if (outcome.charged_steps > outcome.steps) {
    rows.emplace_back("charged steps", fmt::format("{}: the run was interrupted, and steps that "
                                                   "were done again were paid for again",
                                                   outcome.charged_steps));
  }
  if (outcome.test) {
    const auto add = [&](const char* name, const std::optional<double>& value) {
      if (value) rows.emplace_back(name, fmt::format("{:.4f}", *value));
    };
    add("test loss", outcome.test->everybody.loss);
    add(outcome.kind == LabelKind::one ? "test accuracy" : "test AUC",
        outcome.test->everybody.score);
  }
  if (outcome.promise) {
    rows.emplace_back("worst case", "epsilon " + shown(outcome.promise->worst_case));
    if (outcome.promise->budget) {
      rows.emplace_back("budget", "epsilon " + shown(*outcome.promise->budget));
    }
  }
  if (outcome.individual) {
    append(rows, outcome.individual->quantiles);
    append(rows, outcome.groups, outcome.individual->groups);
    append_wide(rows, outcome.individual->wide);
  }
  if (outcome.promise) {
    append(rows, *outcome.promise, *outcome.delta, outcome.test_run);
    rows.emplace_back("private", kPrivate);
  } else {
    rows.emplace_back("promise", "none: this run was not private");
  }
  rows.emplace_back("results", outcome.directory.string());
  print(rows);
}

void print_outcome_json(const train::Outcome& outcome) { print(json_of(outcome)); }

void write_summary(const train::Outcome& outcome) {
  PrivateFile file(outcome.summary);
  file.write(text_of(json_of(outcome)));
  file.commit();
}

}  // namespace ration::cli
