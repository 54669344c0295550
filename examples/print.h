// How the examples print numbers: rounded so that what is read still holds.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

namespace example {

// The least number with this many decimals that is not below x.
inline std::string up(double x, int decimals) {
  std::string text = fmt::format("{:.{}f}", x, decimals);
  if (std::strtod(text.c_str(), nullptr) >= x) return text;
  return fmt::format("{:.{}f}", x + std::pow(10, -decimals), decimals);
}

inline std::string bar(double length, const char* block = "\u2588") {
  std::string text;
  for (long i = std::lround(length); i > 0; --i) text += block;
  return text;
}

}  // namespace example
