#include "cli/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ration::cli {

namespace {

// To the next power of ten: enough to judge by, and the same on every processor.
std::string certified(const Bound& x, std::string_view of) {
  return fmt::format("   (certified: within 1e{} of {})", std::ceil(std::log10(width(x))), of);
}

}  // namespace

std::string upper_end(const Bound& x, std::string_view of) {
  if (x.lower == x.upper) return fmt::format("{}", x.upper + 0.0);  // no negative zero
  if (std::isinf(x.upper)) return "more than " + rounded_down(x.lower);
  return rounded_up(x.upper) + certified(x, of);
}

std::string lower_end(const Bound& x) {
  if (x.lower == x.upper) return fmt::format("{}", x.lower);
  return rounded_down(x.lower) + certified(x, "the truth");
}

void print(const Rows& rows) {
  constexpr std::size_t kColumns = 80;
  std::size_t name_width = 0;
  for (const auto& [name, value] : rows) name_width = std::max(name_width, name.size());
  for (const auto& [name, value] : rows) {
    std::string line = fmt::format("{:<{}}", name, name_width + 2);
    std::istringstream words(value);
    // Runs of blanks inside a value are kept by splitting at single blanks only.
    for (std::string word; std::getline(words, word, ' ');) {
      const bool fresh = line.size() <= name_width + 2;
      if (!fresh && line.size() + 1 + word.size() > kColumns) {
        fmt::print("{}\n", line);
        line = std::string(name_width + 2, ' ') + word;
      } else {
        line += (fresh ? "" : " ") + word;
      }
    }
    fmt::print("{}\n", line);
  }
}

void print(const Json& document) { fmt::print("{}", results::text_of(document)); }

}  // namespace ration::cli
