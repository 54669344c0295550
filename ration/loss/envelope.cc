#include "ration/loss/envelope.h"

#include <algorithm>
#include <cmath>

#include "ration/base/error.h"
#include "ration/loss/log_ratio.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

// log of a bound of |Phi(x + iy)| for x in [low, high] and |y| <= most: exp(y^2/2) Phi(x), with
// Phi(-d) <= exp(-d^2/2)/2; where x > |y| rather 1 + exp((y^2 - x^2)/2)/2. It rises with `most`, as
// low falls and as high rises.
double log_phi_bound(double low, double high, double most) {
  constexpr double kLogThreeHalves = 0.41;
  if (low > most) return std::log1p(0.5 * std::exp(0.5 * (most - low) * (most + low)));
  return 0.5 * square(most) + (high > 0 ? kLogThreeHalves : -0.5 * square(high));
}

// The same for Phi(X) + Y exp((Y^2 - X^2)/2) / sqrt(2 pi) in place of Phi, X and Y complex:
// |exp(Y^2 - X^2)| is the product of |exp(-P^2/2)| and |exp(-N^2/2)|, P and N = X +- iY, which lie
// on lines turned by at most `most`.
double log_spread_bound(double low, double high, double most) {
  const double nearest = std::max({0.0, low, -high});
  const double phi = log_phi_bound(low, high, most);
  const double rest = std::log1p(most) + 0.5 * (most - nearest) * (most + nearest);
  return std::max(phi, rest) + std::log1p(std::exp(-std::abs(phi - rest)));
}

}  // namespace

// Re L and Im L, the argument of 1 + x: with p the share, 1 + x becomes (1+x) ((1-p) + p e^(i
// angle)).
struct Envelope::Turned {
  double loss, argument;
};
Envelope::Turned Envelope::turned(const Edge& edge, double angle) const {
  if (angle == 0) return {edge.loss, 0};
  const double p = edge.share, sine = std::sin(0.5 * angle);
  const double modulus = 0.5 * std::log1p(-4 * p * (1 - p) * sine * sine);
  const double argument = std::atan2(p * std::sin(angle), 1 - p + p * std::cos(angle));
  return {edge.loss + modulus, argument * (1 + 1e-12)};
}

Envelope::Edge Envelope::edge(const SubsampledGaussian& m, double u) const {
  const LogRatio<double> ratio(m);
  return {u, ratio.value(u), std::min(1.0, ratio.share(u) * (1 + 1e-12))};
}

// Re L and Im L rise with u (for angles up to pi/2), so each factor is largest at one of the ends.
// As the angle grows Im L rises and Re L falls; factors that rise with Re L take L itself, so that
// the bound holds on all lines up to the angle.
Envelope::Integral Envelope::exponent(const Edge& left, const Edge& right, const Turned& low,
                                      const Turned& high, double angle, double t) const {
  const double nearest = std::max({0.0, left.u, -right.u}), a = angle * noise_;
  const double growth = power_ * (power_ > 0 ? right.loss : low.loss), turn = t * high.argument;
  double sum = growth + 0.5 * (a * a - nearest * nearest), spread = sum;
  double size = std::abs(growth) + nearest * nearest + a * a;
  const auto pass = [&](double x, double y, double width) {
    const double most = high.argument / width;
    const double bound = log_phi_bound(x / width, y / width, most);
    sum += bound;
    if (angle > 0) spread += log_spread_bound(x / width, y / width, most);
    size += std::abs(bound) + most * most + square(x / width) + square(y / width);
  };
  if (band_.above)
    pass(low.loss - band_.above->at, right.loss - band_.above->at, band_.above->width);
  if (band_.below)
    pass(band_.below->at - right.loss, band_.below->at - low.loss, band_.below->width);
  const double rounding = 1e-13 * size;
  return {.plain = sum + rounding + turn * (1 + 1e-11), .spread = spread + rounding};
}

double Envelope::height(const Edge& left, const Edge& right) const {
  return exponent(left, right, {left.loss, 0}, {right.loss, 0}, 0, 0).plain;
}

// Left of the first edge F falls like a normal density, but for (1+x)^power, which may rise to
// (1-q)^power.
Envelope::Integral Envelope::left_tail(double angle, double t) const {
  const Edge& first = edges_.front();
  const Turned turn = turned(first, angle);
  const Integral at = exponent(first, first, turn, turn, angle, t);
  const double rise =
      power_ < 0 ? std::max(0.0, lowest_ - power_ * turn.loss) + 1e-12 * lowest_ : 0;
  return {.plain = at.plain + rise, .spread = at.spread + rise};
}

// Right of the last edge the bound falls by at least 1 per unit of u, but for the argument, which
// rises to the full angle at most.
Envelope::Integral Envelope::right_tail(double angle, double t) const {
  const Edge& last = edges_.back();
  const Turned turn = turned(last, angle);
  Integral at = exponent(last, last, turn, turn, angle, t);
  at.plain += t * angle * (1 + 1e-11);
  // Above both cuts by more than the angle, Phi((L - at)/width) is at most 3/2 on all lines.
  if (band_.above) {
    at.plain += 0.5;
    at.spread += 1.5;
  }
  if (band_.below) {
    const double most = angle / band_.below->width, rise = 0.5 * most * most;
    at.plain += rise;
    at.spread += rise + std::log1p(1 + most);
  }
  return at;
}

