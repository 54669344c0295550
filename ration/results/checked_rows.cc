#include "ration/results/checked_rows.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/csv.h"

namespace ration::results {
namespace {

constexpr std::string_view kAsWritten = "the file as it was written";

std::string_view cut_line(std::string_view& text) {
  const std::size_t length = text.find('\n');  // there is one: every line has an end
  const std::string_view line = text.substr(0, length);
  text.remove_prefix(length + 1);
  return line;
}

}  // namespace

ResultsRows::ResultsRows(std::string_view text, std::string source)
    : source_(std::move(source)), rest_(text) {
  if (text.empty()) refuse_file("empty");
  if (text.back() != '\n') refuse_file("cut off in its last line");
  header_ = cut_line(rest_);
}

void ResultsRows::expect_header(std::string_view header) const {
  if (header_ != header)
    refuse(source_ + " line 1", "another header than it should be", kAsWritten);
}

bool ResultsRows::next() {
  if (!row_.empty()) refuse_row("longer than the header");
  if (rest_.empty()) return false;
  row_ = cut_line(rest_);
  ++line_;
  first_ = true;
  return true;
}

// Commas stand between cells; a row of one blank cell is an empty line.
void ResultsRows::enter_cell() {
  if (!first_) {
    if (row_.empty()) refuse_row("shorter than the header");
    row_.remove_prefix(1);
  }
  first_ = false;
}

template <class Value>
Value ResultsRows::cell() {
  enter_cell();
  Value value{};
  const auto [end, error] = std::from_chars(row_.data(), row_.data() + row_.size(), value);
  row_.remove_prefix(static_cast<std::size_t>(end - row_.data()));
  if (error != std::errc{} || !(row_.empty() || row_.front() == ',')) {
    refuse_row(fmt::format("without {} in one of its cells",
                           std::is_same_v<Value, double> ? "a number" : "a whole number"));
  }
  return value;
}

bool ResultsRows::blank() {
  const std::string_view cell = first_ ? row_ : row_.substr(row_.empty() ? 0 : 1);
  if (!cell.empty() && cell.front() != ',') return false;
  enter_cell();
  return true;
}

std::string ResultsRows::text() {
  enter_cell();
  csv::Cells cells(row_);
  const std::string_view cell = cells.next();
  const std::string text = cells.doubled() ? csv::single_quotes(cell) : std::string(cell);
  // What was written for it must stand there, to the letter.
  const std::string written = csv::cell_of(text);
  if (!row_.starts_with(written)) refuse_row("without a text in one of its cells");
  row_.remove_prefix(written.size());
  if (!(row_.empty() || row_.front() == ',')) refuse_row("without a text in one of its cells");
  return text;
}

std::uint64_t ResultsRows::whole() { return cell<std::uint64_t>(); }
double ResultsRows::number() { return cell<double>(); }

std::optional<std::uint64_t> ResultsRows::whole_or_blank() {
  return blank() ? std::nullopt : std::optional(whole());
}
std::optional<double> ResultsRows::number_or_blank() {
  return blank() ? std::nullopt : std::optional(number());
}

void ResultsRows::refuse_row(std::string_view wrong) const {
  refuse(fmt::format("{} line {}", source_, line_), wrong, kAsWritten);
}
void ResultsRows::refuse_file(std::string_view wrong) const { refuse(source_, wrong, kAsWritten); }

}  // namespace ration::results
