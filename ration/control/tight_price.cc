#include "ration/control/tight_price.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ration/base/float_environment.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

// The largest norm that has at least the entry's noise: entry x <= noise clip, in exact arithmetic.
double largest_norm(const Step& step, double entry) {
  const double product = step.noise * step.clip;
  const double rest = std::fma(step.noise, step.clip, -product);
  const auto is_paid_for = [&](double x) {
    const double mine = entry * x;
    return mine < product || (mine == product && std::fma(entry, x, -mine) <= rest);
  };
  double x = next_up(div_up(product, entry));
  while (!is_paid_for(x)) x = next_down(x);
  return x;
}

// Of an entry that can be asked for, from that at the clip bound.
struct Piece {
  double limit;  // the largest norm that it pays for
  double slope;  // of prices below it, in units
  double room;   // how far they go up
  Units least, price;
};

// Entry i pays for norms x with noise clip / x >= noise_i; what is above the clip bound is clipped.
std::vector<Piece> pieces_of(const Step& step, const PriceList& list) {
  const SubsampledGaussian at_clip = {.noise = step.noise, .rate = step.rate};
  const std::size_t worst = list.entry_for(at_clip);
  const double scale = mul_down(step.noise, step.clip);
  std::vector<Piece> pieces;
  for (std::size_t i = worst; i < list.entries().size(); ++i) {
    const PricedStep& entry = list.entries()[i];
    if (entry.step.rate < step.rate) break;
    const PriceList::Line line = list.line_below(i);
    const Units price = i == worst ? list.price(at_clip) : entry.price, least = line.least + 1;
    const double slope = div_up(line.slope, scale) * (1 + 16 * kRoundoff);
    const bool level = line.slope == 0 || price <= least || !(slope < kInfinity);
    pieces.push_back({.limit = i == worst ? kInfinity : largest_norm(step, entry.step.noise),
                      .slope = level ? 0 : slope,
                      .room = level ? 0 : static_cast<double>(price - least),
                      .least = least,
                      .price = price});
  }
  pieces.push_back({});  // for no norm at all
  return pieces;
}

}  // namespace

TightPrice::TightPrice(const Step& step, const PriceList& list)
    : Price(1),
      cells_{.of_clip = cell_of(step.clip), .prices = {}, .near_the_end = list.near_the_end()} {
  const DefaultFloatEnvironment environment;
  const std::vector<Piece> pieces = pieces_of(step, list);
  const Piece& last = pieces[pieces.size() - 2];
  const Units smallest = last.room > 0 ? last.least : last.price;
  const Piece* piece = pieces.data();
  Units price = piece->price;
  std::vector<std::uint32_t>& prices = cells_.prices;
  prices.push_back(static_cast<std::uint32_t>(price));
  for (std::int32_t cell = cells_.of_clip - 1;
       price != smallest && prices.size() < CellPrices::kMostCells; --cell) {
    const double norm = upper_edge(cell);
    while (norm <= piece[1].limit) ++piece;
    const double above = piece->slope * (norm - piece[1].limit);
    price = above < piece->room ? piece->least + static_cast<Units>(above) : piece->price;
    prices.push_back(static_cast<std::uint32_t>(price));
  }
  prices.push_back(0);
}

void TightPrice::charges(const Norms& norms, Units* out) const {
  std::visit(
      [&](auto block) {
        for (const double norm : block) *out++ = cells_.prices[cells_.place_of(norm)];
      },
      norms);
}

void TightPrice::admit(const Norms& norms, const Purses& purses, std::uint8_t* mask) const {
  std::visit([&](auto block) { admit_batch(cells_, block.data(), purses, mask, block.size()); },
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
  *spent -= left + charge[0] >= cells_.near_the_end ? charge[0] : PriceList::kWholeStep;
}

}  // namespace ration
