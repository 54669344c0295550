#include "ration/file/csv.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "ration/base/error.h"

namespace ration::csv {
namespace {

std::optional<double> parsed(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size()) return {};
  return value;
}

}  // namespace

std::ifstream open(std::string_view what, const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    refuse(what, file.string(), "the name of a CSV file that can be read");
  }
  return in;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t to = std::min(line.find(',', from), line.size());
    cells.push_back(trimmed(line.substr(from, to - from)));
    from = to + 1;
  }
  return cells;
}

bool is_number(std::string_view cell) { return parsed(cell).has_value(); }

double number_in(std::string_view cell, const std::string& where) {
  const std::optional<double> value = parsed(cell);
  if (!value) refuse(where, "'" + std::string(cell.substr(0, 40)) + "'", "a number");
  return *value;
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
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  return true;
}

}  // namespace ration::csv
