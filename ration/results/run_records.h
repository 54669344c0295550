// What a run writes down at the end of each epoch: epochs.csv, which may be shown; private.csv,
// which may not; and followed.csv, what people who are followed have spent, if anybody is. Rows are
// kept as text, which checkpoints hold: a run that is resumed goes on below its last checkpoint.
// For one caller at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "ration/base/bound.h"
#include "ration/dataset/groups.h"
#include "ration/results/directory.h"
#include "ration/results/moments_csv.h"
#include "ration/results/results.h"

namespace ration::results {

// Sums and means of people's values: first of everybody, then of each group. Pure functions.
std::vector<std::uint64_t> sums_of(std::span<const std::uint8_t> mask, const Groups& groups);
// A group without people has no mean: not a number.
std::vector<double> means_of(std::span<const float> values, const Groups& groups);
std::vector<double> means_of(std::span<const double> values, const Groups& groups);
// Of upper ends, rounded up: a mean of what people have spent at most.
std::vector<double> upper_means_of(std::span<const Bound> epsilons, const Groups& groups);

// Of each file, without its header.
struct RunRows {
  std::string shown = {}, hidden = {}, followed = {};
};

class RunRecords {
 public:
  struct Of {
    std::vector<std::string> groups;  // their labels
    bool by_accuracy;                 // what the score is
    std::vector<std::size_t> follow;  // nobody else can be added
  };
  RunRecords(const RunDirectory& directory, Of of, RunRows rows = {});

  void add_shown(const ResultsMoment& moment);
  void add_private(const ResultsMoment& moment);
  // Of those who are followed, in their order; nothing is added if nobody is.
  void add_followed(const ResultsMoment& moment, std::span<const Followed> people);
  // All files whole: the shown one for everybody, the others for their owner.
  void write() const;

  const RunRows& rows() const { return rows_; }

 private:
  std::filesystem::path shown_file_, private_file_, followed_file_;
  const Of of_;
  RunRows rows_;
};

}  // namespace ration::results
