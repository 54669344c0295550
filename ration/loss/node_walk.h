// Walks over the nodes step * n of the whole line at which an integrand of integrand.h matters.
// Blocks of nodes that cannot matter are bounded as a whole: a certified supremum of the integrand
// on a block takes two evaluations, because its logarithm is a convex or concave function minus a
// parabola. docs/math/renyi.md
#pragma once

#include <algorithm>
#include <cmath>

#include "ration/base/error.h"
#include "ration/loss/integrand.h"

namespace ration {

// Which integrand: (P/Q)^e, or its surplus psi over 1 + e x.
enum class Form { direct, surplus };

struct NodeRange {
  double from, to;  // outside, the integrand falls at least like exp(-|u|)
  double step;
  double offset;  // exp(-offset) scales every term
  double level;   // blocks whose sum is below exp(level) need not be visited
};

class NodeWalk {
 public:
  NodeWalk(const SubsampledGaussian& m, double z, Direction direction, Form form)
      : noise_(m.noise),
        rate_(m.rate),
        z_(z),
        remove_(direction == Direction::remove),
        form_(form),
        proof_(m, z, direction),
        plain_(m, z, direction) {}

  // Calls visit(u) for every node that matters. Returns an upper bound of the scaled sum of the
  // integrand over all other nodes of the line.
  template <class Visit>
  double over(const NodeRange& range, const Visit& visit) {
    constexpr double kFarthest = 0x1p44;  // nodes, so that step * n, with 8 bits of step, is exact
    range_ = range;
    omitted_ = 0;
    const double step = range.step;
    const double first = std::floor(range.from / step), last = std::ceil(range.to / step);
    if (!(first >= -kFarthest && last <= kFarthest)) too_many();
    // Outside, h falls at least as fast as a normal density: -reach and (1+z)/s + reach for remove,
    // where 0 <= share <= 1; for add h is concave, and its slope at the ends tells.
    const bool falls =
        remove_ || (proof_.slope(first * step).lower >= 1 && proof_.slope(last * step).upper <= -1);
    if (!falls) throw OutOfReach("the maximum of a moment's integrand was not found");
    visited_ = 0;
    // Tails: sum over n of exp(-n step) <= 1/step.
    omit(log_supremum(first * step, first * step), 1 + 1 / step);
    omit(log_supremum(last * step, last * step), 1 + 1 / step);
    walk(first, last, visit);
    return omitted_;
  }

 private:
  static constexpr double kMostVisited = 5e6;

  template <class Visit>
  void walk(double first, double last, const Visit& visit) {
    const double count = last - first + 1, from = first * range_.step, to = last * range_.step;
    if (count <= 8) {
      if ((visited_ += count) > kMostVisited) too_many();
      for (double n = first; n <= last; ++n) visit(n * range_.step);
      return;
    }
    const double middle = std::floor(0.5 * (first + last)), level = range_.level - std::log(count);
    // A node that matters by itself saves the proof that the block does not.
    if (!(plain_.exponent(middle * range_.step) >= level)) {
      const double supremum = log_supremum(from, to);
      if (supremum < level) return omit(supremum, count);
    }
    walk(first, middle, visit);
    walk(middle + 1, last, visit);
  }

  [[noreturn]] static void too_many() {
    throw OutOfReach(
        "no certified Renyi divergence here: noise, rate and order ask for too many nodes");
  }

  void omit(double supremum, double count) {
    const Bound size = exp(exactly(supremum) - range_.offset);
    omitted_ = add_up(omitted_, mul_up(size.upper, count));
  }

  // log of an upper bound of the integrand on [x, y].
  double log_supremum(double x, double y) const {
    const double power = exponent_supremum(x, y);
    if (form_ == Form::direct) return power;
    // psi(x) <= (1+x)^e on one side of x = 0. On the other psi <= |e x|: below it for remove, at
    // most |e| q; above it for add, at most |e| q exp(v), a normal density around 1/s.
    constexpr double kSlack = 1e-12, kLogTwo = 0.7;
    const double centre = remove_ ? 0 : 1 / noise_;
    const double distance = std::max({0.0, x - centre, centre - y}) * (1 - kSlack);
    const double other = std::log((z_ + 1) * rate_) + kSlack - 0.5 * distance * distance;
    return std::max(power, other) + kLogTwo;
  }

  // sup of h(u) = g(u) - u^2/2 on [x, y]. For remove g is convex and lies below its chord; for add
  // it is concave and lies below its tangent. The maximum of a line minus a parabola is known.
  double exponent_supremum(double x, double y) const {
    const auto g = [&](double u) { return proof_.power() * proof_.ratio().value(u); };
    const double anchor = remove_ ? x : x + 0.5 * (y - x);
    const Bound height = g(anchor);
    Bound slope = exactly(0);
    if (!remove_) slope = proof_.slope(anchor) + anchor;
    if (remove_ && y > x) slope = (g(y) - height) / (exactly(y) - x);
    const auto line = [&](double u) {
      return (height + slope * (exactly(u) - anchor) - square(exactly(u)) * 0.5).upper;
    };
    if (x == y) return line(x);
    if (slope.upper <= x) return line(x);
    if (slope.lower >= y) return line(y);
    return (height - slope * anchor + square(slope) * 0.5).upper;
  }

  double noise_, rate_, z_;
  bool remove_;
  Form form_;
  Integrand<Bound> proof_;
  Integrand<double> plain_;
  NodeRange range_{};
  double omitted_ = 0, visited_ = 0;
};

}  // namespace ration
