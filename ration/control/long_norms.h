// Norms as a long table, CSV with the columns person,step,norm in any order of columns and of rows,
// and whatever other columns there are. Somebody without a row at a step contributes nothing to it.
// Several rows of one person at one step are records that count together: their norms add up,
// rounded up, for the norm of a sum is at most that. Memory grows with the people, not with the
// rows, which are sorted by step on the disk if need be (external_sort.h). Refusals name the line,
// never an id or a norm. For one caller at a time. docs/norms.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ration/base/ids.h"
#include "ration/control/norm_rows.h"
#include "ration/file/external_sort.h"

namespace ration {

class LongNorms : public NormRows {
 public:
  struct Options {
    std::string person = "person";  // the column of ids
    // Who is accounted for, in their order. Without them it is everybody in the table, in the order
    // of ids: as numbers if all of them are whole numbers, else as text.
    std::optional<Ids> ids = {};
    // Steps are numbered from 0 to this, without it; those without a row cost nothing, and count.
    // If it is not given, the steps that have a row are those that there were, whatever their
    // numbers.
    std::optional<std::uint64_t> steps = {};
    std::size_t rows_held = std::size_t{1} << 20;
  };

  // All of the table is read here. `file` is text or gzip, and needed no longer than that; `source`
  // is what a refusal calls it. Refuses a table without rows, a step that is no whole number from 0
  // on, what is no norm, and ids that are not among those given.
  LongNorms(std::span<const std::byte> file, std::string source, Options options);

  const Ids& ids() const { return ids_; }
  // Without a number of steps: is some number between the first and the last of them missing? It
  // may be that nobody took part, or that rows were lost.
  bool has_gaps() const { return gaps_; }

  std::size_t rows() const override { return rows_; }
  std::size_t people() const override { return ids_.size(); }
  bool is_float32() const override { return false; }
  void read_rows(std::size_t first, std::span<float> to) override;  // a fault of the program
  void read_rows(std::size_t first, std::span<double> to) override;

 private:
  struct Entry {
    std::uint64_t step;
    double norm;
    std::uint64_t person;

    // By norm at last, so that sums do not depend on the order of rows.
    bool operator<(const Entry& other) const {
      if (step != other.step) return step < other.step;
      return person != other.person ? person < other.person : norm < other.norm;
    }
  };
  void read(std::span<const std::byte> file, const std::string& source, const Options& options);
  void count_steps();

  std::optional<std::uint64_t> steps_;
  Ids ids_;
  std::vector<std::size_t> place_;  // among ids, of those who were numbered as they came
  ExternalSort<Entry> entries_;
  std::size_t rows_ = 0;
  bool gaps_ = false;
  std::optional<ExternalSort<Entry>::Cursor> cursor_;
  std::size_t next_row_ = 0;
};

}  // namespace ration
