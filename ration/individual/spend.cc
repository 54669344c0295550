#include "ration/individual/spend.h"

#include <algorithm>
#include <cmath>

#include "ration/base/float_environment.h"
#include "ration/individual/norms.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

__extension__ using SignedWide = __int128;

}  // namespace

SpendRule::SpendRule(const Step& step)
    : clip_(step.clip), worst_case_(inverse_square_up(step.noise)) {
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
  const double x = norm < clip_ ? norm : clip_;  // not a number counts as the clip bound
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

}  // namespace ration
