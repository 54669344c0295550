#include "ration/individual/renyi_everybody.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ration/base/people.h"
#include "ration/compose/accountants.h"
#include "ration/individual/tilt_ladder.h"
#include "ration/numeric/interval.h"

namespace ration {
namespace {

constexpr int kRungsOfOrders = 16;

// c(z) - log delta of eps = (K(z) + c(z) - log delta) / z, at every rung, enclosed.
std::vector<Bound> offsets(const TiltLadder& ladder, double delta) {
  std::vector<Bound> all;
  all.reserve(ladder.size());
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    const Bound z = exactly(ladder.tilt(i));
    all.push_back(renyi::conversion(z) - log(exactly(delta)));
  }
  return all;
}

// The best rung of what a person spends, and the eps there. K is convex, so that eps has one
// minimum over the tilts: inside the ladder it is that of all rungs there are.
struct Least {
  double upper, lower;
  std::size_t rung_up, rung_down;
};
Least least(const UsedMechanisms& used, const TiltLadder& ladder, const std::vector<Bound>& offset,
            std::size_t person) {
  static thread_local Usage usage;
  static thread_local std::vector<double> k;
  k.resize(ladder.room());
  const double most = std::numeric_limits<double>::infinity();
  Least best = {.upper = most, .lower = most, .rung_up = 0, .rung_down = 0};
  used.usage(person, Rounding::up, usage);
  if (usage.empty()) return {.upper = 0, .lower = 0, .rung_up = 1, .rung_down = 1};
  ladder.moments_up(usage, k);
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    const double epsilon = div_up(add_up(k[i], offset[i].upper), ladder.tilt(i));
    if (epsilon < best.upper) best.upper = epsilon, best.rung_up = i;
  }
  used.usage(person, Rounding::down, usage);
  if (usage.empty()) {
    best.lower = 0;
    best.rung_down = 1;
    return best;
  }
  ladder.moments_down(usage, k);
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    const double epsilon = div_down(add_down(k[i], offset[i].lower), ladder.tilt(i));
    if (epsilon < best.lower) best.lower = epsilon, best.rung_down = i;
  }
  return best;
}

// Removing a person is never the smaller divergence (Mironov, Talwar, Zhang 2019, theorem 5).
TiltLadder ladder_of(const UsedMechanisms& used, std::span<const Order> orders) {
  if (orders.empty()) return {used.mechanisms(), Direction::remove, kRungsOfOrders};
  std::vector<double> tilts;
  tilts.reserve(orders.size());
  for (const double order : orders) tilts.push_back(order - 1);
  return {used.mechanisms(), Direction::remove, std::move(tilts)};
}

}  // namespace

std::vector<Bound> renyi_epsilons(const UsedMechanisms& used, Delta delta,
                                  std::span<const Order> orders, const Progress& progress) {
  TiltLadder ladder = ladder_of(used, orders);
  std::vector<Bound> epsilon(used.people());
  std::vector<unsigned char> low(used.people(), 1), high(used.people(), 1);
  const auto somebody = [](const std::vector<unsigned char>& flags) {
    return std::find(flags.begin(), flags.end(), 1) != flags.end();
  };
  for (bool again = true; again;) {
    const std::vector<Bound> offset = offsets(ladder, delta);
    in_parallel_by_dozens(used.people(), [&](std::size_t p) {
      if (low[p] == 0 && high[p] == 0) return;  // their minimum is inside
      const Least best = least(used, ladder, offset, p);
      low[p] = best.rung_up == 0 || best.rung_down == 0;
      high[p] = best.rung_up + 1 == ladder.size() || best.rung_down + 1 == ladder.size();
      epsilon[p] = {.lower = std::max(0.0, best.lower), .upper = std::max(0.0, best.upper)};
    });
    const bool down = somebody(low) && ladder.extend_down();
    const bool up = somebody(high) && ladder.extend_up();
    again = down || up;
  }
  if (progress) progress(used.people());
  return epsilon;
}

}  // namespace ration
