#include "ration/data/plan_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string_view>
#include <vector>

#include "ration/base/error.h"

namespace ration {
namespace {

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

constexpr std::array<std::string_view, 3> kColumns = {"noise", "rate", "steps"};
constexpr std::string_view kHeader = "the columns noise, rate and steps, each once";

// Where each of kColumns stands in the file.
std::array<std::size_t, 3> positions_in(const std::vector<std::string_view>& header,
                                        const std::string& source) {
  std::array<std::size_t, 3> positions{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto found = std::find(header.begin(), header.end(), kColumns[i]);
    if (found == header.end())
      refuse("header of " + source, "without " + std::string(kColumns[i]), kHeader);
    positions[i] = static_cast<std::size_t>(found - header.begin());
  }
  if (header.size() != kColumns.size()) {
    refuse("header of " + source, std::to_string(header.size()) + " columns wide", kHeader);
  }
  return positions;
}

double number_in(std::string_view cell, const std::string& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size()) {
    refuse(where, "'" + std::string(cell.substr(0, 40)) + "'", "a number");
  }
  return value;
}

// Says where a value stands that its type refuses.
template <class Value>
Value checked(double number, const std::string& where) {
  try {
    return Value(number);
  } catch (const Error& e) {
    throw Error(where + ": " + e.what());
  }
}

// A line of at most kLongest characters: a plan that is no plan may have no end.
bool next_line(std::istream& in, std::string& line, const std::string& source) {
  constexpr std::size_t kLongest = 10'000;
  line.clear();
  for (char c = 0; in.get(c) && c != '\n';) {
    line += c;
    if (line.size() > kLongest)
      refuse(source, "no text with lines", "lines of at most 10000 characters");
  }
  return !line.empty() || !in.eof();
}

}  // namespace

Plan read_plan(std::istream& in, const std::string& source) {
  std::string line;
  if (!next_line(in, line, source)) refuse(source, "empty", "a plan: " + std::string(kHeader));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  const auto position = positions_in(cells_of(line), source);
  Plan plan;
  for (std::size_t number = 2; next_line(in, line, source); ++number) {
    if (trimmed(line).empty()) continue;
    const std::string where = source + " line " + std::to_string(number);
    const auto cells = cells_of(line);
    if (cells.size() != kColumns.size()) {
      refuse(where, std::to_string(cells.size()) + " values long", "3 values");
    }
    const auto cell = [&](std::size_t column) {
      return number_in(cells[position[column]], where + ", " + std::string(kColumns[column]));
    };
    plan.push_back(entry({.noise = checked<Noise>(cell(0), where),
                          .rate = checked<Rate>(cell(1), where),
                          .steps = checked<Steps>(cell(2), where)}));
  }
  if (plan.empty()) refuse(source, "without rows", "at least one row of noise, rate and steps");
  return plan;
}

Plan read_plan(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    refuse("plan", file.string(), "the name of a CSV file that can be read");
  }
  return read_plan(in, file.filename().string());
}

}  // namespace ration
