// A training on disk, with everything to go on from: one private state file (state/state_file.h,
// kind "training"; docs/state.md), replaced in one move. What was charged after it is in the
// journal of its generation (train/journal.h), and so is how far training has come since. Safe from
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
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
  // Paid for until norms are looked at again, and everybody's losses at that time; or none.
  std::vector<float> held_norms = {}, losses = {};
  std::string settings = {}, people = {};  // as texts: who resumes compares
  std::string ledger_head = {};            // that was seen last, of runs with a grant
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

// A training without its books, whose charges the journal has: small, however many people there
// are. `charged_steps` is how many there are by then. Refuses as above.
std::vector<std::byte> progress_bytes(const TrainingState& training);
TrainingState read_progress(std::span<const std::byte> bytes, std::size_t people,
                            std::uint64_t charged_steps);

}  // namespace ration::train
