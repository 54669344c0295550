#include "ration/noise/lattice.h"

#include <algorithm>
#include <cmath>

#include "ration/base/float_environment.h"
#include "ration/noise/lattice_kernel.h"

namespace ration {
namespace {

// 2^exponent <= clip / (2^13 sqrt(entries)), decided without rounding: squared, the left side is a
// double and clip^2 = square + rest.
bool fits(int exponent, double clip, double entries) {
  const double left = std::ldexp(entries, 2 * exponent + 26);
  const double square = clip * clip;
  const double rest = std::fma(clip, clip, -square);
  return left < square || (left == square && rest >= 0);
}

}  // namespace

double lattice_step(Clip clip, std::size_t entries) {
  const DefaultFloatEnvironment environment;
  const auto count = static_cast<double>(entries);
  if (entries == 0 || count > 0x1p40) refuse("entries", count, "a number from 1 to 2^40");
  int exponent =
      std::ilogb(clip / (0x1p13 * std::sqrt(count))) + 1;  // at most one too large, or two
  while (!fits(exponent, clip, count)) --exponent;
  return std::ldexp(1.0, exponent);
}

LatticeSum::LatticeSum(std::size_t entries, double step) : step_(step), multiples_(entries) {
  const bool valid =
      step >= 0x1p-500 && step <= 0x1p500 && std::ldexp(1.0, std::ilogb(step)) == step;
  if (!valid) refuse("lattice step", step, "a power of two from 2^-500 to 2^500");
}

void LatticeSum::add(std::span<const float> entries) {
  if (entries.size() != multiples_.size()) {
    refuse("entries", static_cast<double>(entries.size()), "as many as the sum has");
  }
  const DefaultFloatEnvironment environment;
  in_range_ = add_rounded(entries, 1 / step_, multiples_) && in_range_;
}

void LatticeSum::add(const LatticeSum& other) {
  if (other.entries() != entries() || other.step_ != step_) {
    throw Error("sums add up only when they have the same entries and lattice");
  }
  const DefaultFloatEnvironment environment;
  in_range_ = add_multiples(other.multiples_, multiples_) && other.in_range_ && in_range_;
}

void LatticeSum::clear() {
  std::fill(multiples_.begin(), multiples_.end(), 0.0);
  in_range_ = true;
}

void LatticeSum::check_range() const {
  if (!in_range_) {
    throw Error(
        "a private sum left its range: each entry must stay finite and below 2^52 lattice steps");
  }
}

}  // namespace ration
