// What is written down at the end of each epoch, as two CSV files: what may be shown, and what may
// not. Rows are kept as text, which checkpoints hold: a run that is resumed goes on below its last
// checkpoint.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ration/data/dataset.h"
#include "ration/train/metrics.h"
#include "ration/train/run_directory.h"
#include "ration/train/trainer.h"

namespace ration {

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

class Records {
 public:
  Records(const RunDirectory& directory, const Dataset& data, std::string shown = {},
          std::string hidden = {});

  void add(const ShownRecord& record);
  void add(const PrivateRecord& record);
  // Both files whole: the shown one for everybody, the other one for its owner.
  void write() const;

  const std::string& shown_rows() const { return shown_; }
  const std::string& private_rows() const { return private_; }

 private:
  std::filesystem::path shown_file_, private_file_;
  std::string shown_header_, private_header_, shown_, private_;
  std::size_t groups_;
};

// First of everybody, then of each group.
std::vector<double> means_of(std::span<const float> values, const Groups& groups);
std::vector<double> means_of(std::span<const double> values, const Groups& groups);
std::vector<std::uint64_t> sums_of(std::span<const std::uint8_t> mask, const Groups& groups);

}  // namespace ration
