// CSV: the cells of a record, and what they say. What parts cells, what they may stand in and where
// a record ends is known here alone; csv_rows.h goes through a file. Pure, but for Cells, which are
// not for two threads at once.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ration::csv {

struct Dialect {
  char separator = ',';
  // A cell may stand in double quotes, and then holds anything: separators, line breaks, and quotes
  // that are doubled.
  bool quotes = true;
};

// Without blanks around it.
std::string_view trimmed(std::string_view text);

// The cells of a record from left to right, trimmed unless they are in quotes. An empty record is
// one empty cell.
class Cells {
 public:
  explicit Cells(std::string_view record, const Dialect& dialect = {})
      : record_(record), dialect_(dialect) {}

  bool more() const { return at_ <= record_.size(); }
  // Only while there are more. Two quotes within a quoted cell stay two: single_quotes() undoubles.
  std::string_view next() {
    doubled_ = false;
    if (dialect_.quotes) {
      const std::size_t first = first_of_cell();
      if (first < record_.size() && record_[first] == '"') return quoted(first);
    }
    const std::size_t from = at_,
                      end = std::min(record_.find(dialect_.separator, from), record_.size());
    at_ = end + 1;
    return trimmed(record_.substr(from, end - from));
  }
  // Whether the last cell was in quotes and holds doubled ones.
  bool doubled() const { return doubled_; }

  // What is wrong with the record, for a refusal: there are no more cells then.
  struct Fault {
    std::string_view found, accepted;
  };
  const std::optional<Fault>& fault() const { return fault_; }

 private:
  std::size_t first_of_cell() const;
  std::string_view quoted(std::size_t from);
  std::string_view faulty(Fault fault);

  std::string_view record_;
  Dialect dialect_;
  std::size_t at_ = 0;  // beyond the record's end once all cells were read
  bool doubled_ = false;
  std::optional<Fault> fault_;
};

std::vector<std::string_view> cells_of(std::string_view record, const Dialect& dialect = {});
std::string single_quotes(std::string_view doubled);
// Text as a cell of a file that we write: in quotes if it could be taken for anything else.
std::string cell_of(std::string_view text);

// Where the line break stands that ends the record at the text's start: outside quotes. Nothing if
// the text ends before.
std::optional<std::size_t> end_of_record(std::string_view text, const Dialect& dialect);

// What parts the cells of a text that starts with a header: the one of comma, semicolon and tab
// that the header has outside quotes, or a comma if it has none. Refuses a header with several.
char separator_in(std::string_view text, const std::string& source);
// Whether the header ends within the text, whatever parts its cells.
bool holds_header(std::string_view text);

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

// Whether it is a number that somebody wrote with a comma, for decimals or for thousands.
bool has_decimal_comma(std::string_view cell);
inline constexpr std::string_view kDecimalPoint =
    "a decimal point, as in 1.5, and nothing between thousands";

}  // namespace ration::csv
