// What a private run writes down while it goes on: charges into the journal before they are used,
// records at the ends of epochs, checkpoints now and then, and in between how far it has come. For
// one caller at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ration/results/run_records.h"
#include "ration/train/journal.h"
#include "ration/train/settings.h"
#include "ration/train/trainer.h"

namespace ration::train {

// What a run that goes on must agree with: its settings, and a checksum of the people trained on.
// Accounts are by place: other people in these places would spend what is not theirs.
struct RunIdentity {
  std::string settings, people;
  std::string ledger_head = {};  // that was seen last, of a run with a grant
};
std::string checksum_of(const People& people);  // private
// Whether these are the settings of a run that has kept them as a text.
bool are_kept(const std::string& kept, const Settings& settings);

// Where those of run.follow stand. Refuses somebody who is not there.
std::vector<std::size_t> places_followed(const Settings& settings, const People& people);

class Logbook {
 public:
  // Starts with a checkpoint of the trainer as it is: with what was found in an old journal, before
  // a new one takes its place. `generation` is that of the checkpoint it came from, or 0.
  Logbook(const results::RunDirectory& directory, Trainer& trainer, RunIdentity identity,
          std::uint64_t generation, results::RunRecords records);

  // Before the step is used. `same`: as at the step before.
  void charge(std::span<const float> charges, bool same);

  // At the end of an epoch. To the disk goes first what it cost, then what came out.
  void add(const results::ResultsMoment& moment, std::span<const results::Followed> followed);

  void save(Trainer& trainer);
  // After a step: if the last one is this old, in seconds or in steps, a note in the journal of how
  // far the trainer has come. A kill costs no more than that. Once the journal is longer than a
  // checkpoint, a checkpoint instead: so most of what is written is charges and notes, and a
  // journal is read in about the time of a checkpoint.
  struct Pace {
    double seconds;
    std::uint64_t steps;
  };
  void save_if_due(Trainer& trainer, const Pace& pace);

 private:
  TrainingState state_of(const Trainer& trainer) const;

  const results::RunDirectory& directory_;
  const RunIdentity identity_;
  std::uint64_t generation_;
  results::RunRecords records_;
  std::optional<Journal> journal_;
  bool journaled_ = false;  // a step since the journal was started
  std::uint64_t checkpoint_bytes_ = 0;
  // The last checkpoint or note.
  std::chrono::steady_clock::time_point noted_;
  std::uint64_t noted_step_ = 0;
};

// What the journal says beyond the checkpoint: every charge, and how far training had come.
void replay_into(const results::RunDirectory& directory, const Step& step, TrainingState& training,
                 Books& books);

// A trainer as its last checkpoint and the journal after it say, and the records so far.
struct Resumed {
  Trainer trainer;
  RunIdentity identity;
  std::uint64_t generation;
  results::RunRecords records;
};
Resumed resume(const results::RunDirectory& directory, const Settings& settings,
               const Dataset& data, const Architecture& architecture, const SecretStream& stream);

}  // namespace ration::train
