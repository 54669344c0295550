#include "ration/train/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/file/npz.h"
#include "ration/file/open_file.h"
#include "ration/individual/accounts.h"
#include "ration/results/directory.h"
#include "ration/results/epsilon_file.h"
#include "ration/results/group_means.h"
#include "ration/results/summary_json.h"
#include "ration/state/saved.h"
#include "ration/train/full_batch.h"
#include "ration/train/logbook.h"
#include "ration/train/metrics.h"
#include "ration/train/plain_trainer.h"
#include "ration/train/training_plan.h"

namespace ration::train {
namespace {

using results::Results;
using results::ResultsMoment;
using results::RunDirectory;
using results::RunRecords;

SecretStream stream_of(const Settings& settings) {
  return settings.test_seed ? SecretStream::of_seed(*settings.test_seed)
                            : SecretStream::of_the_system();
}

std::optional<Evaluation> test_of(const Architecture& architecture,
                                  std::span<const float> parameters, const Dataset& data) {
  if (data.test.count() == 0) return std::nullopt;
  return evaluate(architecture, parameters, data.test);
}

bool by_accuracy(const Dataset& data) { return data.train.labels.kind == LabelKind::one; }

RunRecords::Of records_of(const Dataset& data, const std::vector<std::size_t>& follow) {
  return {.groups = data.train.groups.labels, .by_accuracy = by_accuracy(data), .follow = follow};
}

// What was reached at the end of an epoch, for all to see. Infinite losses stay what they are.
ResultsMoment moment_of(std::uint64_t epoch, std::uint64_t steps, double epsilon,
                        const std::optional<Evaluation>& test) {
  ResultsMoment moment = {.epoch = epoch, .steps = steps, .epsilon = epsilon};
  if (!test) return moment;
  moment.test_loss.push_back(test->everybody.loss);
  moment.test_score.push_back(test->everybody.score);
  for (const Quality& group : test->groups) {
    moment.test_loss.push_back(group.loss);
    moment.test_score.push_back(group.score);
  }
  return moment;
}

// What a summary says of any run, private or not.
Results results_of(const Settings& settings, const Dataset& data, const RunDirectory& directory,
                   std::uint64_t steps, const std::optional<Evaluation>& test) {
  Results results = {.kind = Results::Kind::run,
                     .test_run = settings.test_seed.has_value(),
                     .gaussian = settings.plan && !settings.plan->sampled(),
                     .data = data.description,
                     .people = data.train.count(),
                     .steps = steps,
                     .charged_steps = 0,
                     .score_name = {},
                     .groups = data.train.groups.labels,
                     .moments = {},
                     .settings = settings.text,
                     .shown_settings = settings.shown_text,
                     .directory = directory.path().string()};
  if (!test) return results;
  results.test = {.loss = test->everybody.loss,
                  .score = test->everybody.score,
                  .by_accuracy = by_accuracy(data)};
  for (std::size_t g = 0; g < test->groups.size(); ++g) {
    results.test_people[results.groups[g]] = test->groups[g].people;
  }
  return results;
}

void write_summary(const RunDirectory& directory, const Results& results) {
  PrivateFile file(directory.file("summary", ".json"));
  file.write(results::summary_text(results));
  file.commit();
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

  Results train(const OnProgress& on_progress) {
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
    std::vector<Bound> everybody;
    if (!plan_.sampled() || trainer_.steps() == plan_.steps()) {
      everybody = everybody_of(trainer_.settle_books().accounts, plan_, promise).epsilon;
      moment.mean_epsilon = results::upper_means_of(everybody, groups);
    }
    logbook_.add(moment, followed(promise, everybody));
    logbook_.save_if_older(trainer_, settings_.checkpoint_seconds);
  }

  // Those who are followed, out of everybody if that has been worked out.
  std::vector<results::Followed> followed(const Promise& promise,
                                          const std::vector<Bound>& everybody) {
    const std::vector<std::size_t>& who = settings_.follow;
    if (who.empty()) return {};
    const Books::Settled& books = trainer_.settle_books();
    std::vector<Bound> own;
    if (everybody.empty()) own = everybody_of(books.accounts.of(who), plan_, promise).epsilon;
    std::vector<results::Followed> people;
    for (std::size_t i = 0; i < who.size(); ++i) {
      people.push_back({.epsilon = everybody.empty() ? own[i] : everybody[who[i]],
                        .admitted = books.attendance.people[who[i]].admitted});
    }
    return people;
  }

  // The summary comes last: without it the run has not finished.
  Results finish() {
    const Books::Settled& books = trainer_.settle_books();
    save(directory_.file("accounts", ".state"), books.accounts);
    write_model(directory_, architecture_, trainer_.parameters());
    const Promise promise = promise_of(plan_, trainer_.charged_steps());
    const IndividualPrivacy everybody = everybody_of(books.accounts, plan_, promise);
    const bool filtered = plan_.filter.has_value();
    results::EpsilonFile(directory_.file("epsilons", ".csv"), data_.train.count(), filtered)
        .write(everybody.epsilon, filtered ? std::optional(books.attendance) : std::nullopt);

    Results results =
        results_of(settings_, data_, directory_, trainer_.steps(),
                   test_ ? test_ : test_of(architecture_, trainer_.parameters(), data_));
    results.charged_steps = trainer_.charged_steps();
    results.delta = plan_.delta;
    results.epsilon = promise.epsilon;
    results.worst_case = promise.worst_case;
    results.budget = promise.budget;
    results.guarantee = promise.guarantee;
    const Groups& groups = data_.train.groups;
    results.individual = {
        .method = std::string(name(everybody.method)),
        .guarantee = everybody.guarantee,
        .epsilons = {},
        .attendance = {},
        .quantiles = quantiles_of(everybody.epsilon),
        .groups = quantiles_of(everybody.epsilon, groups.of_person, groups.labels.size()),
        .followed = {},
        .wide = everybody.wide};
    write_summary(directory_, results);
    return results;
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

Results train_privately(const Settings& settings, const Dataset& data, Start start,
                        const RunDirectory& directory, const OnProgress& on_progress) {
  const Architecture architecture = architecture_of(settings, data.train);
  const SecretStream stream = stream_of(settings);
  Resumed first =
      start == Start::resumed
          ? resume(directory, settings, data, architecture, stream)
          : Resumed{.trainer = Trainer(architecture, settings.optimiser, *settings.plan, data.train,
                                       stream),
                    .people = checksum_of(data.train),
                    .generation = 0,
                    .records = RunRecords(directory, records_of(data, settings.follow))};
  return PrivateRun(settings, data, directory, architecture, std::move(first)).train(on_progress);
}

Results train_plainly(const Settings& settings, const Dataset& data, const RunDirectory& directory,
                      const OnProgress& on_progress) {
  const Architecture architecture = architecture_of(settings, data.train);
  PlainTrainer trainer(architecture, settings.optimiser, settings.plain->rate, data.train,
                       stream_of(settings));
  RunRecords records(directory, records_of(data, {}));
  std::optional<Evaluation> test;
  const std::uint64_t epochs = settings.plain->epochs;
  for (std::uint64_t epoch = 1; epoch <= epochs; ++epoch) {
    for (std::uint64_t i = 0; i < trainer.steps_per_epoch(); ++i) trainer.step();
    test = test_of(architecture, trainer.parameters(), data);
    records.add_shown(
        moment_of(epoch, trainer.steps(), std::numeric_limits<double>::infinity(), test));
    records.write();
    if (!on_progress) continue;
    on_progress({.step = epoch,
                 .steps = epochs,
                 .epoch = epoch,
                 .epochs = epochs,
                 .test_loss = test ? test->everybody.loss : std::nullopt});
  }
  write_model(directory, architecture, trainer.parameters());
  const Results results = results_of(settings, data, directory, trainer.steps(), test);
  write_summary(directory, results);
  return results;
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

Results train(const Settings& settings, const Dataset& data, Start start,
              const OnProgress& on_progress) {
  check_followed(settings, data);
  const RunDirectory directory(settings.out, settings.test_seed.has_value());
  check_start(settings, directory, start);
  if (start == Start::fresh) write_settings(settings, directory.settings());
  return settings.plan ? train_privately(settings, data, start, directory, on_progress)
                       : train_plainly(settings, data, directory, on_progress);
}

}  // namespace ration::train
