// Everybody's eps as a file, by its ending CSV or NPY, private and written whole or not at all
// (atomic_file.h).
//   CSV: person,epsilon_lower,epsilon_upper and, with a filter, admitted,left_out,first_left_out
//        (the last one empty if never); numbers read back equal, infinity is inf. If people have
//        ids, a column id after person, in quotes where CSV needs them.
//   NPY: float64, people x 2 or, with a filter, people x 5; -1 for never. Without ids.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "ration/base/bound.h"
#include "ration/control/books.h"
#include "ration/file/atomic_file.h"
#include "ration/file/npy.h"
#include "ration/individual/blackwell.h"
#include "ration/results/checked_rows.h"
#include "ration/results/results.h"

namespace ration::results {

class EpsilonFile {
 public:
  // Refuses other endings, and what cannot be written, before the work is done. Until write() has
  // returned there is no file.
  EpsilonFile(const std::filesystem::path& file, std::size_t people, bool filtered);

  // Once. Attendance is there if and only if the file was opened for a filter; ids are those of
  // everybody, or none.
  void write(std::span<const Bound> epsilons, const std::optional<Attendance>& attendance,
             std::span<const std::string> ids = {});

 private:
  std::variant<std::monostate, PrivateFile, NpyWriter<double>> file_;
};

// epsilons.csv, to be added to results whose summary has been read: its quantiles must be those of
// the summary, and take their place. Refuses a file that does not belong to them.
void read_epsilons(ResultsRows rows, Results& results);

// An epsilon of one person in a row: a bound, and not above `most`.
Bound epsilon_in(ResultsRows& rows, double most);
// What nobody's may exceed: what is promised, if the individual values are proved like it.
double most_epsilon(const Results& results);

// A person's curve as CSV: epsilon, lower and upper end of delta for each method (gdp_lower,
// gdp_upper, pld_lower, ...), and the fitted Gaussian curve, blackwell. The file is the caller's,
// so that it can be opened before the work is done; all is written and the file committed.
void write_curve(PrivateFile& file, const PersonCurve& curve);

}  // namespace ration::results
