#include "ration/file/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/csv.h"
#include "ration/file/label_text.h"

namespace ration {
namespace {

constexpr std::size_t kMostColumns = 1'000'000;

std::string_view text_of(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

CsvRows::CsvRows(std::span<const std::byte> file, std::string source)
    : source_(std::move(source)), text_(text_of(file)) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  split(next_line(), kMostColumns);
  if (cells_.size() > kMostColumns)
    refuse(source_, "more than 10^6 columns wide", "a CSV file of fewer");
  header_.assign(cells_.begin(), cells_.end());
  check_header();
  const std::string_view body = text_.substr(std::min(at_, text_.size()));
  rows_ =
      static_cast<std::size_t>(std::count(body.begin(), body.end(), '\n')) + (body.empty() ? 0 : 1);
  if (rows_ == 0) refuse(source_, "without rows", "a header and a row for each person");
}

void CsvRows::check_header() const {
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    const std::string place = fmt::format("{} header, column {} (from 0)", source_, i);
    if (header_[i].empty()) refuse(place, "without a name", "a name for each column");
    if (const auto fault = fault_of_label(header_[i])) refuse(place, fault->found, fault->accepted);
    if (!names.insert(header_[i]).second) {
      refuse(place, fmt::format("'{}' again", header_[i]), "another name for each column");
    }
  }
}

std::string CsvRows::where() const { return fmt::format("{} line {}", source_, line_); }
std::string CsvRows::where(std::size_t column) const {
  return fmt::format("{} column '{}'", where(), header_[column]);
}

std::string_view CsvRows::next_line() {
  const std::string_view rest = text_.substr(at_);
  const std::size_t length = std::min(rest.find('\n'), rest.size());
  at_ = std::min(at_ + length + 1, text_.size());
  ++line_;
  return rest.substr(0, length);
}

// The end of a cell whose first quote stands at `from`. Two quotes within are one; what holds them
// can only be left out, so they stay two.
std::size_t CsvRows::quoted_cell(std::string_view line, std::size_t from) {
  std::size_t close = line.find('"', from + 1);
  while (close != std::string_view::npos && close + 1 < line.size() && line[close + 1] == '"')
    close = line.find('"', close + 2);
  if (close == std::string_view::npos)
    refuse(where(), "a line with a quote that does not end", "each cell on one line");
  const std::size_t end = std::min(line.find(',', close), line.size());
  if (!csv::trimmed(line.substr(close + 1, end - close - 1)).empty())
    refuse(where(), "a line with text behind a quote", "cells that are in quotes as a whole");
  cells_.push_back(line.substr(from + 1, close - from - 1));
  return end;
}

void CsvRows::split(std::string_view line, std::size_t most) {
  cells_.clear();
  for (std::size_t from = 0; from <= line.size() && cells_.size() <= most;) {
    const std::size_t first = line.find_first_not_of(" \t", from);
    if (first != std::string_view::npos && line[first] == '"') {
      from = quoted_cell(line, first) + 1;
      continue;
    }
    const std::size_t end = std::min(line.find(',', from), line.size());
    cells_.push_back(csv::trimmed(line.substr(from, end - from)));
    from = end + 1;
  }
}

bool CsvRows::next() {
  if (at_ >= text_.size()) return false;
  split(next_line(), header_.size());
  if (cells_.size() != header_.size()) {
    const bool more = cells_.size() > header_.size();
    refuse(where(), more ? "longer than the header" : fmt::format("{} values long", cells_.size()),
           fmt::format("{} values, as many as the header has", header_.size()));
  }
  return true;
}

}  // namespace ration
