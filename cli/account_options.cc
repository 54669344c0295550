#include "cli/account_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/ledger.h"
#include "ration/base/error.h"
#include "ration/compose/accountants.h"
#include "ration/compose/fourier_table.h"
#include "ration/control/tight_currency.h"
#include "ration/file/inputs_and_outputs.h"
#include "ration/mechanism/mechanism_csv.h"
#include "ration/results/directory.h"
#include "ration/results/moments_csv.h"

namespace ration::cli {
namespace {

constexpr std::string_view kTight = "tight";

// "2,30"
struct Ends {
  double from, to;
};
Ends ends(const std::string& option, const std::string& text) {
  const auto comma = text.find(',');
  if (comma == std::string::npos) {
    refuse(option, "'" + text + "'", "two numbers, such as 2,30");
  }
  return {number(option, text.substr(0, comma)), number(option, text.substr(comma + 1))};
}

IndividualMethod method_of(const AccountOptions& options, const Plan& run) {
  if (!options.method) return gaussian::covers(run) ? IndividualMethod::gdp : IndividualMethod::pld;
  return named("--method", *options.method, kIndividualMethods);
}

bool same(const Step& a, const Step& b) {
  return a.noise == double{b.noise} && a.rate == double{b.rate};
}

Budget budget_of(const AccountOptions& options, std::span<const RepeatedStep> steps) {
  const int given = options.budget_epsilon.has_value() + options.budget_mu.has_value() +
                    options.budget_steps.has_value();
  if (given != 1) {
    throw Error("--filter needs one budget: give --budget-epsilon, --budget-mu or --budget-steps");
  }
  const Step& first = steps.front().step;
  if (options.budget_mu) return MuBudget{.mu = number("--budget-mu", *options.budget_mu)};
  if (options.budget_epsilon) {
    // Along a curve of orders the budget has the shape of the run's own steps.
    const bool sampled = first.rate < 1.0;
    return EpsilonBudget{.epsilon = number("--budget-epsilon", *options.budget_epsilon),
                         .delta = required("--delta", options.delta),
                         .shape = sampled ? std::optional(first) : std::nullopt};
  }
  if (!std::all_of(steps.begin(), steps.end(),
                   [&](const RepeatedStep& like) { return same(like.step, first); })) {
    throw Error(
        "--budget-steps needs steps that are all alike, and those of the plan are not: give "
        "--budget-epsilon or --budget-mu");
  }
  return StepsBudget{.step = first, .steps = number("--budget-steps", *options.budget_steps)};
}

// Prices are made for the least noise and the largest rate of all steps, and pay for the others.
CurrencyPtr tight_currency_of(const AccountOptions& options, std::span<const RepeatedStep> steps) {
  SubsampledGaussian worst = {.noise = steps.front().step.noise, .rate = steps.front().step.rate};
  for (const RepeatedStep& like : steps) {
    worst.noise = std::min(double{worst.noise}, double{like.step.noise});
    worst.rate = std::max(double{worst.rate}, double{like.step.rate});
  }
  if (worst.rate == 1.0) {
    refuse("--filter", kTight,
           "gdp where every rate is 1, since it is exact there, or rdp where some are: tight is "
           "for sampled steps");
  }
  if (options.ledger) {
    refuse("--filter", kTight,
           "gdp or rdp with --ledger: prices of a tight filter are of one kind of steps, and "
           "ledgers have none");
  }
  if (options.order) throw Error("--order belongs to --filter rdp: leave it out, or choose rdp");
  if (options.budget_mu) {
    refuse("--filter", kTight,
           "--budget-epsilon or --budget-steps with it: a budget of sampled steps is no mu");
  }
  const Delta delta = required("--delta", options.delta);
  const Budget budget = budget_of(options, steps);
  if (const auto* like = std::get_if<StepsBudget>(&budget)) {
    return tight_currency(worst, like->steps, delta);
  }
  return tight_currency(worst, std::get<EpsilonBudget>(budget).epsilon, delta);
}

Plan plan_of(const AccountOptions& options, std::size_t steps) {
  if (options.plan) {
    if (options.noise || options.rate) {
      throw Error("--plan is given together with --noise or --rate: the file holds both");
    }
    return read_plan(std::filesystem::path(*options.plan));
  }
  return {entry({.noise = required("--noise", options.noise),
                 .rate = options.rate ? number("--rate", *options.rate) : 1,
                 .steps = static_cast<double>(steps)})};
}

Clip clip_of(const AccountOptions& options) {
  return options.clip ? number("--clip", *options.clip) : 1;
}

IndividualAccounting accounting_of(const AccountOptions& options, const Plan& run) {
  IndividualAccounting how = {.method = method_of(options, run)};
  if (!options.range) return how;
  if (how.method != IndividualMethod::blackwell && !options.curve) {
    throw Error("--range belongs to --method blackwell and --curve: give one, or leave it out");
  }
  const auto [from, to] = ends("--range", *options.range);
  how.range.from = from;
  how.range.to = to;
  if (!(from < to)) refuse("--range", "'" + *options.range + "'", "an end above its start");
  return how;
}

Buckets buckets_of(const AccountOptions& options, std::span<const RepeatedStep> steps) {
  const int count = options.buckets
                        ? static_cast<int>(whole("--buckets", *options.buckets, 1, kMostBuckets))
                        : kDefaultBuckets;
  if (options.linear) {
    const auto [least, most] = ends("--linear", *options.linear);
    return Buckets(fourier::linear_noises({.least = least, .most = most, .count = count}));
  }
  const auto least = std::min_element(steps.begin(), steps.end(),
                                      [](const RepeatedStep& a, const RepeatedStep& b) {
                                        return a.step.noise < double{b.step.noise};
                                      });
  return Buckets::from(least->step.noise, count);
}

}  // namespace

FileRun run_of(const AccountOptions& options, const NormRows& norms) {
  const Delta delta = required("--delta", options.delta);
  Plan plan = plan_of(options, norms.rows());
  std::vector<RepeatedStep> steps = repeated_steps(plan, clip_of(options));
  check_norms_file(norms, steps);
  IndividualAccounting how = accounting_of(options, plan);
  Buckets buckets = buckets_of(options, steps);
  return {.plan = std::move(plan),
          .steps = std::move(steps),
          .buckets = std::move(buckets),
          .delta = delta,
          .how = std::move(how)};
}

CurrencyPtr currency_of(const AccountOptions& options, std::span<const RepeatedStep> steps) {
  if (!options.filter) {
    if (options.budget_epsilon || options.budget_mu || options.budget_steps || options.order) {
      throw Error(
          "--budget-epsilon, --budget-mu, --budget-steps and --order belong to --filter: give it, "
          "or leave them out");
    }
    return nullptr;
  }
  if (*options.filter == kTight) return tight_currency_of(options, steps);
  std::vector<Order> orders;
  if (options.order) orders.emplace_back(number("--order", *options.order));
  return currency_named(*options.filter, std::move(orders));
}

std::optional<Filter> filter_of(const AccountOptions& options, std::span<const RepeatedStep> steps,
                                std::size_t people, const CurrencyPtr& currency) {
  if (!currency) return std::nullopt;
  return Filter(people, currency, budget_of(options, steps));
}

std::optional<ledger::AccountGrant> grant_of(const AccountOptions& options, const FileRun& run,
                                             const std::optional<Filter>& filter, const Ids& ids) {
  if (options.ledger.has_value() != options.token.has_value()) {
    throw Error("--ledger and --token belong together: give both, or leave both out");
  }
  if (!options.ledger) {
    if (!options.team && !options.purpose) return std::nullopt;
    throw Error("--team and --purpose belong to --ledger: give it, or leave them out");
  }
  if (!filter) throw Error("--ledger needs --filter, whose budget is what it asks for: give one");
  if (ids.empty()) throw Error("--ledger finds people by their ids: give --ids");
  if (!options.follow.empty()) {
    throw Error("--follow does not go with --ledger: leave one of them out");
  }
  return ledger::AccountGrant(Ledger::open(*options.ledger),
                              {.token = *options.token,
                               .purpose = options.purpose.value_or(""),
                               .team = options.team.value_or(""),
                               .limit = budget_of(options, run.steps),
                               .ids = {ids.all().begin(), ids.all().end()}},
                              {.currency = filter->currency(), .delta = run.delta});
}

std::optional<std::size_t> person_of(const AccountOptions& options, std::size_t people,
                                     const Ids& ids) {
  if (options.curve.has_value() != options.person.has_value()) {
    throw Error("--curve and --person belong together: give both, or leave both out");
  }
  if (!options.person) return std::nullopt;
  return person("--person", *options.person, people, ids.all());
}

std::vector<std::size_t> followed_of(const AccountOptions& options, std::size_t people,
                                     const Ids& ids) {
  if (!options.follow.empty() && !options.results) {
    throw Error("--follow belongs to --results: give it, or leave it out");
  }
  std::vector<std::size_t> who;
  for (const std::string& text : options.follow) {
    who.push_back(person("--follow", text, people, ids.all()));
  }
  results::check_followed(who, "--follow");
  return who;
}

void check_files(const AccountOptions& options) {
  NamedFiles inputs, outputs;
  const bool piped = options.norms == kStandardInput;
  inputs.push_back({"norms", piped ? "/dev/stdin" : options.norms});
  const auto add_one = [](NamedFiles& all, const char* option, const Text& file) {
    if (file) all.push_back({option, *file});
  };
  add_one(inputs, "--plan", options.plan);
  add_one(inputs, "--ids", options.ids);
  add_one(inputs, "--groups", options.groups);
  if (options.ledger) {
    for (const auto& file : files_of(*options.ledger)) inputs.push_back(file);
  }
  add_one(outputs, "--out", options.out);
  add_one(outputs, "--curve", options.curve);
  add_one(outputs, "--results", options.results);
  if (options.results) add(outputs, "--results", results::run_files(*options.results));
  check_apart(inputs, outputs);
}

void add_to(CLI::App& command, AccountOptions& options) {
  const auto add = [&](const char* name, Text& text, const char* type, const char* help) {
    command.add_option(name, text, help)->type_name(type);
  };
  command
      .add_option(
          "norms", options.norms,
          "Everybody's norms before clipping. An NPY file: float32 or float64, one row for "
          "each step, one column for each person. Or a table: a CSV file, plain or gzip, or "
          "- for standard input, with the columns person,step,norm in any order of rows")
      ->type_name("FILE")
      ->required();
  add("--noise", options.noise, "X",
      "Noise multiplier sigma: standard deviation of the noise divided by the clip bound, 0.0001 "
      "to 1e8");
  add("--clip", options.clip, "X", "Clip bound of the norms, by default 1");
  add("--rate", options.rate, "X",
      "Poisson sampling rate q, 1e-12 to 1; 1, the default, takes everybody at every step");
  add("--plan", options.plan, "FILE",
      "Instead of --noise and --rate, where they change from step to step: a CSV file with the "
      "columns noise,rate,steps, in the order of the norms' rows");
  add("--steps", options.steps, "N",
      "For norms as a table: how many steps there were, numbered from 0. By default as many as "
      "have a row, whatever their numbers; with --plan as many as the plan has");
  add("--delta", options.delta, "X", "Find everybody's epsilon at this delta");
  add("--method", options.method, "NAME",
      "gdp (exact, rate 1 only), pld (tight), rdp (Renyi, what filters charge by) or blackwell (a "
      "fitted Gaussian, approximate); default: gdp where every rate is 1, else pld");
  add("--buckets", options.buckets, "N",
      "For rates below 1: how many buckets noise ratios are counted in, by default 256, finest "
      "where "
      "there is least noise");
  add("--linear", options.linear, "X,X",
      "Linear buckets from one noise ratio to another instead, such as 2,30");
  add("--range", options.range, "X,X",
      "For blackwell: the range of epsilon that the Gaussian is fitted on, by default 0.01,0.3");
  add("--filter", options.filter, "NAME",
      "Put an individual filter in front, gdp (rate 1 only), rdp, or tight (sampled steps only, "
      "and "
      "most of them): it decides before each step who takes part, and anyone who is left out is "
      "charged nothing");
  add("--budget-epsilon", options.budget_epsilon, "X", "Budget of the filter: epsilon at --delta");
  add("--budget-mu", options.budget_mu, "X", "Instead: a GDP parameter; not for filter tight");
  add("--budget-steps", options.budget_steps, "N",
      "Instead: as much as this many steps cost at the clip bound");
  add("--ledger", options.ledger, "LEDGER",
      "Take everybody's budget from this ledger, by their --ids: at most that of the filter. What "
      "was charged is spent there at the end");
  add("--token", options.token, "TEXT", "For --ledger: the name of the grant");
  add("--team", options.team, "NAME", "For --ledger: who asks");
  add("--purpose", options.purpose, "TEXT", "For --ledger: what it is for");
  add("--order", options.order, "X",
      "For filter rdp: one Renyi order, instead of a curve of 18 from 1.25 to 64");
  add("--ids", options.ids, "FILE",
      "Everybody's id, in the order of the norms' columns, plain or gzip: one a line, or with --id "
      "a column of a CSV file. People then go by their ids in --out, --groups, --person, --follow "
      "and --results. For norms as a table: who is accounted for, with or without rows");
  add("--id", options.id, "COLUMN", "The column of ids, in --ids and in norms that are a table");
  add("--groups", options.groups, "FILE",
      "One label for each person, a line each, or with ids a CSV file with the columns "
      "person,group in any order: quantiles for each group too");
  add("--out", options.out, "FILE",
      "Write everybody's epsilon, as CSV or NPY by its ending, for the owner's eyes only (mode "
      "0600)");
  add("--curve", options.curve, "FILE",
      "Write one person's delta over a range of epsilon under every method, as CSV, mode 0600");
  add("--person", options.person, "ID", "For --curve: whose, counted from 0, or by their id");
  add("--results", options.results, "DIR",
      "Keep a summary, everybody's epsilon and, with a filter, how many took part over time, in a "
      "new directory that `ration report` makes a page from; all files mode 0600");
  command
      .add_option(
          "--follow", options.follow,
          "For --results: somebody, counted from 0 or by their id, whose epsilon is kept over "
          "time; may be given again")
      ->type_name("ID")
      ->take_all();
  command.add_flag("--json", options.json, "One JSON document on standard output");
}

}  // namespace ration::cli
