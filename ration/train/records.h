// What is written down at the end of each epoch, as CSV files: what may be shown, what may not, and
// what people who are followed have spent, if anybody is. Rows are kept as text, which checkpoints
// hold: a run that is resumed goes on below its last checkpoint.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ration/base/bound.h"
#include "ration/dataset/dataset.h"
#include "ration/results/followed_csv.h"
#include "ration/train/metrics.h"
#include "ration/train/run_directory.h"
#include "ration/train/trainer.h"

namespace ration::train {

// Of one epoch, about the people who are tested with.
struct ShownRecord {
  std::uint64_t epoch, steps;
  double epsilon;  // promised so far; infinite without privacy
  std::optional<Evaluation> test;
};

// Of one epoch, about the people who are trained on; each first for everybody, then for each group.
struct PrivateRecord {
  std::uint64_t epoch, steps;
  std::vector<double> losses;
  std::vector<std::uint64_t> active;
  std::vector<double> epsilons;  // mean of everybody's own; empty if it was not worked out
};

// Of one epoch, about the people who are followed.
struct FollowedRecord {
  std::uint64_t epoch, steps;
  std::vector<results::Followed> people;
};

// Of each file, without its header.
struct RecordRows {
  std::string shown = {}, hidden = {}, followed = {};
};

class Records {
 public:
  // Nobody or some people are followed; nobody else can be in a FollowedRecord.
  Records(const RunDirectory& directory, const Dataset& data, std::span<const std::size_t> follow,
          RecordRows rows = {});

  void add(const ShownRecord& record);
  void add(const PrivateRecord& record);
  void add(const FollowedRecord& record);
  // All files whole: the shown one for everybody, the others for their owner.
  void write() const;

  const RecordRows& rows() const { return rows_; }

 private:
  std::filesystem::path shown_file_, private_file_, followed_file_;
  std::string shown_header_, private_header_, followed_header_;
  RecordRows rows_;
  std::size_t groups_;
  bool follows_;
};

// First of everybody, then of each group.
std::vector<double> means_of(std::span<const float> values, const Groups& groups);
std::vector<double> means_of(std::span<const double> values, const Groups& groups);
// Of upper ends, rounded up: a mean of what people have spent at most.
std::vector<double> upper_means_of(std::span<const Bound> epsilons, const Groups& groups);
std::vector<std::uint64_t> sums_of(std::span<const std::uint8_t> mask, const Groups& groups);

}  // namespace ration::train
