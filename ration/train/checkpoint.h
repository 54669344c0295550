// A training on disk, with everything to go on from: one private state file (state/state_file.h,
// kind "training"; docs/state.md), replaced in one move. What was charged after it is in the
// journal of its generation (train/journal.h). Safe from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ration/control/books.h"

namespace ration::train {

struct TrainingState {
  std::uint64_t generation = 0;  // of checkpoints: each is one more than the one before
  std::uint64_t step = 0;        // steps whose result is in the parameters
  std::vector<float> parameters = {};
  std::vector<std::vector<float>> optimiser = {};  // its moments, each as long as parameters
  std::uint64_t optimiser_steps = 0;
  std::vector<float> held_norms = {};      // paid for until norms are looked at again; or none
  std::string settings = {}, people = {};  // as texts: who resumes compares
  // Of the records of epochs (results/run_records.h); the last of people who are followed, if
  // anybody is.
  std::string shown_rows = {}, private_rows = {}, followed_rows = {};

  friend bool operator==(const TrainingState&, const TrainingState&) = default;
};

// Refuses no parameters, moments of another length, held norms of other people, and a result of
// more steps than were charged.
void save_checkpoint(const std::filesystem::path& file, const TrainingState& training,
                     const Books::Settled& books);

struct Checkpoint {
  TrainingState training;
  Books books;
};
// Refuses a file that is damaged, of another version or of another kind, and one whose values no
// steps lead to: those of the books are all checked again.
Checkpoint load_checkpoint(const std::filesystem::path& file);

}  // namespace ration::train
