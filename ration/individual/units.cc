#include "ration/individual/units.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ration/base/float_environment.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

__extension__ using Wide = unsigned __int128;

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

// The least whole m with m noise^2 >= 2^50, in integers: noise = S 2^e, so m S^2 >= 2^(50 - 2e).
// For every accepted noise 64 <= 50 - 2e < 64 + 128, and the low 64 bits of m S^2 do not matter.
Units inverse_square_up(Noise noise) {
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
