// Everybody's eps as a file, by its ending CSV or NPY, private and written whole or not at all
// (atomic_file.h).
//   CSV: person,epsilon_lower,epsilon_upper and, with a filter, admitted,left_out,first_left_out
//        (the last one empty if never); numbers read back equal, infinity is inf.
//   NPY: float64, people x 2 or, with a filter, people x 5; -1 for never.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <variant>

#include "ration/base/bound.h"
#include "ration/control/attendance.h"
#include "ration/file/atomic_file.h"
#include "ration/file/npy.h"
#include "ration/results/checked_rows.h"
#include "ration/results/results.h"

namespace ration::results {

class EpsilonFile {
 public:
  // Refuses other endings, and what cannot be written, before the work is done. Until write() has
  // returned there is no file.
  EpsilonFile(const std::filesystem::path& file, std::size_t people, bool filtered);

  // Once. Attendance is there if and only if the file was opened for a filter.
  void write(std::span<const Bound> epsilons, const std::optional<Attendance>& attendance);

 private:
  std::variant<std::monostate, PrivateFile, NpyWriter<double>> file_;
};

// epsilons.csv, to be added to results whose summary has been read: its quantiles must be those of
// the summary. Refuses a file that does not belong to them.
void read_epsilons(ResultsRows rows, Results& results);

// An epsilon of one person in a row: a bound, and not above `most`.
Bound epsilon_in(ResultsRows& rows, double most);
// What nobody's may exceed: what is promised, if the individual values are proved like it.
double most_epsilon(const Results& results);

}  // namespace ration::results
