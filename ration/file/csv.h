// CSV: the lines of a text, the cells of a line, the rows of a table. Small files come as streams,
// line by line. A large one stays where it is, as in a MappedFile, and a cell is a view into it: a
// million rows are read in a second. What parts cells and what they may stand in is known here
// alone (Dialect). Errors say where. Not for two threads at once.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ration::csv {

struct Dialect {
  char separator = ',';
  // A cell may stand in these, and then holds separators, but no line breaks.
  std::optional<char> quote = {};
  bool trims = true;  // blanks around a cell are not part of it
};
inline constexpr Dialect kPlain = {};                 // numbers, which need no quotes
inline constexpr Dialect kQuoted = {.quote = '"'};    // as other programs write it
inline constexpr Dialect kStrict = {.trims = false};  // as Ration writes it

std::string_view trimmed(std::string_view text);

// The cells of a line from left to right. An empty line is one empty cell.
class Cells {
 public:
  Cells() : at_(1) {}  // none
  explicit Cells(std::string_view line, const Dialect& dialect = kPlain)
      : line_(line), dialect_(dialect) {}

  bool more() const { return at_ <= line_.size(); }
  // Whether the next cell has nothing in it. Only while there are more, as next().
  bool blank() const { return at_ == line_.size() || line_[at_] == dialect_.separator; }
  // Two quotes within a quoted cell stay two.
  std::string_view next() {
    if (dialect_.quote) {
      const std::size_t first = first_of_cell();
      if (first < line_.size() && line_[first] == *dialect_.quote) return quoted(first);
    }
    const std::size_t from = at_,
                      end = std::min(line_.find(dialect_.separator, from), line_.size());
    at_ = end + 1;
    const std::string_view cell = line_.substr(from, end - from);
    return dialect_.trims ? trimmed(cell) : cell;
  }

  // What is wrong with the line, for a refusal: there are no more cells then.
  struct Fault {
    std::string_view found, accepted;
  };
  const std::optional<Fault>& fault() const { return fault_; }

 private:
  std::size_t first_of_cell() const;
  std::string_view quoted(std::size_t from);
  std::string_view faulty(Fault fault);

  std::string_view line_;
  Dialect dialect_;
  std::size_t at_ = 0;  // beyond the line's end once all cells were read
  std::optional<Fault> fault_;
};

std::vector<std::string_view> cells_of(std::string_view line);

// What a cell says, if all of it is such a number.
template <class Value>
std::optional<Value> number_in(std::string_view cell) {
  Value value{};
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size()) return {};
  return value;
}
// Refuses, with the cell, what is not a number: for numbers that are public.
double number_in(std::string_view cell, const std::string& where);

// `what` is the argument that a refusal names.
std::ifstream open(std::string_view what, const std::filesystem::path& file);

// The next line of a stream, and the first one without a byte-order mark; false at the end. Refuses
// lines of more than 10000 characters: a file that is not text may have no end.
bool first_line(std::istream& in, std::string& line, const std::string& source);
bool next_line(std::istream& in, std::string& line, const std::string& source);

// The lines of a text that stays where it is, without their ends, from byte `start` on.
class Lines {
 public:
  explicit Lines(std::string_view text, std::size_t start = 0) : text_(text), at_(start) {}

  bool more() const { return at_ < text_.size(); }
  std::string_view next() {
    const std::string_view rest = text_.substr(at_);
    const std::size_t length = std::min(rest.find('\n'), rest.size());
    at_ = std::min(at_ + length + 1, text_.size());
    ++number_;
    return rest.substr(0, length);
  }

  std::size_t number() const { return number_; }  // of the last line, from 1 on
  std::size_t bytes_read() const { return at_; }
  std::string_view rest() const { return text_.substr(at_); }

 private:
  std::string_view text_;
  std::size_t at_, number_ = 0;
};

// The rows of a table with a header, one after the other.
class Rows {
 public:
  // `file` stays where it is; blanks at its end are not part of it.
  Rows(std::span<const std::byte> file, std::string source, const Dialect& dialect = kQuoted);

  const std::vector<std::string>& header() const { return header_; }
  std::size_t count() const { return count_; }  // of the whole file, without the header

  // Goes to the next row, the first one at first; false behind the last. Refuses rows of another
  // length than the header.
  bool next();
  std::span<const std::string_view> cells() const { return cells_; }
  std::size_t bytes_read() const { return lines_.bytes_read(); }  // to the end of this row

  // "people.csv line 3", and "people.csv line 3 column 'age'".
  std::string where() const;
  std::string where(std::size_t column) const;

 private:
  void split(std::string_view line, std::size_t most);

  std::string source_;
  Dialect dialect_;
  Lines lines_;
  std::size_t count_ = 0;
  std::vector<std::string> header_;
  std::vector<std::string_view> cells_;
};

}  // namespace ration::csv
