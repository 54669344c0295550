#include "ration/train/held_grant.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/file/open_file.h"
#include "ration/train/checkpoint.h"
#include "ration/train/logbook.h"

namespace ration::train {

using results::RunDirectory;

Settings read_settings(const std::filesystem::path& file, std::span<const std::string> overrides,
                       const Ledger& ledger) {
  const std::string samples = "rdp";  // a tight filter's prices are of one kind of steps
  Settings settings = read_settings(file, overrides, samples);
  if (!settings.plan || settings.plan->filter) return settings;
  // The noise stays what it is: it was found for the run as it is, not for a filter in front.
  std::vector<std::string> all;
  for (const std::string& given : overrides) {
    if (!given.starts_with("privacy.epsilon=")) all.push_back(given);
  }
  all.push_back(fmt::format("privacy.noise={}", double{settings.plan->step.noise}));
  all.push_back(fmt::format("filter.kind={}", ledger.currency()->name()));
  all.push_back(fmt::format("filter.after_epochs={}", settings.plan->epochs));
  Settings limited = read_settings(file, all);
  limited.noise_for_epsilon = settings.noise_for_epsilon;
  return limited;
}

namespace {

[[noreturn]] void refuse_without_ids() {
  throw Error(
      "--ledger finds people by their ids, and the data have none: give data.id, or "
      "data.train_ids");
}

}  // namespace

void check_fits(const Settings& settings, const Ledger& ledger) {
  if (!settings.plan) {
    throw Error("--ledger is for private runs: a run without privacy has nothing to account for");
  }
  if (settings.test_seed) {
    throw Error(
        "--ledger is for private runs: the noise of a test run follows from its seed, and no "
        "budget pays for that; leave run.test_seed out");
  }
  if (!has_ids(settings.data.source)) refuse_without_ids();
  const TrainingPlan& plan = *settings.plan;
  if (!plan.filter) throw Error("--ledger is for runs with a filter: give filter.kind");
  if (plan.filter->currency->name() == "tight") {
    refuse("filter.kind", "tight",
           "the currency of the ledger: prices of a tight filter are of one kind of steps, and "
           "ledgers have none");
  }
  if (!(*plan.filter->currency == *ledger.currency())) {
    refuse("filter.kind", plan.filter->currency->name(),
           fmt::format("the currency of the ledger, which is {}", ledger.currency()->name()));
  }
  if (plan.delta != double{ledger.delta()}) {
    refuse("privacy.delta", plan.delta,
           fmt::format("{}, at which the ledger tells its budgets", double{ledger.delta()}));
  }
}

HeldGrant::HeldGrant(std::string location, const RunDirectory& directory, Ledger& ledger,
                     ledger::Grant grant, GrantNote note)
    : location_(std::move(location)),
      directory_(directory),
      grant_(std::move(grant)),
      note_(std::move(note)) {
  note_.head = ledger.head();
  save_note(directory_, note_);
}

HeldGrant HeldGrant::take(const LedgerAsk& ask, const Settings& settings, const People& people,
                          const RunDirectory& directory) {
  if (people.ids.empty()) refuse_without_ids();
  GrantNote note = {.token = ask.token, .run = new_run_name(), .head = {}, .ids = people.ids};
  Ledger ledger = Ledger::open(ask.ledger);
  check_fits(settings, ledger);
  if (has_note(directory)) {  // of a run that was killed before its first checkpoint
    const GrantNote before = load_note(directory);
    if (before.token != ask.token) {
      throw Error(
          fmt::format("{} belongs to another grant: give the token that it was made with, "
                      "or another --out",
                      directory.path().string()));
    }
    check_seen(ledger, before.head);
    note.run = before.run;
  }
  ledger::Grant grant = ledger.grant({.token = ask.token,
                                      .purpose = ask.purpose,
                                      .team = ask.team,
                                      .limit = settings.plan->filter->budget,
                                      .ids = people.ids});
  Filter filter = ledger.filter(grant);  // refuses one that is in use, or was
  HeldGrant held(ask.ledger, directory, ledger, std::move(grant), std::move(note));
  held.filter_ = std::move(filter);
  return held;
}

HeldGrant HeldGrant::find(const LedgerAsk& ask, const Settings& settings, const People& people,
                          const RunDirectory& directory, const std::string& head) {
  if (people.ids.empty()) refuse_without_ids();
  GrantNote note = load_note(directory);
  if (note.token != ask.token) {
    throw Error(fmt::format("{} belongs to another grant: give the token that it was started with",
                            directory.path().string()));
  }
  if (note.ids != people.ids) {
    throw Error(
        fmt::format("{} is of other people: resume with the data that the run was started with, "
                    "in the same order",
                    directory.path().string()));
  }
  Ledger ledger = Ledger::open(ask.ledger);
  check_fits(settings, ledger);
  check_seen(ledger, note.head);
  check_seen(ledger, head);
  ledger::Grant grant = ledger.held(note.token, note.ids);
  if (grant.status == ledger::GrantStatus::voided) {
    throw Error(
        fmt::format("grant '{}' was given back: start a new run with a new token", grant.token));
  }
  return {ask.ledger, directory, ledger, std::move(grant), std::move(note)};
}

void HeldGrant::check_filter(const Filter& filter, bool finished) const {
  if (grant_.status == ledger::GrantStatus::settled) {
    if (finished) return;
    throw Error(
        fmt::format("grant '{}' is settled, and the run has not finished: it cannot go on; "
                    "start a new one with a new token",
                    grant_.token));
  }
  if (filter.state().budgets != grant_.reserves) {
    throw Error(
        fmt::format("{} was not made with grant '{}': give the ledger and the token that "
                    "the run was started with",
                    directory_.checkpoint().string(), grant_.token));
  }
}

void HeldGrant::start() {
  if (grant_.status == ledger::GrantStatus::settled) return;  // all steps were made
  Ledger ledger = Ledger::open(location_);
  ledger.start(grant_, note_.run);
  grant_.status = ledger::GrantStatus::started;
  note_.head = ledger.head();
  save_note(directory_, note_);
}

void HeldGrant::settle(const Filter& filter) {
  Ledger ledger = Ledger::open(location_);
  check_seen(ledger, note_.head);
  try {
    ledger.settle(grant_, filter);
  } catch (const Error&) {
    const ledger::GrantStatus now = ledger.held(note_.token, note_.ids).status;
    if (now != ledger::GrantStatus::settled && now != ledger::GrantStatus::voided) throw;
    throw GrantIsClosed(
        fmt::format("grant '{}' was {} meanwhile, with other charges than this run's: nothing that "
                    "the run has made is paid for, so no model is written; do not use {}",
                    note_.token, name(now), directory_.path().string()));
  }
  note_.head = ledger.head();
  save_note(directory_, note_);
}

namespace {

// The filter with what everybody was charged, as a run that is resumed finds it.
Filter filter_in(const RunDirectory& directory, Ledger& ledger) {
  Checkpoint checkpoint = load_checkpoint(directory.checkpoint());
  check_seen(ledger, checkpoint.training.ledger_head);
  const Settings settings = read_settings(directory.settings(), {}, kKindBefore);
  if (!are_kept(checkpoint.training.settings, settings)) {
    refuse(directory.settings().string(), "of other settings than the checkpoint",
           "the directory as the run left it");
  }
  check_fits(settings, ledger);
  replay_into(directory, settings.plan->step, checkpoint.training, checkpoint.books);
  const std::optional<Filter>& filter = checkpoint.books.settle().filter;
  if (!filter || !(filter->currency() == *ledger.currency())) {
    refuse(directory.checkpoint().string(), "that of a run without a grant of this ledger",
           "the directory as the run left it");
  }
  return *filter;
}

}  // namespace

Recovered recover(const std::string& location, const std::filesystem::path& path) {
  if (!is_there(results::run_file(path, false, "ledger", ".state"))) {
    refuse("--run", path.string(), "the directory of a run that was started with a ledger");
  }
  const RunDirectory directory(path, false);
  GrantNote note = load_note(directory);
  Ledger ledger = Ledger::open(location);
  check_seen(ledger, note.head);
  const ledger::Grant grant = ledger.held(note.token, note.ids);
  const bool begun = is_there(directory.checkpoint());
  const bool never_started =
      grant.status == ledger::GrantStatus::reserved || grant.status == ledger::GrantStatus::voided;
  if (never_started || !begun) {
    ledger.void_grant(note.token);  // refuses one that was started
  } else {
    // Only this directory's run can tell, if it is the one that has started.
    if (grant.status == ledger::GrantStatus::started) ledger.start(grant, note.run);
    const Filter filter = filter_in(directory, ledger);
    // A journal without a charge proves that there was none.
    if (filter.steps() == 0 && filter.state().budgets == grant.reserves) {
      ledger.settle(grant, filter.state().spent);
    } else {
      ledger.settle(grant, filter);
    }
  }
  note.head = ledger.head();
  save_note(directory, note);
  return {
      .token = note.token, .status = ledger.held(note.token, note.ids).status, .head = note.head};
}

}  // namespace ration::train
