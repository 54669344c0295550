#include "ration/train/private_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "ration/control/warnings.h"
#include "ration/individual/accounts.h"
#include "ration/model/full_batch.h"
#include "ration/results/epsilon_file.h"
#include "ration/state/saved.h"
#include "ration/train/filter_plan.h"
#include "ration/train/training_plan.h"
#include "ration/train/warnings.h"

namespace ration::train {
namespace {

using results::Results;
using results::ResultsMoment;
using results::RunDirectory;

// As a shell reads it.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
  if (word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string all = "'";
  for (const char c : word) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

// The most that a kill may cost: 2% of the steps, or one.
std::uint64_t steps_at_risk(const TrainingPlan& plan) {
  return std::max<std::uint64_t>(plan.steps() / 50, 1);
}

class PrivateRun {
 public:
  PrivateRun(const RunInputs& inputs, Architecture architecture, Resumed start,
             std::optional<HeldGrant> grant)
      : settings_(inputs.settings),
        kept_(inputs.kept),
        plan_(with_prices_of(*inputs.settings.plan, start.trainer.settle_books().filter)),
        data_(inputs.data),
        directory_(inputs.directory),
        architecture_(std::move(architecture)),
        followed_(places_followed(inputs.settings, inputs.data.train)),
        trainer_(std::move(start.trainer)),
        data_checksum_(start.identity.people),
        grant_(std::move(grant)),
        logbook_(inputs.directory, trainer_, std::move(start.identity), start.generation,
                 std::move(start.records)) {}

  Results train(const Watch& watch) {
    if (grant_) grant_->start();
    warn(watch, settings_, data_);
    const Logbook::Pace pace = {.seconds = settings_.checkpoint_seconds,
                                .steps = steps_at_risk(plan_)};
    while (trainer_.steps() < plan_.steps()) {
      if (watch.should_stop && watch.should_stop()) stop();
      trainer_.step([&](auto charges, bool same) { logbook_.charge(charges, same); });
      if (trainer_.steps() % plan_.steps_per_epoch() == 0) end_epoch();
      logbook_.save_if_due(trainer_, pace);
      if (watch.on_progress) watch.on_progress(progress());
    }
    logbook_.save(trainer_);
    return finish(watch);
  }

 private:
  [[noreturn]] void stop() {
    logbook_.save(trainer_);
    throw Stopped(
        fmt::format("the run has stopped after step {} of {}: go on with it by ration train "
                    "--resume --out {}{}",
                    trainer_.steps(), plan_.steps(), shell_word(directory_.path().string()),
                    grant_ ? ledger_options() : ""));
  }

  // An address may hold a password.
  std::string ledger_options() const {
    const std::string& ledger = grant_->ledger();
    return fmt::format(" --ledger {} --token {}",
                       ledger.find("://") == std::string::npos ? shell_word(ledger) : "LEDGER",
                       shell_word(grant_->token()));
  }

  std::uint64_t epoch() const { return trainer_.steps() / plan_.steps_per_epoch(); }

  RunProgress progress() const {
    return {.step = trainer_.steps(),
            .steps = plan_.steps(),
            .epoch = std::min(epoch() + 1, plan_.epochs),
            .epochs = plan_.epochs,
            .test_loss = test_ ? test_->everybody.loss : std::nullopt};
  }

  // Of the people trained on, by group: as of their last norms, or as of now.
  std::vector<double> train_losses() const {
    const Groups& groups = data_.train.groups;
    if (plan_.refresh) return results::means_of(trainer_.losses(), groups);
    return results::means_of(gradient_norms(trainer_.network(), data_.train).losses, groups);
  }

  void end_epoch() {
    test_ = test_of(architecture_, trainer_.parameters(), data_);
    const Promise promise = promise_of(plan_, trainer_.charged_steps());
    const Groups& groups = data_.train.groups;
    ResultsMoment moment = moment_of(epoch(), trainer_.steps(), promise.epsilon.upper, test_);
    moment.train_loss = train_losses();
    moment.active = results::sums_of(trainer_.active(), groups);
    // Without sampling it takes a moment; with sampling everybody's eps is found once, at the end.
    everybody_.reset();
    if (!plan_.sampled() || trainer_.steps() == plan_.steps()) {
      everybody_ = everybody_of(trainer_.settle_books().accounts, plan_, promise);
      moment.mean_epsilon = results::upper_means_of(everybody_->epsilon, groups);
    }
    logbook_.add(moment, followed(promise));
  }

  // Those who are followed, out of everybody if that has been worked out.
  std::vector<results::Followed> followed(const Promise& promise) {
    const std::vector<std::size_t>& who = followed_;
    if (who.empty()) return {};
    const Books::Settled& books = trainer_.settle_books();
    std::vector<Bound> own;
    if (!everybody_) own = everybody_of(books.accounts.of(who), plan_, promise).epsilon;
    std::vector<results::Followed> people;
    for (std::size_t i = 0; i < who.size(); ++i) {
      people.push_back({.epsilon = everybody_ ? everybody_->epsilon[who[i]] : own[i],
                        .admitted = books.attendance.people[who[i]].admitted});
    }
    return people;
  }

  // Settled first: a model that is not paid for is not written. The summary comes last: without it
  // the run has not finished.
  Results finish(const Watch& watch) {
    const Books::Settled& books = trainer_.settle_books();
    if (grant_) settle(*books.filter, watch);
    save(directory_.file("accounts", ".state"), books.accounts);
    const std::string model = write_model(directory_, architecture_, trainer_.parameters());
    const Promise promise = promise_of(plan_, trainer_.charged_steps());
    const IndividualPrivacy everybody =
        everybody_ ? *everybody_ : everybody_of(books.accounts, plan_, promise);
    const bool filtered = plan_.filter.has_value();
    results::EpsilonFile(directory_.file("epsilons", ".csv"), data_.train.count(), filtered)
        .write(everybody.epsilon, filtered ? std::optional(books.attendance) : std::nullopt,
               data_.train.ids);

    Results results =
        results_of(settings_, kept_, data_, directory_, trainer_.steps(),
                   test_ ? test_ : test_of(architecture_, trainer_.parameters(), data_));
    results.made.model = model;
    results.made.data = data_checksum_;
    results.charged_steps = trainer_.charged_steps();
    results.delta = plan_.delta;
    results.epsilon = promise.epsilon;
    results.worst_case = promise.worst_case;
    results.budget = promise.budget;
    results.guarantee = promise.guarantee;
    if (plan_.filter) results.filter = plan_.filter->currency->name();
    const Groups& groups = data_.train.groups;
    results.individual = {
        .method = std::string(name(everybody.method)),
        .guarantee = everybody.guarantee,
        .ids = data_.train.ids,
        .epsilons = everybody.epsilon,
        .attendance = filtered ? books.attendance.people : std::vector<Attendance::Person>(),
        .quantiles = quantiles_of(everybody.epsilon),
        .groups = quantiles_of(everybody.epsilon, groups.of_person, groups.labels.size()),
        .followed = {},
        .wide = everybody.wide,
        .warnings = warnings_of_filter(books.attendance, trainer_.charged_steps())};
    if (grant_) {
      results.made.ledger_token = grant_->token();
      results.made.ledger_head_at_grant = kept_.ledger_head;
      if (is_settled_) results.made.ledger_head = grant_->head();
    }
    write_summary(directory_, results);
    return results;
  }

  // What is not settled counts as spent: the results are none the worse.
  void settle(const Filter& filter, const Watch& watch) {
    try {
      grant_->settle(filter);
      is_settled_ = true;
    } catch (const GrantIsClosed&) {
      throw;
    } catch (const std::exception& e) {
      if (watch.on_warning) {
        watch.on_warning(fmt::format("the ledger could not be settled: {}", e.what()));
      }
    }
  }

  const Settings& settings_;
  const KeptSettings& kept_;
  const TrainingPlan plan_;
  const Dataset& data_;
  const RunDirectory& directory_;
  const Architecture architecture_;
  const std::vector<std::size_t> followed_;
  Trainer trainer_;
  const std::string data_checksum_;
  std::optional<HeldGrant> grant_;
  bool is_settled_ = false;
  Logbook logbook_;
  std::optional<Evaluation> test_ = {};
  std::optional<IndividualPrivacy> everybody_ = {};  // as of the last epoch, if it was worked out
};

}  // namespace

Results run_privately(const RunInputs& inputs, Architecture architecture, Resumed start,
                      std::optional<HeldGrant> grant, const Watch& watch) {
  return PrivateRun(inputs, std::move(architecture), std::move(start), std::move(grant))
      .train(watch);
}

}  // namespace ration::train
