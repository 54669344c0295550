// The rows of a large CSV file with a header, one after the other, without a copy: a cell is a view
// into the file. Cells may stand in quotes, and then hold commas, but no line breaks. Not for two
// threads at once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ration {

class CsvRows {
 public:
  // `file` stays where it is, as in a MappedFile. Refuses a header with names that are missing, no
  // plain text (label_text.h) or there twice, and a file without rows.
  CsvRows(std::span<const std::byte> file, std::string source);

  const std::vector<std::string>& header() const { return header_; }
  std::size_t rows() const { return rows_; }  // of the whole file, without the header

  // Goes to the next row, the first one at first; false behind the last. Refuses rows of another
  // length than the header.
  bool next();
  // Without blanks and quotes around them.
  std::span<const std::string_view> cells() const { return cells_; }
  // Where the row ends in the file.
  std::size_t bytes_read() const { return at_; }

  // "people.csv line 3", and "people.csv line 3 column 'age'".
  std::string where() const;
  std::string where(std::size_t column) const;

 private:
  std::string_view next_line();
  // Up to `most` cells of a line, and one more if there is.
  void split(std::string_view line, std::size_t most);
  std::size_t quoted_cell(std::string_view line, std::size_t from);
  void check_header() const;

  std::string source_;
  std::string_view text_;  // without blanks at its end
  std::size_t at_ = 0, line_ = 0, rows_ = 0;
  std::vector<std::string> header_;
  std::vector<std::string_view> cells_;
};

}  // namespace ration
