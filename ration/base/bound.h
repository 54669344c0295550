// What the program says about a number: the truth lies in [lower, upper], rounding included.
#pragma once

#include <algorithm>

namespace ration {

struct Bound {
  double lower;
  double upper;

  friend bool operator==(const Bound&, const Bound&) = default;
};

constexpr Bound exactly(double value) { return {.lower = value, .upper = value}; }
constexpr double width(const Bound& x) { return x.upper - x.lower; }
constexpr double midpoint(const Bound& x) { return x.lower + 0.5 * (x.upper - x.lower); }
constexpr bool contains(const Bound& x, double value) {
  return x.lower <= value && value <= x.upper;
}

// The larger of two unknown numbers, the smaller, and a bound for either of them.
constexpr Bound max(const Bound& a, const Bound& b) {
  return {.lower = std::max(a.lower, b.lower), .upper = std::max(a.upper, b.upper)};
}
constexpr Bound min(const Bound& a, const Bound& b) {
  return {.lower = std::min(a.lower, b.lower), .upper = std::min(a.upper, b.upper)};
}
// Two bounds of one number: it lies in both.
constexpr Bound intersect(const Bound& a, const Bound& b) {
  return {.lower = std::max(a.lower, b.lower), .upper = std::min(a.upper, b.upper)};
}
constexpr Bound hull(const Bound& a, const Bound& b) {
  return {.lower = std::min(a.lower, b.lower), .upper = std::max(a.upper, b.upper)};
}

}  // namespace ration
