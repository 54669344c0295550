#include <algorithm>
#include <memory>
#include <utility>

#include "cli/account_options.h"
#include "cli/account_print.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "ration/control/file_account.h"
#include "ration/dataset/groups.h"
#include "ration/results/account_writer.h"
#include "ration/results/curve_csv.h"
#include "ration/results/epsilon_file.h"

namespace ration::cli {
namespace {

Books read_books(const NpyFile& norms, const FileRun& run, const std::optional<Filter>& filter,
                 const OnAdmitted& on_admitted) {
  Progress bar("Reading norms");
  return books_of(
      norms, run, filter, [&](double fraction) { bar.update(fraction); }, on_admitted);
}

IndividualPrivacy everybodys_epsilon(const Accounts& accounts, const FileRun& run,
                                     const Promise& promise) {
  Progress bar("Everybody's epsilon");
  return epsilons_of(accounts, run, promise, [&](double fraction) { bar.update(fraction); });
}

// From 0 to twice the person's eps, at 41 points: each takes a second for a person of many noise
// levels.
CurveRange range_for(const Bound& epsilon) {
  return {.from = 0, .to = std::min(1e8, std::max(1.0, 2 * epsilon.upper)), .points = 41};
}

void run(const AccountOptions& options) {
  const NpyFile norms{std::filesystem::path(options.norms)};
  const std::size_t people = norms.columns();
  const FileRun run = run_of(options, norms);
  const auto filter = filter_of(options, run.steps, people);
  const auto person = person_of(options, people);
  const std::vector<std::size_t> followed = followed_of(options, people);
  const Groups groups =
      options.groups ? read_groups(std::filesystem::path(*options.groups), people) : Groups{};
  // Opened before the work is done: what cannot be written is told at once.
  std::optional<results::EpsilonFile> out;
  if (options.out) out.emplace(*options.out, people, filter.has_value());
  std::optional<PrivateFile> curve;
  if (options.curve) curve.emplace(*options.curve);
  std::optional<results::AccountWriter> results;
  if (options.results) {
    results.emplace(*options.results, results::AccountWriter::Of{.people = people,
                                                                 .steps = norms.rows(),
                                                                 .groups = groups,
                                                                 .filtered = filter.has_value(),
                                                                 .followed = followed});
  }

  const FilePromise promised = promise_of(run, filter);
  const Promise& promise = promised.promise;
  Books books = read_books(norms, run, filter, results ? results->on_admitted() : OnAdmitted{});
  const Accounts& accounts = books.settle().accounts;
  const auto attendance = filter ? std::optional(books.settle().attendance) : std::nullopt;
  const IndividualPrivacy everybody = everybodys_epsilon(accounts, run, promise);

  if (out) out->write(everybody.epsilon, attendance);
  if (curve) {
    results::write_curve(
        *curve, person_curve(accounts, *person, run.plan, range_for(everybody.epsilon[*person]),
                             run.how.range));
  }
  const AccountSummary summary = {
      .people = people,
      .steps = norms.rows(),
      .delta = run.delta,
      .worst_case = promise.smaller(),
      .quantiles = quantiles_of(everybody.epsilon),
      .method = everybody.method,
      .guarantee = everybody.guarantee,
      .wide = everybody.wide,
      .filter = filter ? std::optional(summary_of(*filter, run.delta)) : std::nullopt,
      .labels = groups.labels,
      .groups = quantiles_of(everybody.epsilon, groups.of_person, groups.labels.size())};
  if (results) {
    results->add(everybody.epsilon, attendance);
    if (!followed.empty()) {
      Progress bar("Following");
      const auto spent = [&](const Accounts& own) {
        bar.update(static_cast<double>(own.steps()) / static_cast<double>(norms.rows()));
        return epsilons_of(own, run, promise).epsilon;
      };
      auto own_filter = filter_of(options, run.steps, followed.size());
      results->follow(norms, run.steps, Books(followed.size(), run.buckets, std::move(own_filter)),
                      spent);
    }
    const results::Accounted accounted = {
        .norms = std::filesystem::path(options.norms).filename().string(),
        .people = people,
        .delta = run.delta,
        .steps = run.steps,
        .unfiltered_worst_case = promised.worst_case,
        .promise = promise,
        .filter = summary.filter ? summary.filter->kind : "",
        .followed = followed};
    results->commit(results::results_of(accounted, everybody, groups));
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
