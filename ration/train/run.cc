#include "ration/train/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/looked_at.h"
#include "ration/file/npz.h"
#include "ration/file/private_file.h"
#include "ration/file/public_file.h"
#include "ration/individual/accounts.h"
#include "ration/results/epsilon_file.h"
#include "ration/state/saved.h"
#include "ration/train/everybody.h"
#include "ration/train/full_batch.h"
#include "ration/train/logbook.h"
#include "ration/train/plain_trainer.h"
#include "ration/train/run_directory.h"

namespace ration::train {
namespace {

SecretStream stream_of(const Settings& settings) {
  return settings.test_seed ? SecretStream::of_seed(*settings.test_seed)
                            : SecretStream::of_the_system();
}

std::optional<Evaluation> test_of(const Architecture& architecture,
                                  std::span<const float> parameters, const Dataset& data) {
  if (data.test.count() == 0) return std::nullopt;
  return evaluate(architecture, parameters, data.test);
}

Outcome blank_outcome(const Settings& settings, const Dataset& data,
                      const RunDirectory& directory) {
  return {.data = data.description,
          .people = data.train.count(),
          .steps = 0,
          .charged_steps = 0,
          .delta = {},
          .promise = {},
          .individual = {},
          .kind = data.train.labels.kind,
          .test = {},
          .groups = data.train.groups.labels,
          .test_run = settings.test_seed.has_value(),
          .directory = directory.path(),
          .summary = directory.file("summary", ".json")};
}

void write_model(const RunDirectory& directory, const Architecture& architecture,
                 std::span<const float> parameters) {
  std::vector<NpzEntry> model;
  for (std::size_t l = 0; l < architecture.layers(); ++l) {
    const std::size_t in = architecture.width_in(l), out = architecture.width_out(l);
    const auto layer = parameters.subspan(architecture.offset(l), out * in + out);
    model.push_back({fmt::format("layer{}.weight", l), {out, in}, layer.first(out * in)});
    model.push_back({fmt::format("layer{}.bias", l), {out}, layer.last(out)});
  }
  write_npz(directory.file("model", ".npz"), model);
}

class PrivateRun {
 public:
  PrivateRun(const Settings& settings, const Dataset& data, const RunDirectory& directory,
             Architecture architecture, Resumed start)
      : settings_(settings),
        plan_(*settings.plan),
        data_(data),
        directory_(directory),
        architecture_(std::move(architecture)),
        trainer_(std::move(start.trainer)),
        logbook_(directory, trainer_, {settings.text, std::move(start.people)}, start.generation,
                 std::move(start.records)) {}

  Outcome train(const OnProgress& on_progress) {
    while (trainer_.steps() < plan_.steps()) {
      trainer_.step([&](auto charges, bool same) { logbook_.charge(charges, same); });
      if (trainer_.steps() % plan_.steps_per_epoch() == 0) end_epoch();
      if (on_progress) on_progress(progress());
    }
    logbook_.save(trainer_);
    return finish();
  }

 private:
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
    if (plan_.refresh) return means_of(trainer_.losses(), groups);
    return means_of(gradient_norms(trainer_.network(), data_.train).losses, groups);
  }

  void end_epoch() {
    test_ = test_of(architecture_, trainer_.parameters(), data_);
    const Promise promise = promise_of(plan_, trainer_.ledger().charged_steps());
    const Groups& groups = data_.train.groups;
    PrivateRecord hidden = {.epoch = epoch(),
                            .steps = trainer_.steps(),
                            .losses = train_losses(),
                            .active = sums_of(trainer_.active(), groups),
                            .epsilons = {}};
    // Without sampling it takes a moment; with sampling everybody's eps is found once, at the end.
    std::vector<Bound> everybody;
    if (!plan_.sampled() || trainer_.steps() == plan_.steps()) {
      everybody = everybody_of(trainer_.ledger().accounts(), plan_, promise).epsilon;
      hidden.epsilons = upper_means_of(everybody, groups);
    }
    logbook_.add({.epoch = epoch(),
                  .steps = trainer_.steps(),
                  .epsilon = promise.epsilon.upper,
                  .test = test_},
                 hidden, followed(promise, everybody));
    logbook_.save_if_older(trainer_, settings_.checkpoint_seconds);
  }

  // Of those who are followed, out of everybody's if that has been worked out.
  FollowedRecord followed(const Promise& promise, const std::vector<Bound>& everybody) const {
    FollowedRecord record = {.epoch = epoch(), .steps = trainer_.steps(), .people = {}};
    const std::vector<std::size_t>& who = settings_.follow;
    if (who.empty()) return record;
    const Ledger& ledger = trainer_.ledger();
    std::vector<Bound> own;
    if (everybody.empty()) own = everybody_of(ledger.accounts().of(who), plan_, promise).epsilon;
    for (std::size_t i = 0; i < who.size(); ++i) {
      record.people.push_back({.epsilon = everybody.empty() ? own[i] : everybody[who[i]],
                               .admitted = ledger.attendance().people[who[i]].admitted});
    }
    return record;
  }

