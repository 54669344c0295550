#include "ration/train/run.h"

#include <fmt/format.h>

#include <limits>
#include <system_error>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/file/open_file.h"
#include "ration/individual/buckets.h"
#include "ration/results/directory.h"
#include "ration/train/logbook.h"
#include "ration/train/plain_trainer.h"
#include "ration/train/private_run.h"
#include "ration/train/run_record.h"
#include "ration/train/run_results.h"

namespace ration::train {
namespace {

using results::Results;
using results::RunDirectory;
using results::RunRecords;

SecretStream stream_of(const Settings& settings) {
  return settings.test_seed ? SecretStream::of_seed(*settings.test_seed)
                            : SecretStream::of_the_system();
}

// A run without privacy has nobody to follow.
void check_followed(const Settings& settings, const Dataset& data) {
  if (!settings.plain) places_followed(settings, data.train);
}

void check_start(const Settings& settings, const RunDirectory& directory, Start start) {
  const bool there = is_there(directory.checkpoint());
  if (start == Start::resumed && settings.plain) {
    throw Error("--resume is for private runs: a run without privacy starts afresh");
  }
  if (start == Start::resumed && !there) {
    throw Error(fmt::format("{} holds no run that could be resumed: leave --resume out",
                            directory.path().string()));
  }
  if (start == Start::fresh && there) {
    throw Error(
        fmt::format("{} holds a run already: give --resume to go on with it, or another "
                    "--out",
                    directory.path().string()));
  }
}

// What a run without privacy left here, which may start again: none of it is this run's. The
// summary goes first, so that nobody takes the rest for whole.
void remove_old_results(const RunDirectory& directory) {
  for (const auto& [name, ending] : {std::pair("summary", ".json"), std::pair("model", ".npz"),
                                     std::pair("epochs", ".csv"), std::pair("private", ".csv")}) {
    const std::filesystem::path file = directory.file(name, ending);
    std::error_code failed;
    std::filesystem::remove(file, failed);
    if (failed) {
      throw WriteFailure(fmt::format("cannot remove {}: {}", file.string(), failed.message()));
    }
  }
}

// Who is followed is private.
void write_settings(const Settings& settings, const std::string& text,
                    const std::filesystem::path& file) {
  if (settings.follow.empty()) return write_public(file, text);
  PrivateFile out(file);
  out.write(text);
  out.commit();
}

std::uint64_t steps_of(const Settings& settings) {
  if (settings.plan) return settings.plan->steps();
  return settings.plain->epochs * steps_per_epoch(settings.plain->rate);
}

// A run that is resumed keeps what it was started with.
KeptSettings keep(const Settings& settings, const Dataset& data, const RunDirectory& directory,
                  Start start, const std::optional<HeldGrant>& grant) {
  if (start == Start::resumed && is_there(directory.settings())) {
    const Settings kept = read_settings(directory.settings(), {}, kKindBefore);
    const std::string record = kept.record ? text_of(*kept.record) : "";
    return {.text = kept.text + record,
            .shown_text = kept.shown_text + record,
            .started = kept.record ? kept.record->started : "",
            .ledger_head = kept.record ? kept.record->ledger_head.value_or("") : ""};
  }
  const RunRecord record = {.version = version_of_ration(),
                            .started = time_now(),
                            .people = data.train.count(),
                            .steps = steps_of(settings),
                            .noise_for_epsilon = settings.noise_for_epsilon,
                            .ledger_head = grant ? std::optional(grant->head()) : std::nullopt};
  write_settings(settings, settings.text + text_of(record), directory.settings());
  return {.text = settings.text + text_of(record),
          .shown_text = settings.shown_text + text_of(record),
          .started = record.started,
          .ledger_head = record.ledger_head.value_or("")};
}

// When nothing more is refused: until then the directory is as it was.
KeptSettings begin(const Settings& settings, const Dataset& data, const RunDirectory& directory,
                   Start start, const std::optional<HeldGrant>& grant = {}) {
  if (start == Start::fresh) remove_old_results(directory);
  return keep(settings, data, directory, start, grant);
}

// A directory with a grant goes on with it, and no other one does.
void check_ledger(const RunDirectory& directory, Start start, const std::optional<LedgerAsk>& ask) {
  if (has_note(directory) && !ask) {
    throw Error(
        fmt::format("{} holds a run with a ledger: give --ledger and the --token that it was "
                    "started with, or another --out",
                    directory.path().string()));
  }
  if (start == Start::resumed && ask && !has_note(directory)) {
    throw Error(
        fmt::format("{} holds a run without a ledger: leave --ledger out, or give another --out",
                    directory.path().string()));
  }
}

Trainer fresh_trainer(const Settings& settings, const Architecture& architecture,
                      const Dataset& data, const SecretStream& stream,
                      const std::optional<HeldGrant>& grant) {
  const TrainingPlan& plan = *settings.plan;
  if (!grant) return {architecture, settings.optimiser, plan, data.train, stream};
  return {architecture,
          settings.optimiser,
          plan,
          data.train,
          stream,
          {.parameters = initial_parameters(architecture, stream)},
          Books(data.train.count(), Buckets::from(plan.step.noise), grant->filter())};
}

Results train_privately(const Settings& settings, const Dataset& data, Start start,
                        const RunDirectory& directory, const Watch& watch,
                        const std::optional<LedgerAsk>& ask) {
  const Architecture architecture = architecture_of(settings, data.train);
  const SecretStream stream = stream_of(settings);
  std::optional<HeldGrant> grant;
  const auto fresh = [&] {
    // What a trainer refuses, it refuses before a grant is taken.
    if (ask) {
      fresh_trainer(settings, architecture, data, stream, {});
      grant.emplace(HeldGrant::take(*ask, settings, data.train, directory));
    }
    return Resumed{
        .trainer = fresh_trainer(settings, architecture, data, stream, grant),
        .identity = {.settings = settings.identity, .people = checksum_of(data.train)},
        .generation = 0,
        .records = RunRecords(directory, records_of(data, places_followed(settings, data.train)))};
  };
  Resumed first =
      start == Start::fresh ? fresh() : resume(directory, settings, data, architecture, stream);
  if (start == Start::resumed && ask) {
    grant.emplace(
        HeldGrant::find(*ask, settings, data.train, directory, first.identity.ledger_head));
    grant->check_filter(first.trainer.settle_books().filter.value(),
                        first.trainer.steps() == settings.plan->steps());
  }
  if (grant) first.identity.ledger_head = grant->head();
  const KeptSettings kept = begin(settings, data, directory, start, grant);
  const RunInputs inputs = {
      .settings = settings, .kept = kept, .data = data, .directory = directory};
  return run_privately(inputs, architecture, std::move(first), std::move(grant), watch);
}

Results train_plainly(const Settings& settings, const Dataset& data, const RunDirectory& directory,
                      const Watch& watch) {
  const Architecture architecture = architecture_of(settings, data.train);
  PlainTrainer trainer(architecture, settings.optimiser, settings.plain->rate, data.train,
                       stream_of(settings));
  const KeptSettings kept = begin(settings, data, directory, Start::fresh);
  RunRecords records(directory, records_of(data, {}));
  warn(watch, settings, data);
  std::optional<Evaluation> test;
  const std::uint64_t epochs = settings.plain->epochs;
  for (std::uint64_t epoch = 1; epoch <= epochs; ++epoch) {
    for (std::uint64_t i = 0; i < trainer.steps_per_epoch(); ++i) {
      if (watch.should_stop && watch.should_stop()) {
        throw Stopped(fmt::format(
            "the run has stopped in epoch {} of {}: it is one without privacy, start it again",
            epoch, epochs));
      }
      trainer.step();
    }
    test = test_of(architecture, trainer.parameters(), data);
    records.add_shown(
        moment_of(epoch, trainer.steps(), std::numeric_limits<double>::infinity(), test));
    records.write();
    if (!watch.on_progress) continue;
    watch.on_progress({.step = epoch,
                       .steps = epochs,
                       .epoch = epoch,
                       .epochs = epochs,
                       .test_loss = test ? test->everybody.loss : std::nullopt});
  }
  Results results = results_of(settings, kept, data, directory, trainer.steps(), test);
  results.made.model = write_model(directory, architecture, trainer.parameters());
  results.made.data = checksum_of(data.train);
  write_summary(directory, results);
  return results;
}

}  // namespace

Results train(const Settings& settings, const Dataset& data, Start start, const Watch& watch,
              const std::optional<LedgerAsk>& ask) {
  check_followed(settings, data);
  const RunDirectory directory(settings.out, settings.test_seed.has_value());
  check_start(settings, directory, start);
  check_ledger(directory, start, ask);
  return settings.plan ? train_privately(settings, data, start, directory, watch, ask)
                       : train_plainly(settings, data, directory, watch);
}

}  // namespace ration::train
