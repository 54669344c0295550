#include "ration/individual/spend.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/individual/norms.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

// value = mantissa 2^exponent with a whole mantissa of 53 bits; value is above zero and normal.
struct Parts {
  std::uint64_t mantissa;
  int exponent;
};
Parts parts_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  constexpr std::uint64_t kLeading = std::uint64_t{1} << 52;
  return {.mantissa = (bits & (kLeading - 1)) | kLeading,
          .exponent = static_cast<int>(bits >> 52) - 1075};
}

// The least whole m with m noise^2 >= 2^50, in integers: noise = S 2^e, so m S^2 >= 2^(50 - 2e).
// For every accepted noise 64 <= 50 - 2e < 64 + 128, and the low 64 bits of m S^2 do not matter.
Units worst_case_of(Noise noise) {
  const Parts s = parts_of(noise);
  const Wide square = Wide{s.mantissa} * s.mantissa, target = Wide{1} << (50 - 2 * s.exponent - 64);
  const auto covers = [&](Units m) {
    const Wide low = Wide{static_cast<std::uint64_t>(square)} * m;
    return (square >> 64) * m + (low >> 64) >= target;
  };
  Units below = 0, above = kMostUnits;
  while (above - below > 1) {
    const Units middle = below + (above - below) / 2;
    (covers(middle) ? above : below) = middle;
  }
  return above;
}

struct Rounded {
  Units down, up;
};
// value / 2^shift in whole units; value < 2^127.
Rounded shifted(Wide value, int shift) {
  if (value == 0) return {.down = 0, .up = 0};
  if (shift >= 127) return {.down = 0, .up = 1};
  if (shift <= 0) {
    const bool fits = shift > -64 && (value >> (64 + shift)) == 0;
    const Units result = fits ? static_cast<Units>(value << -shift) : kMostUnits;
    return {.down = result, .up = result};
  }
  const Wide down = value >> shift, up = down + ((down << shift) == value ? 0 : 1);
  return {.down = static_cast<Units>(std::min<Wide>(down, kMostUnits)),
          .up = static_cast<Units>(std::min<Wide>(up, kMostUnits))};
}

Rounded squared(Mu mu) {
  if (mu == 0) return {.down = 0, .up = 0};
  const Parts m = parts_of(mu);
  return shifted(Wide{m.mantissa} * m.mantissa, -(2 * m.exponent + 50));
}

Rounded scaled(Units value, double factor) {
  const Parts f = parts_of(factor);
  return shifted(Wide{value} * f.mantissa, -f.exponent);
}

}  // namespace

SpendRule::SpendRule(const Step& step) : clip_(step.clip), worst_case_(worst_case_of(step.noise)) {
  const DefaultFloatEnvironment environment;
  // 2^25 / (clip noise) as a pair: product and remainder are exact, what is dropped is of the
  // order of 2^-104.
  const double product = step.clip * step.noise;
  const double rest = std::fma(step.clip, step.noise, -product);
  scale_high_ = 0x1p25 / product;
  scale_low_ = (std::fma(-scale_high_, product, 0x1p25) - scale_high_ * rest) / product;
  // With u = 2^-53: scale >= (1 + 2u) exact, and (1 + 2u)^2 (1 - u)^3 > 1 covers the three
  // roundings of (norm scale)^2. From above scale <= (1 + 5.1u) exact, so that what is computed is
  // less than 14u = 0.88 2^-49 too large, relatively: less than one unit below kPlainUnits.
  scale_ = next_up(scale_high_ + (scale_low_ + scale_high_ * (2.01 * kRoundoff)));
  plain_cap_ = static_cast<double>(std::min(worst_case_, Units{1} << 52));
}

Units SpendRule::charge(double norm) const {
  check_norm(norm);
  const DefaultFloatEnvironment environment;
  return charge_unchecked(norm);
}

// The same operations in the same order as in spend-inl.h.
Units SpendRule::charge_unchecked(double norm) const {
  const double x = std::min(norm, clip_);
  const double root = x * scale_;
  // The second argument is above zero where x is: one unit, also when the square underflows.
  const double square = std::max(root * root, std::min(x, 1.0));
  if (square >= kPlainUnits) return charge_in_pairs(x);
  return static_cast<Units>(std::min(std::ceil(square), plain_cap_));
}

// Relative error of the pair (square, low): at most 2^-98, that is 2^-34 units below 2^64.
Units SpendRule::charge_in_pairs(double norm) const {
  const double root = norm * scale_high_;
  const double root_low = std::fma(norm, scale_high_, -root) + norm * scale_low_;
  const double square = root * root;
  const double low = std::fma(root, root, -square) + 2 * root * root_low;
  if (square >= 0x1p66) return worst_case_;  // both are kMostUnits
  const double whole = std::floor(square);
  const double rest = std::ceil((square - whole) + low + 0x1p-30);
  const SignedWide total = static_cast<SignedWide>(whole) + static_cast<SignedWide>(rest);
  return static_cast<Units>(std::min<SignedWide>(total, worst_case_));
}

Units units_up(double value) {
  const double scaled = std::ceil(std::max(value * 0x1p50, std::min(value, 1.0)));
  return scaled < 0x1p64 ? static_cast<Units>(scaled) : kMostUnits;
}

Units units_down(double value) {
  const double scaled = std::floor(value * 0x1p50);
  return scaled < 0x1p64 ? static_cast<Units>(scaled) : kMostUnits;
}

Units square_down(Mu mu) { return squared(mu).down; }
Units square_up(Mu mu) { return squared(mu).up; }
Units scale_down(Units value, double factor) { return scaled(value, factor).down; }
Units scale_up(Units value, double factor) { return scaled(value, factor).up; }

Bound sum_of(Units total, std::uint64_t charges) {
  const Units excess = multiply_saturated(2, charges);
  const Units least = total > excess ? total - excess : 0;
  const auto down = static_cast<double>(least), up = static_cast<double>(total);
  constexpr Units kExact = Units{1} << 53;  // up to here a double holds every whole number
  const double upper = total == kMostUnits ? std::numeric_limits<double>::infinity()
                                           : (total <= kExact ? up : next_up(up)) * kUnit;
  return {.lower = (least <= kExact ? down : next_down(down)) * kUnit, .upper = upper};
}

Bound mu_of(Units total, std::uint64_t charges) {
  const DefaultFloatEnvironment environment;
  const Bound sum = sum_of(total, charges);
  const double low = std::sqrt(sum.lower), high = std::sqrt(sum.upper);
  // The remainder of a root is exact: it tells whether the root was rounded the wrong way.
  return {.lower = std::fma(low, low, -sum.lower) <= 0 ? low : next_down(low),
          .upper = !(std::fma(high, high, -sum.upper) < 0) ? high : next_up(high)};
}

}  // namespace ration
