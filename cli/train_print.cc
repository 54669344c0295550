#include "cli/train_print.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/individual_print.h"
#include "ration/numeric/directed.h"
#include "ration/report/attack.h"
#include "ration/report/everybody_chart.h"
#include "ration/results/summary_json.h"
#include "ration/train/filter_plan.h"
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

std::string promise_in_words(const Bound& epsilon, Delta delta, bool together) {
  return fmt::format(
      "Whatever is made from the trained model, it is ({}, {})-differentially private for every "
      "person who was trained on{}.",
      shown(epsilon), double{delta}, together ? ", with all of their records together" : "");
}

std::string promise_of(const results::Results& results) {
  if (!results.epsilon) return "none: this run was not private";
  return results.test_run ? results::kTestRun
                          : promise_in_words(*results.epsilon, *results.delta, results.together);
}

// Noise from a known seed promises nothing.
void append_promise(Rows& rows, const Bound& epsilon, const Guarantee& guarantee, Delta delta,
                    bool together, bool test_run) {
  if (test_run) {
    rows.emplace_back("promise", results::kTestRun);
    return;
  }
  rows.emplace_back("promise", promise_in_words(epsilon, delta, together));
  rows.emplace_back("guarantee", guarantee.theorem);
  rows.emplace_back("neighbours", guarantee.neighbours);
}

// Behind a ledger somebody may have nothing left from the first step on.
std::string filter_in_words(const train::TrainingPlan& plan, const Promise& promise,
                            bool by_ledger) {
  if (by_ledger) {
    return fmt::format("{}, with a budget of epsilon {} for everybody, or what they have left",
                       plan.filter->currency->name(), shown(*promise.budget));
  }
  const auto first = train::first_filtered_step(plan);
  const std::string budget = fmt::format("{}, with a budget of epsilon {} for everybody",
                                         plan.filter->currency->name(), shown(*promise.budget));
  if (!first) return budget + "; nobody can be left out before the end";
  return budget + fmt::format("; nobody can be left out before epoch {}",
                              *first / plan.steps_per_epoch() + 1);
}

// How the filter compares with the other one, and with what would fit without any.
std::string fit_in_words(const train::WorstCaseSteps& fit) {
  return fmt::format(
      "room for {} steps at the clip bound under filter tight, {} under filter rdp, and {} that "
      "are fixed in advance, by tight accounting without a filter",
      fit.tight ? fmt::format("{}", *fit.tight) : "an unknown number of", fit.rdp,
      fit.tight_accounting);
}

// A ledger's budgets are counted in its own currency.
std::optional<train::WorstCaseSteps> fit_of(const train::TrainingPlan& plan,
                                            const std::optional<train::LedgerAsk>& ask) {
  return ask ? std::nullopt : train::worst_case_steps(plan);
}

Json json(const train::WorstCaseSteps& fit) {
  return {{"tight_accounting", fit.tight_accounting},
          {"tight", fit.tight ? Json(*fit.tight) : Json(nullptr)},
          {"rdp", fit.rdp}};
}

}  // namespace

void print_plan_table(const train::Settings& settings, const std::optional<train::LedgerAsk>& ask) {
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
  if (plan.filter) rows.emplace_back("filter", filter_in_words(plan, promise, ask.has_value()));
  if (const auto fit = fit_of(plan, ask)) rows.emplace_back("budget", fit_in_words(*fit));
  if (ask) {
    rows.emplace_back("ledger", fmt::format("the grant '{}' would reserve epsilon {} of each "
                                            "person, or what they have left if that is less",
                                            ask->token, shown(*promise.budget)));
  }
  append_promise(rows, promise.epsilon, promise.guarantee, plan.delta,
                 settings.data.options.records == Records::together,
                 settings.test_seed.has_value());
  print(rows);
}

