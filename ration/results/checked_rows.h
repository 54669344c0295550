// The rows of a CSV file that Ration wrote, cell by cell and without a copy: a million people are
// read in a fraction of a second. Read as strictly as it was written (no blanks, no quotes around
// numbers, an end to every line), so that a file that was cut off is refused. A refusal says where,
// and nothing of what stands there. Not for two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ration::results {

class ResultsRows {
 public:
  // The text stays where it is, as in a MappedFile. Refuses one whose last line has no end.
  ResultsRows(std::string_view text, std::string source);

  std::string_view header() const { return header_; }
  void expect_header(std::string_view header) const;

  // Goes to the next row; false behind the last. Refuses when cells of the row before are left.
  bool next();
  // The next cell of the row. Refuses what is no such number, and a row without a further cell.
  std::uint64_t whole();
  double number();  // infinite, or not a number, if it says so
  std::optional<std::uint64_t> whole_or_blank();
  std::optional<double> number_or_blank();
  // Text of one line, in quotes only where csv::cell_of() puts them.
  std::string text();

  // The file is wrong in this row, or as a whole: "FILE line 3 is WRONG: give ...".
  [[noreturn]] void refuse_row(std::string_view wrong) const;
  [[noreturn]] void refuse_file(std::string_view wrong) const;

 private:
  void enter_cell();
  template <class Value>
  Value cell();
  bool blank();

  std::string source_;
  std::string_view header_, rest_, row_;  // what is left of the text, and of the row
  std::size_t line_ = 1;
  bool first_ = true;  // no cell of the row has been read
};

}  // namespace ration::results
