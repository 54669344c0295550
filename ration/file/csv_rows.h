// A CSV file from first to last: its records, and the rows of a table with a header. A file may be
// gzip, start with a byte-order mark and end its lines as Windows does. It stays where it is, as in
// a MappedFile, and no more than a block of it is held: a file larger than memory is no trouble.
// Errors say where. Not for two threads at once.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ration/file/csv.h"
#include "ration/file/gzip.h"

namespace ration::csv {

// Opens a small file. `what` is the argument that a refusal names.
std::ifstream open(std::string_view what, const std::filesystem::path& file);
// All of a stream, which may be a pipe. Refuses more than 2^30 bytes, and what is neither text nor
// gzip as soon as it shows: a file that is not text may have no end.
std::string text_of(std::istream& in, const std::string& source);

// The records of a file: a line each, or several where quotes hold line breaks.
class Records {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;

  // Without a dialect, quotes are quotes and the first record says what parts cells
  // (separator_in). Refuses UTF-16 and what is no text.
  Records(std::span<const std::byte> file, std::string source, std::optional<Dialect> dialect = {},
          std::size_t block = kBlock);

  // Goes to the next record, the first one at first; false behind the last. What is seen of a
  // record is gone with the next. Refuses records of more than 2^26 bytes.
  bool next();
  std::string_view text() const { return record_; }  // as it stands in the file
  bool blank() const;                                // nothing in it, not even a separator
  // Its cells, or the first `most` and one more. Refuses faults in quotes.
  std::span<const std::string_view> cells(std::size_t most = SIZE_MAX);

  const Dialect& dialect() const { return dialect_; }
  std::size_t line() const { return line_; }  // on which the record starts, from 1 on
  std::string where() const;                  // "people.csv line 3"
  const std::string& source() const { return source_; }
  std::size_t bytes_read() const { return size_ - bytes_.left(); }  // of the file

 private:
  std::string_view rest() const { return {buffer_.data() + at_, filled_ - at_}; }
  bool fill();  // false if there are no more bytes

  std::string source_;
  std::size_t size_;
  InflatedBytes bytes_;
  std::size_t block_;
  Dialect dialect_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, filled_ = 0;  // where the next record starts, and where the buffer ends
  std::size_t line_ = 0, next_line_ = 1;
  std::string_view record_;
  std::vector<std::string_view> cells_;
  std::deque<std::string> undoubled_;  // cells that do not stand in the buffer
};

// The rows of a table with a header, one after the other.
class Rows {
 public:
  // The header says what parts cells, unless it is given. Blank lines at the end are not part of
  // the file.
  Rows(std::span<const std::byte> file, std::string source, std::optional<char> separator = {});

  const std::vector<std::string>& header() const { return header_; }
  std::size_t count() const { return count_; }  // of the whole file, without the header
  // Where it stands in the header. Refuses a name that the header does not have, or has twice.
  std::size_t column(std::string_view name) const;

  // Goes to the next row, the first one at first; false behind the last. Refuses rows of another
  // length than the header, and blank lines between rows.
  bool next();
  std::span<const std::string_view> cells() const { return cells_; }
  std::size_t line() const { return records_.line(); }
  std::size_t bytes_read() const { return records_.bytes_read(); }

  // "people.csv line 3", and "people.csv line 3 column 'age'".
  std::string where() const { return records_.where(); }
  std::string where(std::size_t column) const;

 private:
  Records records_;
  std::vector<std::string> header_;
  std::size_t count_ = 0;
  std::span<const std::string_view> cells_;
};

}  // namespace ration::csv
