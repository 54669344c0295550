#include "ration/mechanism/pair_csv.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/file/csv.h"

namespace ration {
namespace {

constexpr std::string_view kColumns = "the columns with and without, each once";

// Whether the columns stand the other way round.
bool reversed(const std::vector<std::string_view>& header, const std::string& source) {
  if (header == std::vector<std::string_view>{"with", "without"}) return false;
  if (header == std::vector<std::string_view>{"without", "with"}) return true;
  refuse("header of " + source, "something else", kColumns);
}

double probability(std::string_view cell, const std::string& where) {
  const double p = csv::number_in(cell, where);
  if (!(p >= 0 && p <= 1)) refuse(where, p, "a probability from 0 to 1");
  return p;
}

}  // namespace

DiscretePair read_pair(std::istream& in, const std::string& source) {
  std::string line;
  if (!csv::first_line(in, line, source))
    refuse(source, "empty", "a pair: two probabilities a row");
  const auto first = csv::cells_of(line);
  const bool has_header = std::none_of(first.begin(), first.end(), csv::is_number);
  const bool swap = has_header && reversed(first, source);
  std::vector<double> with, without;
  std::size_t number = has_header ? 1 : 0;
  for (bool more = !has_header || csv::next_line(in, line, source); more;
       more = csv::next_line(in, line, source)) {
    ++number;
    if (csv::trimmed(line).empty()) continue;
    const std::string where = source + " line " + std::to_string(number);
    const auto cells = csv::cells_of(line);
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
