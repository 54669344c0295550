// What the program says about a number: the truth lies in [lower, upper], rounding included. And
// what such a statement is worth, and how it is written. Values and pure functions.
#pragma once

#include <algorithm>
#include <string>

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

// What a result is worth: by which theorem, against which neighbours, and whether it is proved.
struct Guarantee {
  std::string theorem = {};
  // Holds for steps chosen in view of earlier outputs, as long as together they cannot come to
  // more; else they are fixed in advance.
  bool adaptive = false;
  bool certified = false;  // the Bound includes every numerical error; else it is an approximation
  std::string neighbours = "add or remove one person";

  friend bool operator==(const Guarantee&, const Guarantee&) = default;
};

// As people read it, rounded so that what is read is still a bound: to `digits` significant digits.
// Infinity is "inf".
std::string rounded_up(double x, int digits = 10);
std::string rounded_down(double x, int digits = 10);

}  // namespace ration
