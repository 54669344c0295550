// What a private run writes down while it goes on: charges into the journal before they are used,
// records at the ends of epochs, checkpoints now and then. For one caller at a time.
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
};
std::string checksum_of(const People& people);  // private

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
  void save_if_older(Trainer& trainer, double seconds);

 private:
  const results::RunDirectory& directory_;
  const RunIdentity identity_;
  std::uint64_t generation_;
  results::RunRecords records_;
  std::optional<Journal> journal_;
  bool journaled_ = false;  // a step since the journal was started
  std::chrono::steady_clock::time_point saved_;
};

// A trainer as its last checkpoint and the journal after it say, and the records so far.
struct Resumed {
  Trainer trainer;
  std::string people;  // their checksum
  std::uint64_t generation;
  results::RunRecords records;
};
Resumed resume(const results::RunDirectory& directory, const Settings& settings,
               const Dataset& data, const Architecture& architecture, const SecretStream& stream);

}  // namespace ration::train