void print_plan_json(const train::Settings& settings, const std::optional<train::LedgerAsk>& ask) {
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
    if (!ask) {
      const auto first = train::first_filtered_step(plan);
      document["filter"]["first_step"] = first ? Json(*first) : Json(nullptr);
    }
  }
  if (const auto fit = fit_of(plan, ask)) document["worst_case_steps"] = json(*fit);
  if (ask) document["ledger"] = {{"token", ask->token}, {"limit", json(*promise.budget)}};
  document["guarantee"] = json(promise.guarantee);
  if (settings.test_seed) document["not_private"] = results::kTestRun;
  print(document);
}

namespace {

void append_test(Rows& rows, const results::Results::Test& test) {
  if (test.score) {
    rows.emplace_back(test.by_accuracy ? "test accuracy" : "test AUC",
                      test.by_accuracy ? fmt::format("{:.2f}%", 100 * *test.score)
                                       : fmt::format("{:.4f}", *test.score));
  }
  if (test.loss) rows.emplace_back("test loss", fmt::format("{:.4f}", *test.loss));
}

// A coin decides whether somebody's data are used: right with probability (1 + advantage) / 2.
std::string attack_in_words(const results::Results& results) {
  const double advantage = report::most_advantage(
      {.epsilon = results.epsilon->upper, .delta = *results.delta, .gaussian = results.gaussian});
  return fmt::format(
      "Whoever guesses from the model whether one person's data were used is right at most {} "
      "times in 100, whatever they know; without it, 50 times.",
      rounded_up(std::min(100.0, mul_up(50, add_up(1, advantage))), 3));
}

// For the owner's eyes: bars first, then what groups have spent.
void print_private_part(const results::Results& results, const Everybody& everybody) {
  const results::IndividualResults& individual = *results.individual;
  fmt::print("\n");
  print(Rows{{"private", kPrivate}});
  fmt::print("\n");
  print_histogram(everybody);
  if (!individual.groups.empty()) fmt::print("\n");
  print_groups(results.groups, individual.groups);
}

}  // namespace

void print_results_table(const results::Results& results) {
  Rows rows = {{"data", results.data},
               {"people", fmt::format("{}", results.people)},
               {"steps", fmt::format("{}", results.steps)}};
  if (results.charged_steps > results.steps) {
    rows.emplace_back("charged steps", fmt::format("{}: the run was interrupted, and steps that "
                                                   "were done again were paid for again",
                                                   results.charged_steps));
  }
  if (results.worst_case) {
    rows.emplace_back("worst case", "epsilon " + shown(*results.worst_case));
  }
  if (results.budget) rows.emplace_back("budget", "epsilon " + shown(*results.budget));
  if (!results.made.ledger_token.empty()) {
    rows.emplace_back("ledger", across_runs(*results.budget));
    rows.emplace_back("ledger head", results.made.ledger_head.empty()
                                         ? results.made.ledger_head_at_grant
                                         : results.made.ledger_head);
  }
  if (results.guarantee && !results.test_run) {
    rows.emplace_back("guarantee", results.guarantee->theorem);
    rows.emplace_back("neighbours", results.guarantee->neighbours);
  }
  print(rows);

  // What most people want to know comes last.
  Rows last;
  if (results.test) append_test(last, *results.test);
  last.emplace_back("promise", promise_of(results));
  if (report::proved_promise(results)) last.emplace_back("in words", attack_in_words(results));
  if (results.individual) {
    const Everybody everybody = {.epsilons = results.individual->epsilons,
                                 .attendance = results.individual->attendance,
                                 .promise = results.epsilon,
                                 .certified = results.individual->guarantee.certified};
    print_private_part(results, everybody);
    append(last, everybody);
    append_wide(last, results.individual->wide);
    for (const std::string& warning : results.individual->warnings) {
      last.emplace_back("warning", warning + " (private)");
    }
  }
  last.emplace_back("results", results.directory);
  fmt::print("\n");
  print(last);
}

void print_results_json(const results::Results& results) {
  fmt::print("{}", results::summary_text(results));
}

}  // namespace ration::cli
