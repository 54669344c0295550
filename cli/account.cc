#include <algorithm>
#include <memory>

#include "cli/account_options.h"
#include "cli/account_print.h"
#include "cli/account_results.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "ration/base/error.h"
#include "ration/control/charge_file.h"
#include "ration/dataset/groups.h"
#include "ration/individual/worst_case.h"
#include "ration/results/curve_csv.h"
#include "ration/results/epsilon_file.h"

namespace ration::cli {
namespace {

struct Charged {
  Accounts accounts;
  std::optional<Attendance> attendance = {};
};
Charged charged(const NpyFile& norms, std::span<const RepeatedStep> steps, const Buckets& buckets,
                std::optional<IndividualFilter>& filter, const OnAdmitted& on_admitted) {
  Progress bar("Reading norms");
  const auto show = [&](double fraction) { bar.update(fraction); };
  Charged result = {.accounts = Accounts(norms.columns(), buckets)};
  if (filter) {
    result.attendance = charge_file(norms, steps, *filter, result.accounts, show, on_admitted);
  } else {
    charge_file(norms, steps, result.accounts, show);
  }
  return result;
}

// How many people are done while a pass over them lasts follows from their values; how many passes
// are done does not.
IndividualPrivacy everybodys_epsilon(const Accounts& accounts, Delta delta,
                                     const IndividualAccounting& how) {
  Progress bar("Everybody's epsilon");
  const std::size_t people = accounts.people();
  const bool sampled = !accounts.rates().empty();
  const std::size_t passes = how.method == IndividualMethod::pld && sampled ? 4
                             : how.method == IndividualMethod::blackwell    ? 2
                                                                            : 1;
  std::size_t done = 0;
  return epsilons(accounts, delta, how, [&](std::size_t more) {
    done += more;
    const std::size_t passed = done / people;
    bar.update(static_cast<double>(passed) / static_cast<double>(passes));
  });
}

// From 0 to twice the person's eps, at 41 points: each takes a second for a person of many noise
// levels.
CurveRange range_for(const Bound& epsilon) {
  return {.from = 0, .to = std::min(1e8, std::max(1.0, 2 * epsilon.upper)), .points = 41};
}

void run(const AccountOptions& options) {
  const NpyFile norms{std::filesystem::path(options.norms)};
  const std::size_t people = norms.columns();
  const Delta delta = required("--delta", options.delta);
  const Plan plan = run_of(options, norms.rows());
  const std::vector<RepeatedStep> steps = repeated_steps(plan, clip_of(options));
  check_norms_file(norms, steps);
  const IndividualAccounting how = accounting_of(options, plan);
  const Buckets buckets = buckets_of(options, steps);
  auto filter = filter_of(options, steps, people);
  const auto person = person_of(options, people);
  const std::vector<std::size_t> followed = followed_of(options, people);
  const Groups groups =
      options.groups ? read_groups(std::filesystem::path(*options.groups), people) : Groups{};
  // Opened before the work is done: what cannot be written is told at once.
  std::optional<results::EpsilonFile> out;
  if (options.out) out.emplace(*options.out, people, filter.has_value());
  std::optional<PrivateFile> curve;
  if (options.curve) curve.emplace(*options.curve);
  std::optional<AccountResults> results;
  if (options.results) {
    results.emplace(*options.results, AccountResults::Of{.people = people,
                                                         .steps = norms.rows(),
                                                         .groups = groups,
                                                         .filtered = filter.has_value(),
                                                         .followed = followed});
  }

  const WorstCase unfiltered = worst_case(plan, buckets, delta, how);
  const Bound worst =
      filter ? min(unfiltered.epsilon, budget_epsilon(*filter, 0, delta)) : unfiltered.epsilon;
  const auto [accounts, attendance] =
      charged(norms, steps, buckets, filter, results ? results->on_admitted() : OnAdmitted{});
  IndividualPrivacy everybody = everybodys_epsilon(accounts, delta, how);
  cap(everybody, worst);

  if (out) out->write(everybody.epsilon, attendance);
  if (curve) {
    results::write_curve(*curve, person_curve(accounts, *person, plan,
                                              range_for(everybody.epsilon[*person]), how.range));
  }
  const AccountSummary summary = {
      .people = people,
      .steps = norms.rows(),
      .delta = delta,
      .worst_case = worst,
      .quantiles = quantiles_of(everybody.epsilon),
      .method = everybody.method,
      .guarantee = everybody.guarantee,
      .wide = everybody.wide,
      .filter = filter ? std::optional(summary_of(*filter, delta)) : std::nullopt,
      .labels = groups.labels,
      .groups = quantiles_of(everybody.epsilon, groups.of_person, groups.labels.size())};
  if (results) {
    results->add(everybody.epsilon, attendance);
    if (!followed.empty()) {
      Progress bar("Following");
      const auto spent = [&](const Accounts& own) {
        bar.update(static_cast<double>(own.steps()) / static_cast<double>(norms.rows()));
        IndividualPrivacy some = epsilons(own, delta, how);
        cap(some, worst);
        return some.epsilon;
      };
      results->follow(norms, steps, filter_of(options, steps, followed.size()), buckets, spent);
    }
    results->commit(
        results_json(summary, {.norms = std::filesystem::path(options.norms).filename().string(),
                               .steps = steps,
                               .unfiltered_worst_case = unfiltered,
                               .followed = followed}));
  }
  options.json ? print_json(summary) : print_table(summary);
}

}  // namespace

void add_account(CLI::App& app) {
  auto options = std::make_shared<AccountOptions>();
  CLI::App* command =
      app.add_subcommand("account", "What each person has spent, from the norms of a run");
  add_to(*command, *options);
  command->footer("Example: ration account norms.npy --noise 2 --rate 0.01 --delta 1e-6");
  command->callback([options] { run(*options); });
}

}  // namespace ration::cli
