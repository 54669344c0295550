#include "ration/mechanism/mechanism_csv.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/file/csv_rows.h"

namespace ration {
namespace {

constexpr std::array<std::string_view, 3> kPlanColumns = {"noise", "rate", "steps"};
constexpr std::string_view kPlanHeader = "the columns noise, rate and steps, each once";

// Where each of kPlanColumns stands in the file.
std::array<std::size_t, 3> positions_in(std::span<const std::string_view> header,
                                        const std::string& source) {
  std::array<std::size_t, 3> positions{};
  for (std::size_t i = 0; i < kPlanColumns.size(); ++i) {
    const auto found = std::find(header.begin(), header.end(), kPlanColumns[i]);
    if (found == header.end())
      refuse("header of " + source, "without " + std::string(kPlanColumns[i]), kPlanHeader);
    positions[i] = static_cast<std::size_t>(found - header.begin());
  }
  if (header.size() != kPlanColumns.size()) {
    refuse("header of " + source, std::to_string(header.size()) + " columns wide", kPlanHeader);
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
  const std::string text = csv::text_of(in, source);
  csv::Records records(std::as_bytes(std::span(text)), source);
  if (!records.next()) refuse(source, "empty", "a plan: " + std::string(kPlanHeader));
  const auto position = positions_in(records.cells(), source);
  Plan plan;
  while (records.next()) {
    if (records.blank()) continue;
    const std::string where = records.where();
    const auto cells = records.cells();
    if (cells.size() != kPlanColumns.size()) {
      refuse(where, std::to_string(cells.size()) + " values long", "3 values");
    }
    const auto cell = [&](std::size_t column) {
      return csv::number_in(cells[position[column]],
                            where + ", " + std::string(kPlanColumns[column]));
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

namespace {

constexpr std::string_view kPairHeader = "the columns with and without, each once";

// Whether the columns stand the other way round.
bool reversed(std::span<const std::string_view> header, const std::string& source) {
  if (header.size() == 2 && header[0] == "with" && header[1] == "without") return false;
  if (header.size() == 2 && header[0] == "without" && header[1] == "with") return true;
  refuse("header of " + source, "something else", kPairHeader);
}

double probability(std::string_view cell, const std::string& where) {
  const double p = csv::number_in(cell, where);
  if (!(p >= 0 && p <= 1)) refuse(where, p, "a probability from 0 to 1");
  return p;
}

}  // namespace

DiscretePair read_pair(std::istream& in, const std::string& source) {
  const std::string text = csv::text_of(in, source);
  csv::Records records(std::as_bytes(std::span(text)), source);
  if (!records.next()) refuse(source, "empty", "a pair: two probabilities a row");
  const auto first = records.cells();
  const bool has_header = std::none_of(first.begin(), first.end(), [](std::string_view cell) {
    return csv::number_in<double>(cell).has_value();
  });
  const bool swap = has_header && reversed(first, source);
  std::vector<double> with, without;
  for (bool more = !has_header || records.next(); more; more = records.next()) {
    if (records.blank()) continue;
    const std::string where = records.where();
    const auto cells = records.cells();
    if (cells.size() != 2) refuse(where, std::to_string(cells.size()) + " values long", "2 values");
    with.push_back(probability(cells[0], where));
    without.push_back(probability(cells[1], where));
  }
  if (swap) std::swap(with, without);
  try {
    return {std::move(with), std::move(without)};
  } catch (const Error& e) {
    throw Error(source + ": " + e.what());
  }
}

DiscretePair read_pair(const std::filesystem::path& file) {
  std::ifstream in = csv::open("pair", file);
  return read_pair(in, file.filename().string());
}

}  // namespace ration