  Outcome finish() {
    Outcome outcome = blank_outcome(settings_, data_, directory_);
    outcome.steps = trainer_.steps();
    outcome.charged_steps = trainer_.ledger().charged_steps();
    outcome.delta = plan_.delta;
    outcome.promise = promise_of(plan_, outcome.charged_steps);
    outcome.test = test_ ? test_ : test_of(architecture_, trainer_.parameters(), data_);
    save(directory_.file("accounts", ".state"), trainer_.ledger().accounts());
    write_model(directory_, architecture_, trainer_.parameters());

    const IndividualPrivacy everybody =
        everybody_of(trainer_.ledger().accounts(), plan_, *outcome.promise);
    outcome.individual = {.quantiles = quantiles_of(everybody.epsilon),
                          .method = everybody.method,
                          .guarantee = everybody.guarantee,
                          .wide = everybody.wide,
                          .groups = quantiles_of(everybody.epsilon, data_.train.groups.of_person,
                                                 data_.train.groups.labels.size())};

    const bool filtered = plan_.filter.has_value();
    results::EpsilonFile(directory_.file("epsilons", ".csv"), data_.train.count(), filtered)
        .write(everybody.epsilon,
               filtered ? std::optional(trainer_.ledger().attendance()) : std::nullopt);
    return outcome;
  }

  const Settings& settings_;
  const TrainingPlan plan_;
  const Dataset& data_;
  const RunDirectory& directory_;
  const Architecture architecture_;
  Trainer trainer_;
  Logbook logbook_;
  std::optional<Evaluation> test_ = {};
};

Outcome train_privately(const Settings& settings, const Dataset& data, Start start,
                        const RunDirectory& directory, const OnProgress& on_progress) {
  const Architecture architecture = architecture_of(settings, data.train);
  const SecretStream stream = stream_of(settings);
  Resumed first = start == Start::resumed
                      ? resume(directory, settings, data, architecture, stream)
                      : Resumed{.trainer = Trainer(architecture, settings.optimiser, *settings.plan,
                                                   data.train, stream),
                                .people = checksum_of(data.train),
                                .generation = 0,
                                .records = Records(directory, data, settings.follow)};
  return PrivateRun(settings, data, directory, architecture, std::move(first)).train(on_progress);
}

Outcome train_plainly(const Settings& settings, const Dataset& data, const RunDirectory& directory,
                      const OnProgress& on_progress) {
  const Architecture architecture = architecture_of(settings, data.train);
  PlainTrainer trainer(architecture, settings.optimiser, settings.plain->rate, data.train,
                       stream_of(settings));
  Records records(directory, data, {});
  Outcome outcome = blank_outcome(settings, data, directory);
  const std::uint64_t epochs = settings.plain->epochs;
  for (std::uint64_t epoch = 1; epoch <= epochs; ++epoch) {
    for (std::uint64_t i = 0; i < trainer.steps_per_epoch(); ++i) trainer.step();
    outcome.test = test_of(architecture, trainer.parameters(), data);
    records.add({.epoch = epoch,
                 .steps = trainer.steps(),
                 .epsilon = std::numeric_limits<double>::infinity(),
                 .test = outcome.test});
    records.write();
    if (!on_progress) continue;
    on_progress({.step = epoch,
                 .steps = epochs,
                 .epoch = epoch,
                 .epochs = epochs,
                 .test_loss = outcome.test ? outcome.test->everybody.loss : std::nullopt});
  }
  outcome.steps = trainer.steps();
  write_model(directory, architecture, trainer.parameters());
  return outcome;
}

// A run without privacy has nobody to follow.
void check_followed(const Settings& settings, const Dataset& data) {
  for (const std::size_t person : settings.follow) {
    if (settings.plain || person < data.train.count()) continue;
    refuse("run.follow", fmt::format("{}", person),
           fmt::format("people from 0 to {}", data.train.count() - 1));
  }
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

// Who is followed is private.
void write_settings(const Settings& settings, const std::filesystem::path& file) {
  if (settings.follow.empty()) return write_public(file, settings.text);
  PrivateFile out(file);
  out.write(settings.text);
  out.commit();
}

}  // namespace

std::filesystem::path kept_settings(const std::filesystem::path& directory) {
  for (const char* name : {"settings.toml", "settings.not-private.toml"}) {
    if (is_there(directory / name)) return directory / name;
  }
  throw Error(fmt::format("{} holds no run: give the directory of one", directory.string()));
}

Outcome train(const Settings& settings, const Dataset& data, Start start,
              const OnProgress& on_progress) {
  check_followed(settings, data);
  const RunDirectory directory(settings.out, settings.test_seed.has_value());
  check_start(settings, directory, start);
  if (start == Start::fresh) write_settings(settings, directory.settings());
  return settings.plan ? train_privately(settings, data, start, directory, on_progress)
                       : train_plainly(settings, data, directory, on_progress);
}

}  // namespace ration::train
