#include "ration/train/auc.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace ration::train {
namespace {

// Integers in the order of the numbers; what is no number comes first, -0 is 0.
std::uint32_t order_of(float score) {
  if (std::isnan(score)) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

}  // namespace

SortedScores::SortedScores(std::span<const float> scores, std::span<const std::uint16_t> labels) {
  std::vector<std::uint64_t> keys(scores.size());
  // Score and person in one number, so that sorting moves one word.
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = std::uint64_t{order_of(scores[i])} << 32 | i;
  }
  std::sort(keys.begin(), keys.end());
  places_.reserve(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const auto person = static_cast<std::uint32_t>(keys[k]);
    places_.push_back({.person = person,
                       .with = labels[person] != 0,
                       .first = k == 0 || keys[k] >> 32 != keys[k - 1] >> 32});
  }
}

std::optional<double> SortedScores::auc(std::span<const std::uint32_t> times) const {
  // Of smaller scores; of this one; and twice the pairs won, of which equal scores are half.
  std::uint64_t with = 0, without = 0, with_here = 0, without_here = 0, twice_won = 0;
  const auto leave_score = [&] {
    twice_won += with_here * (2 * without + without_here);
    with += with_here;
    without += without_here;
    with_here = without_here = 0;
  };
  for (const Place& place : places_) {
    if (place.first) leave_score();
    // No branch on who has the label: nobody could foretell it.
    const std::uint64_t count = times[place.person], has = place.with ? 1 : 0;
    with_here += count * has;
    without_here += count * (1 - has);
  }
  leave_score();
  if (with == 0 || without == 0) return std::nullopt;
  return static_cast<double>(twice_won) / static_cast<double>(2 * with * without);
}

std::optional<double> auc(std::span<const float> scores, std::span<const std::uint16_t> labels) {
  return SortedScores(scores, labels).auc(std::vector<std::uint32_t>(scores.size(), 1));
}

}  // namespace ration::train