Envelope::Envelope(const SubsampledGaussian& m, const Options& options)
    : noise_(m.noise),
      power_(options.power),
      lowest_(std::max(0.0, options.power * std::log1p(-m.rate))),
      band_(options.band) {
  constexpr std::size_t kMostBlocks = 50'000;
  // 1 + x shrinks by at most sqrt(1/2) when it is turned by up to pi/2.
  constexpr double kShrink = 0.35, kAbove = 2.5;
  const double deep = options.digits + 60;
  // Where the bound falls by at least 1 per unit of u: right of 1 and well above the cuts, and
  // where the upper cut outweighs the power. Without an upper cut the slope is at most power/s - u.
  const auto steady = [&](const Edge& e) {
    for (const auto& cut : {band_.above, band_.below}) {
      if (cut && e.loss - kShrink - cut->at < kAbove) return false;
    }
    if (e.u < 1 || power_ <= 0) return e.u >= 1;
    if (!band_.below) return e.u > power_ / noise_ + 1;
    return e.loss - kShrink - band_.below->at > power_ * square(band_.below->width);
  };
  Edge left = edge(m, -std::sqrt(2 * (deep + lowest_)));
  edges_ = {left};
  // F at 0 and at the cuts is a floor for the top. Blocks are as wide as they may be where F stays
  // far below it, and fine elsewhere.
  const auto value = [&](const Edge& e) { return height(e, e) - 3; };
  double floor = value(edge(m, 0)), wide = 1;
  for (const auto& cut : {band_.above, band_.below}) {
    if (!cut) continue;
    const double u = m.noise * std::log1p(std::expm1(cut->at) / m.rate) + 0.5 / m.noise;
    if (std::isfinite(u)) floor = std::max(floor, value(edge(m, u)));
  }
  top_ = -kInfinity;
  for (;;) {
    double slope = 1 + std::abs(left.u) + std::abs(power_) * left.share / noise_;
    for (const auto& cut : {band_.above, band_.below}) {
      if (!cut) continue;
      const double distance = std::abs(left.loss - cut->at) / cut->width;
      if (distance < 20) slope += (1 + distance) * left.share / noise_ / cut->width;
    }
    const double fine = std::min(0.25, 1.5 / slope);
    // No wider than that the share grows by a half: Re L and Im L have to be told together.
    double width = std::max(std::min(wide, 0.4 * noise_), fine), high = 0;
    Edge right{};
    for (;; width = std::max(0.5 * width, fine)) {
      right = edge(m, left.u + width);
      high = height(left, right);
      if (width <= fine || high < floor - deep) break;
    }
    wide = 2 * width;
    floor = std::max(floor, high - 4);
    top_ = std::max(top_, high);
    edges_.push_back(right);
    left = right;
    if (edges_.size() > kMostBlocks) {
      throw OutOfReach("contour cannot certify this plan: its losses spread too far");
    }
    if (high < floor - deep - 2 * options.reach && steady(right)) break;
  }
  top_ = std::max(top_, left_tail(0, 0).plain);
  from_ = edges_.back().u;
  to_ = edges_.front().u;
  for (std::size_t i = 0; i + 1 < edges_.size(); ++i) {
    if (height(edges_[i], edges_[i + 1]) < top_ - options.digits) continue;
    from_ = std::min(from_, edges_[i].u);
    to_ = std::max(to_, edges_[i + 1].u);
  }
}

namespace {
double log_sum(const std::vector<double>& exponents) {
  const double most = *std::max_element(exponents.begin(), exponents.end());
  double sum = 0;
  for (const double e : exponents) {
    if (e > most - 50) sum += std::exp(e - most);
  }
  return most + std::log(sum + 1e-15) + 1e-9 + 1e-12 * std::abs(most);  // fewer than 1e5 left out
}
}  // namespace

Envelope::Integral Envelope::log_integral(double angle, double t) const {
  const Integral left = left_tail(angle, t), right = right_tail(angle, t);
  std::vector<double> plain = {left.plain, right.plain}, spread = {left.spread, right.spread};
  Turned low = turned(edges_.front(), angle);
  for (std::size_t i = 0; i + 1 < edges_.size(); ++i) {
    const Turned high = turned(edges_[i + 1], angle);
    const double width = std::log(edges_[i + 1].u - edges_[i].u);
    const Integral at = exponent(edges_[i], edges_[i + 1], low, high, angle, t);
    plain.push_back(at.plain + width);
    spread.push_back(at.spread + width);
    low = high;
  }
  return {.plain = log_sum(plain), .spread = log_sum(spread)};
}

double Envelope::log_outside(double step, double angle) const {
  const auto size = [&](const Integral& at) {  // in units of the top
    return std::exp((angle > 0 ? at.spread : at.plain) - top_);
  };
  double sum = (1 / step + 2) * (size(left_tail(angle, 0)) + size(right_tail(angle, 0)));
  for (std::size_t i = 0; i + 1 < edges_.size(); ++i) {
    const Edge &left = edges_[i], &right = edges_[i + 1];
    if (left.u >= from_ && right.u <= to_) continue;
    const Integral at = exponent(left, right, turned(left, angle), turned(right, angle), angle, 0);
    sum += ((right.u - left.u) / step + 2) * size(at);
  }
  return sum == 0 ? -kInfinity : top_ + std::log(sum) + 1e-9 + 1e-12 * std::abs(top_);
}

}  // namespace ration
