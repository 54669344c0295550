#include "ration/file/csv.h"

#include <fmt/format.h>

#include <utility>

#include "ration/base/error.h"

namespace ration::csv {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kMostColumns = 1'000'000;

// Without a byte-order mark, and without blanks at the end.
Lines lines_of(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return Lines(text, text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Behind blanks, unless they are what parts cells.
std::size_t Cells::first_of_cell() const {
  std::size_t at = at_;
  while (at < line_.size() && (line_[at] == ' ' || line_[at] == '\t') &&
         line_[at] != dialect_.separator) {
    ++at;
  }
  return at;
}

// The cell whose first quote stands at `from`.
std::string_view Cells::quoted(std::size_t from) {
  const char quote = *dialect_.quote;
  std::size_t close = line_.find(quote, from + 1);
  while (close != std::string_view::npos && close + 1 < line_.size() && line_[close + 1] == quote)
    close = line_.find(quote, close + 2);
  if (close == std::string_view::npos)
    return faulty({"a line with a quote that does not end", "each cell on one line"});
  const std::size_t end = std::min(line_.find(dialect_.separator, close), line_.size());
  if (!trimmed(line_.substr(close + 1, end - close - 1)).empty())
    return faulty({"a line with text behind a quote", "cells that are in quotes as a whole"});
  at_ = end + 1;
  return line_.substr(from + 1, close - from - 1);
}

std::string_view Cells::faulty(Fault fault) {
  fault_ = fault;
  at_ = line_.size() + 1;
  return {};
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> found;
  for (Cells cells(line); cells.more();) found.push_back(cells.next());
  return found;
}

double number_in(std::string_view cell, const std::string& where) {
  const auto value = number_in<double>(cell);
  if (!value) refuse(where, "'" + std::string(cell.substr(0, 40)) + "'", "a number");
  return *value;
}

std::ifstream open(std::string_view what, const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    refuse(what, file.string(), "the name of a CSV file that can be read");
  }
  return in;
}

bool next_line(std::istream& in, std::string& line, const std::string& source) {
  constexpr std::size_t kLongest = 10'000;
  line.clear();
  for (char c = 0; in.get(c) && c != '\n';) {
    line += c;
    if (line.size() > kLongest)
      refuse(source, "no text with lines", "lines of at most 10000 characters");
  }
  if (in.bad()) refuse(source, "unreadable to its end", "a file that can be read");
  return !line.empty() || in.good();
}

bool first_line(std::istream& in, std::string& line, const std::string& source) {
  if (!next_line(in, line, source)) return false;
  if (line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  return true;
}

Rows::Rows(std::span<const std::byte> file, std::string source, const Dialect& dialect)
    : source_(std::move(source)), dialect_(dialect), lines_(lines_of(file)) {
  split(lines_.next(), kMostColumns);
  if (cells_.size() > kMostColumns)
    refuse(source_, "more than 10^6 columns wide", "a CSV file of fewer");
  header_.assign(cells_.begin(), cells_.end());
  const std::string_view body = lines_.rest();
  count_ =
      static_cast<std::size_t>(std::count(body.begin(), body.end(), '\n')) + (body.empty() ? 0 : 1);
}

std::string Rows::where() const { return fmt::format("{} line {}", source_, lines_.number()); }
std::string Rows::where(std::size_t column) const {
  return fmt::format("{} column '{}'", where(), header_[column]);
}

// Up to `most` cells of a line, and one more if there is.
void Rows::split(std::string_view line, std::size_t most) {
  cells_.clear();
  Cells cells(line, dialect_);
  while (cells.more() && cells_.size() <= most) cells_.push_back(cells.next());
  if (const auto& fault = cells.fault()) refuse(where(), fault->found, fault->accepted);
}

bool Rows::next() {
  if (!lines_.more()) return false;
  split(lines_.next(), header_.size());
  if (cells_.size() != header_.size()) {
    const bool more = cells_.size() > header_.size();
    refuse(where(), more ? "longer than the header" : fmt::format("{} values long", cells_.size()),
           fmt::format("{} values, as many as the header has", header_.size()));
  }
  return true;
}

}  // namespace ration::csv
