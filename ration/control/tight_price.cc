#include "ration/control/tight_price.h"

#include <algorithm>
#include <bit>

#include "ration/base/float_environment.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

// Bits of a double below its first 6 after the point: 64 cells an octave.
constexpr int kLowBits = 46;

std::uint64_t key_of(double norm) { return std::bit_cast<std::uint64_t>(norm) >> kLowBits; }

}  // namespace

// Entry i pays for norms x with noise clip / x >= noise_i; what is above the clip bound is clipped.
TightPrice::TightPrice(const Step& step, const PriceList& list)
    : Price(1), near_the_end_(list.near_the_end()) {
  const DefaultFloatEnvironment environment;
  const SubsampledGaussian at_clip = {.noise = step.noise, .rate = step.rate};
  const std::size_t worst = list.entry_for(at_clip);
  const double scale = mul_down(step.noise, step.clip);
  for (std::size_t i = worst; i < list.entries().size(); ++i) {
    const PricedStep& entry = list.entries()[i];
    if (entry.step.rate < step.rate) break;
    const PriceList::Line line = list.line_below(i);
    const Units price = i == worst ? list.price(at_clip) : entry.price, least = line.least + 1;
    const double slope = div_up(line.slope, scale) * (1 + 16 * kRoundoff);
    const bool level = line.slope == 0 || price <= least;
    pieces_.push_back(
        {.limit = i == worst ? kInfinity : div_down(scale, entry.step.noise),
         .slope = level || !(slope < kInfinity) ? 0 : slope,
         .room = level || !(slope < kInfinity) ? 0 : static_cast<double>(price - least),
         .least = least,
         .price = price});
  }
  pieces_.push_back({});
  // From the smallest limit to the largest finite one; what is beyond belongs to the ends.
  const bool one = pieces_.size() == 2;
  first_cell_ = key_of(one ? 1.0 : pieces_[pieces_.size() - 2].limit);
  const std::uint64_t last = key_of(one ? 1.0 : pieces_[1].limit) + 1;
  for (std::uint64_t key = first_cell_; key <= last; ++key) {
    const double edge = std::bit_cast<double>((key + 1) << kLowBits);  // norms are below it
    const auto pay = std::partition_point(pieces_.begin(), pieces_.end(),
                                          [&](const Piece& piece) { return piece.limit >= edge; });
    cells_.push_back(static_cast<std::uint32_t>(pay - pieces_.begin()) - 1);
  }
}

std::size_t TightPrice::cell_of(double norm) const {
  const std::uint64_t key = std::clamp(key_of(norm), first_cell_, first_cell_ + cells_.size() - 1);
  return key - first_cell_;
}

void TightPrice::charges(const Norms& norms, Units* out) const {
  std::visit(
      [&](auto block) {
        for (const double norm : block) *out++ = price(norm);
      },
      norms);
}

void TightPrice::admit(const Norms& norms, const Purses& purses, std::uint8_t* mask) const {
  std::visit(
      [&](auto block) {
        for (std::size_t i = 0; i < block.size(); ++i) {
          const Units left = *purses.budget_of(i) - purses.spent[i];
          const Units charge = price(block[i]);
          const bool near = left < near_the_end_ && charge != 0;
          const Units cost = near ? PriceList::kWholeStep : charge;
          const bool admitted = cost <= left;
          mask[i] = static_cast<std::uint8_t>(admitted);
          purses.spent[i] += admitted ? cost : 0;
        }
      },
      norms);
}

std::uint32_t TightPrice::times_that_fit(std::span<const Units> charge, const Units* spent,
                                         const Units* budget, std::uint32_t most) const {
  if (charge[0] == 0) return most;
  Units left = *budget - *spent;
  const std::uint64_t first = before_the_end(charge[0], left, most);
  left -= first * charge[0];
  if (first == most) return most;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(first + left / PriceList::kWholeStep, most));
}

void TightPrice::pay(std::span<const Units> charge, Units* spent, const Units* budget,
                     std::uint32_t times) const {
  if (charge[0] == 0) return;
  const std::uint64_t first = before_the_end(charge[0], *budget - *spent, times);
  *spent += first * charge[0] + (times - first) * PriceList::kWholeStep;
}

// A step near the end leaves less than near_the_end() less a whole one; any other leaves at least
// near_the_end() less its price, which is no more than a whole one.
void TightPrice::give_back(std::span<const Units> charge, Units* spent, const Units* budget) const {
  if (charge[0] == 0) return;
  const Units left = *budget - *spent;
  *spent -= left + charge[0] >= near_the_end_ ? charge[0] : PriceList::kWholeStep;
}

}  // namespace ration
