#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "cli/account_options.h"
#include "cli/account_print.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "ration/base/error.h"
#include "ration/control/norms_file.h"
#include "ration/control/warnings.h"
#include "ration/dataset/groups.h"
#include "ration/file/inputs_and_outputs.h"
#include "ration/results/account_writer.h"
#include "ration/results/epsilon_file.h"

namespace ration::cli {
namespace {

// From 0 to twice the person's eps, at 41 points: for a person of many noise levels each takes a
// tenth of a second by rdp.
CurveRange range_for(const Bound& epsilon) {
  return {.from = 0, .to = std::min(1e8, std::max(1.0, 2 * epsilon.upper)), .points = 41};
}

// Before the work is done: what cannot be written is told at once.
void check_outputs(const AccountOptions& options) {
  if (options.out) check_can_write("--out", *options.out);
  if (options.curve) check_can_write("--curve", *options.curve);
  if (options.results) check_can_make("--results", *options.results);
}

void check_holds_ids(const std::filesystem::path& out, const Ids& ids) {
  if (ids.empty() || out.extension() != ".npy") return;
  refuse("--out", "'" + out.string() + "'", "a name that ends in .csv: NPY has no place for ids");
}

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& text : warnings) fmt::print(stderr, "ration: warning: {}\n", text);
}

void run(const AccountOptions& options) {
  check_files(options);
  check_outputs(options);
  const NormsOfPeople read = norms_of(options);
  NormRows& norms = *read.norms;
  const Ids& ids = read.ids;
  const std::size_t people = norms.people();
  const FileRun run = run_of(options, norms);
  const CurrencyPtr currency = currency_of(options, run.steps);
  const auto filter = filter_of(options, run.steps, people, currency);
  const auto person = person_of(options, people, ids);
  const std::vector<std::size_t> followed = followed_of(options, people, ids);
  const Groups groups = options.groups
                            ? read_groups(std::filesystem::path(*options.groups), people, ids,
                                          read.ordered ? OrderOfPeople::given : OrderOfPeople::none)
                            : Groups{};
  // Opened before the work is done: what cannot be written is told at once.
  std::optional<results::EpsilonFile> out;
  if (options.out) check_holds_ids(*options.out, ids);
  if (options.out) out.emplace(*options.out, people, filter.has_value());
  std::optional<PrivateFile> curve;
  if (options.curve) curve.emplace(*options.curve);
  std::optional<results::AccountWriter> results;
  if (options.results) {
    results.emplace(*options.results, results::AccountWriter::Of{.people = people,
                                                                 .steps = norms.rows(),
                                                                 .groups = groups,
                                                                 .filtered = filter.has_value(),
                                                                 .followed = followed,
                                                                 .ids = ids});
  }

  // The promise is that of the limit: what people had left in a ledger is private.
  const FilePromise promised = promise_of(run, filter);
  std::optional<ledger::AccountGrant> grant = grant_of(options, run, filter, ids);
  const Promise& promise = promised.promise;
  std::optional<Progress> bar(std::in_place, "Reading norms");
  const auto show = [&](double fraction) { bar->update(fraction); };
  Books books = books_of(norms, run, grant ? grant->filter() : filter, show,
                         results ? results->on_admitted() : OnAdmitted{});
  if (grant) grant->start(*books.settle().filter);
  const Accounts& accounts = books.settle().accounts;
  const auto attendance = filter ? std::optional(books.settle().attendance) : std::nullopt;
  bar.emplace("Everybody's epsilon");
  const IndividualPrivacy everybody = epsilons_of(accounts, run, promise, show);
  bar.reset();
  warn(warnings_of_delta(run.delta, people));
  if (attendance && !grant) warn(warnings_of_filter(*attendance, norms.rows()));

  if (out) out->write(everybody.epsilon, attendance, ids.all());
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
      .epsilons = everybody.epsilon,
      .attendance = attendance ? std::span<const Attendance::Person>(attendance->people)
                               : std::span<const Attendance::Person>(),
      .method = everybody.method,
      .guarantee = everybody.guarantee,
      .wide = everybody.wide,
      .filter = filter ? std::optional(summary_of(*filter, run.delta)) : std::nullopt,
      .labels = groups.labels,
      .groups = quantiles_of(everybody.epsilon, groups.of_person, groups.labels.size())};
  if (results) {
    results->add(everybody.epsilon, attendance);
    if (!followed.empty()) {
      bar.emplace("Following");
      const auto spent = [&](const Accounts& own) {
        show(static_cast<double>(own.steps()) / static_cast<double>(norms.rows()));
        return epsilons_of(own, run, promise).epsilon;
      };
      auto own_filter = filter_of(options, run.steps, followed.size(), currency);
      results->follow(norms, run.steps, Books(followed.size(), run.buckets, std::move(own_filter)),
                      spent);
      bar.reset();
    }
    const results::Accounted accounted = {.norms = read.called,
                                          .people = people,
                                          .delta = run.delta,
                                          .steps = run.steps,
                                          .unfiltered_worst_case = promised.worst_case,
                                          .promise = promise,
                                          .filter = summary.filter ? summary.filter->kind : "",
                                          .followed = followed};
    results::Results all = results::results_of(accounted, everybody, groups);
    if (grant) {
      all.made.ledger_token = *options.token;
      all.made.ledger_head_at_grant = grant->head();
    }
    results->commit(all);
  }
  if (grant) grant->settle(*books.settle().filter);
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
