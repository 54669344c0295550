// Price lists of a few entries, for games that can be played through.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "ration/control/price_list.h"

namespace ration {

inline constexpr Units kWhole = PriceList::kWholeStep;

// Of so much more noise, at so many eighths of a whole step.
struct Entry {
  double ratio;
  Units eighths;
};
inline PriceList list_of(const SubsampledGaussian& step, const std::vector<Entry>& entries,
                         std::uint32_t last_steps) {
  std::vector<PricedStep> priced;
  for (const auto& [ratio, eighths] : entries) {
    SubsampledGaussian less = step;
    less.noise = step.noise * ratio;
    priced.push_back({less, eighths * (kWhole / 8)});
  }
  return {std::move(priced), last_steps};
}
// What all prices are multiples of.
inline Units unit_of(const PriceList& list) {
  Units unit = kWhole;
  for (const PricedStep& entry : list.entries()) unit = std::gcd(unit, entry.price);
  return unit;
}

// The game's own grid: by how much it may lie above the truth.
inline constexpr double kOfTheGrid = 5e-4;

}  // namespace ration
