#include "ration/train/logbook.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/file/checksum.h"
#include "ration/train/checkpoint.h"

namespace ration::train {

using Clock = std::chrono::steady_clock;

std::string checksum_of(const People& people) {
  const std::array<std::uint64_t, 3> shape = {people.features.rows, people.features.columns,
                                              people.labels.count()};
  std::vector<Bytes> parts = {std::as_bytes(std::span(shape)),
                              std::as_bytes(std::span(people.features.values)),
                              std::as_bytes(std::span(people.labels.values))};
  // Each with its end, so that no two lists of ids look alike.
  std::string ids;
  for (const std::string& id : people.ids) ids += id + '\n';
  parts.push_back(std::as_bytes(std::span(ids)));
  parts.push_back(std::as_bytes(std::span(people.begins)));
  return hexadecimal(ration::checksum_of(parts));
}

std::vector<std::size_t> places_followed(const Settings& settings, const People& people) {
  return results::places_of(settings.follow, people.ids, people.count(), "run.follow");
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

TrainingState Logbook::state_of(const Trainer& trainer) const {
  TrainingState state = trainer.state();
  state.shown_rows = records_.rows().shown;
  state.private_rows = records_.rows().hidden;
  state.followed_rows = records_.rows().followed;
  return state;
}

// The checkpoint holds all charges so far; only then may the journal start anew.
void Logbook::save(Trainer& trainer) {
  TrainingState state = state_of(trainer);
  state.generation = generation_ + 1;
  state.settings = identity_.settings;
  state.people = identity_.people;
  state.ledger_head = identity_.ledger_head;
  save_checkpoint(directory_.checkpoint(), state, trainer.settle_books());
  ++generation_;
  journal_.emplace(directory_.journal(), generation_, trainer.people());
  journaled_ = false;
  checkpoint_bytes_ = std::filesystem::file_size(directory_.checkpoint());
  noted_ = Clock::now();
  noted_step_ = trainer.steps();
}

void Logbook::save_if_due(Trainer& trainer, const Pace& pace) {
  const std::chrono::duration<double> age = Clock::now() - noted_;
  const bool is_old = age.count() >= pace.seconds;
  if (!is_old && trainer.steps() - noted_step_ < pace.steps) return;
  if (journal_->bytes() >= checkpoint_bytes_) return save(trainer);
  journal_->progress(progress_bytes(state_of(trainer)));
  if (is_old) journal_->sync();  // in case that the machine stops
  noted_ = Clock::now();
  noted_step_ = trainer.steps();
}

namespace {

// By default a later version may choose another kind, and with it another noise.
void check_filter(const std::string& checkpoint, const TrainingPlan& plan,
                  const std::optional<Filter>& filter) {
  const std::string_view kind = filter ? filter->currency().name() : "none";
  if (kind == (plan.filter ? plan.filter->currency->name() : "none")) return;
  throw Error(
      fmt::format("{} was made with filter.kind {}: give --set filter.kind={}, or --resume with "
                  "--out alone",
                  checkpoint, kind, kind));
}

}  // namespace

// A later version may know of more settings: what was kept is read as it reads them.
bool are_kept(const std::string& kept, const Settings& settings) {
  if (kept == settings.identity || kept == settings.identity_before) return true;
  try {
    return parse_settings(kept, "settings", {}, kKindBefore).identity == settings.identity;
  } catch (const Error&) {
    return false;
  }
}

void replay_into(const results::RunDirectory& directory, const Step& step, TrainingState& training,
                 Books& books) {
  std::vector<std::uint8_t> mask(books.people());
  const std::uint64_t first = training.step;
  std::uint64_t steps = 0, done = 0;
  std::vector<std::byte> last;
  replay(
      directory.journal(), training.generation, books.people(),
      [&](std::span<const float> charges, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) books.charge(step, charges, mask);
        steps += count;
      },
      [&](Bytes state) {
        last.assign(state.begin(), state.end());
        done = steps;
      });
  if (last.empty()) return;
  TrainingState further = read_progress(last, books.people(), books.charged_steps());
  if (further.step != first + done) {
    refuse(directory.journal().string(), "inconsistent: it has come further than it was charged",
           "the file as Ration wrote it last");
  }
  further.generation = training.generation;
  further.settings = std::move(training.settings);
  further.people = std::move(training.people);
  further.ledger_head = std::move(training.ledger_head);
  training = std::move(further);
}

Resumed resume(const results::RunDirectory& directory, const Settings& settings,
               const Dataset& data, const Architecture& architecture, const SecretStream& stream) {
  auto [training, books] = load_checkpoint(directory.checkpoint());
  if (!are_kept(training.settings, settings)) {
    throw Error(fmt::format(
        "{} was made with other settings: resume with those in {}, or give another --out",
        directory.checkpoint().string(), directory.settings().string()));
  }
  if (training.people != checksum_of(data.train)) {
    throw Error(
        fmt::format("{} is of other people: resume with the data that the run was started with, "
                    "in the same order",
                    directory.checkpoint().string()));
  }
  check_filter(directory.checkpoint().string(), *settings.plan, books.settle().filter);
  replay_into(directory, settings.plan->step, training, books);
  const std::uint64_t generation = training.generation;
  RunIdentity identity = {.settings = training.settings,
                          .people = training.people,
                          .ledger_head = training.ledger_head};
  results::RunRecords records(directory,
                              {.groups = data.train.groups.labels,
                               .by_accuracy = data.train.labels.kind == LabelKind::one,
                               .follow = places_followed(settings, data.train)},
                              {.shown = training.shown_rows,
                               .hidden = training.private_rows,
                               .followed = training.followed_rows});
  Trainer trainer(architecture, settings.optimiser, *settings.plan, data.train, stream,
                  std::move(training), std::move(books));
  return {.trainer = std::move(trainer),
          .identity = std::move(identity),
          .generation = generation,
          .records = std::move(records)};
}

}  // namespace ration::train
