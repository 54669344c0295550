#include "ration/train/auc.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace ration {
namespace {

// Integers in the order of the numbers; what is no number comes first, -0 is 0.
std::uint32_t order_of(float score) {
  if (std::isnan(score)) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

// Score and label in one number, so that sorting moves one word.
std::uint64_t key_of(float score, std::uint16_t label) {
  return std::uint64_t{order_of(score)} << 1 | (label != 0 ? 1U : 0U);
}

}  // namespace

std::optional<double> auc(std::span<const float> scores, std::span<const std::uint16_t> labels) {
  std::vector<std::uint64_t> keys(scores.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(scores[i], labels[i]);
  std::sort(keys.begin(), keys.end());
  std::uint64_t with = 0, without = 0, twice_won = 0;
  for (std::size_t i = 0; i < keys.size();) {
    std::uint64_t with_here = 0, without_here = 0;
    for (const std::uint64_t score = keys[i] >> 1; i < keys.size() && keys[i] >> 1 == score; ++i) {
      with_here += keys[i] & 1;
      without_here += ~keys[i] & 1;
    }
    twice_won += with_here * (2 * without + without_here);
    with += with_here;
    without += without_here;
  }
  if (with == 0 || without == 0) return std::nullopt;
  return static_cast<double>(twice_won) / static_cast<double>(2 * with * without);
}

}  // namespace ration
