#include "cli/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace ration::cli {

Json json(double x) {
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

Json json(const Bound& x) { return {{"lower", json(x.lower)}, {"upper", json(x.upper)}}; }

Json json(const Guarantee& guarantee) {
  return {{"theorem", guarantee.theorem},
          {"adaptive", guarantee.adaptive},
          {"certified", guarantee.certified},
          {"neighbours", guarantee.neighbours}};
}

namespace {

// The digits, then if they fell on the wrong side one unit of the last one further. Text that is
// read back may be subnormal, which strtod takes and std::stod refuses.
std::string rounded(double x, double toward, int digits) {
  std::string text = fmt::format("{:.{}g}", x, digits);
  const double read = std::strtod(text.c_str(), nullptr);
  if (x == 0 || std::isinf(x) || (toward > 0 ? read >= x : read <= x)) return text;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(x))) - (digits - 1));
  return fmt::format("{:.{}g}", x + toward * unit, digits);
}

// To the next power of ten: enough to judge by, and the same on every processor.
std::string certified(const Bound& x, std::string_view of) {
  return fmt::format("   (certified: within 1e{} of {})", std::ceil(std::log10(width(x))), of);
}

}  // namespace

std::string rounded_up(double x, int digits) { return rounded(x, 1, digits); }
std::string rounded_down(double x) { return rounded(x, -1, 10); }

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

void print(const Json& document) { fmt::print("{}\n", document.dump(2)); }

}  // namespace ration::cli
