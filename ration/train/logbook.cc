#include "ration/train/logbook.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/checksum.h"
#include "ration/train/checkpoint.h"

namespace ration::train {

using Clock = std::chrono::steady_clock;

std::string checksum_of(const People& people) {
  const std::array<std::uint64_t, 3> shape = {people.features.rows, people.features.columns,
                                              people.labels.count()};
  const std::array<Bytes, 3> parts = {std::as_bytes(std::span(shape)),
                                      std::as_bytes(std::span(people.features.values)),
                                      std::as_bytes(std::span(people.labels.values))};
  std::string text;
  for (const std::byte byte : ration::checksum_of(parts)) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return text;
}

Logbook::Logbook(const results::RunDirectory& directory, Trainer& trainer, RunIdentity identity,
                 std::uint64_t generation, results::RunRecords records)
    : directory_(directory),
      identity_(std::move(identity)),
      generation_(generation),
      records_(std::move(records)) {
  // Beside a checkpoint there is always a journal: one that is missing has been lost.
  if (generation == 0) journal_.emplace(directory.journal(), 0, trainer.people());
  save(trainer);
}

void Logbook::charge(std::span<const float> charges, bool same) {
  same&& journaled_ ? journal_->charge_again() : journal_->charge(charges);
  journaled_ = true;
}

void Logbook::add(const results::ResultsMoment& moment,
                  std::span<const results::Followed> followed) {
  records_.add_shown(moment);
  records_.add_private(moment);
  records_.add_followed(moment, followed);
  journal_->sync();
  records_.write();
}

// The checkpoint holds all charges so far; only then may the journal start anew.
void Logbook::save(Trainer& trainer) {
  TrainingState state = trainer.state();
  state.generation = generation_ + 1;
  state.settings = identity_.settings;
  state.people = identity_.people;
  state.shown_rows = records_.rows().shown;
  state.private_rows = records_.rows().hidden;
  state.followed_rows = records_.rows().followed;
  save_checkpoint(directory_.checkpoint(), state, trainer.settle_books());
  ++generation_;
  journal_.emplace(directory_.journal(), generation_, trainer.people());
  journaled_ = false;
  saved_ = Clock::now();
}

void Logbook::save_if_older(Trainer& trainer, double seconds) {
  const std::chrono::duration<double> age = Clock::now() - saved_;
  if (age.count() >= seconds) save(trainer);
}

Resumed resume(const results::RunDirectory& directory, const Settings& settings,
               const Dataset& data, const Architecture& architecture, const SecretStream& stream) {
  auto [training, books] = load_checkpoint(directory.checkpoint());
  if (training.settings != settings.text) {
    throw Error(fmt::format(
        "{} was made with other settings: resume with those in {}, or give another --out",
        directory.checkpoint().string(), directory.settings().string()));
  }
  std::string people = checksum_of(data.train);
  if (training.people != people) {
    throw Error(
        fmt::format("{} is of other people: resume with the data that the run was started with, "
                    "in the same order",
                    directory.checkpoint().string()));
  }
  const std::uint64_t generation = training.generation;
  results::RunRecords records(directory,
                              {.groups = data.train.groups.labels,
                               .by_accuracy = data.train.labels.kind == LabelKind::one,
                               .follow = settings.follow},
                              {.shown = training.shown_rows,
                               .hidden = training.private_rows,
                               .followed = training.followed_rows});
  Trainer trainer(architecture, settings.optimiser, *settings.plan, data.train, stream,
                  std::move(training), std::move(books));
  replay(directory.journal(), generation, data.train.count(),
         [&](std::span<const float> charges, std::uint64_t steps) {
           for (std::uint64_t i = 0; i < steps; ++i) trainer.charge_lost_step(charges);
         });
  return {.trainer = std::move(trainer),
          .people = std::move(people),
          .generation = generation,
          .records = std::move(records)};
}

}  // namespace ration::train
