#include "ration/mechanism/plan_csv.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <vector>

#include "ration/base/error.h"
#include "ration/file/csv.h"

namespace ration {
namespace {

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

// Says where a value stands that its type refuses.
template <class Value>
Value checked(double number, const std::string& where) {
  try {
    return Value(number);
  } catch (const Error& e) {
    throw Error(where + ": " + e.what());
  }
}

}  // namespace

Plan read_plan(std::istream& in, const std::string& source) {
  std::string line;
  if (!csv::first_line(in, line, source))
    refuse(source, "empty", "a plan: " + std::string(kHeader));
  const auto position = positions_in(csv::cells_of(line), source);
  Plan plan;
  for (std::size_t number = 2; csv::next_line(in, line, source); ++number) {
    if (csv::trimmed(line).empty()) continue;
    const std::string where = source + " line " + std::to_string(number);
    const auto cells = csv::cells_of(line);
    if (cells.size() != kColumns.size()) {
      refuse(where, std::to_string(cells.size()) + " values long", "3 values");
    }
    const auto cell = [&](std::size_t column) {
      return csv::number_in(cells[position[column]], where + ", " + std::string(kColumns[column]));
    };
    plan.push_back(entry({.noise = checked<Noise>(cell(0), where),
                          .rate = checked<Rate>(cell(1), where),
                          .steps = checked<Steps>(cell(2), where)}));
  }
  if (plan.empty()) refuse(source, "without rows", "at least one row of noise, rate and steps");
  return plan;
}

Plan read_plan(const std::filesystem::path& file) {
  std::ifstream in = csv::open("plan", file);
  return read_plan(in, file.filename().string());
}

}  // namespace ration
