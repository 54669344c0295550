#include "ration/compose/fourier_enclosure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ration/base/error.h"
#include "ration/numeric/directed.h"

namespace ration::fourier {
namespace {

constexpr double kMostPoints = 0x1p23;
constexpr double kWrapDigits = 34;  // what wraps around is below exp(-34) = 2e-15 of the whole

// The window of the tilted law beyond which exp(-kWrapDigits) of it lies on either side. Above x
// lies exp(K(tilt+y) - K(tilt) - y x) at most; the best y makes y K' - K + K(tilt) equal to the
// digits, and a sketch that is not much coarser knows it well enough. Below, the same with -y.
Window window_around(const GridPlan& plan, const GridPlan& coarse, double tilt, double offset) {
  const double step = plan.laws().front().step, most = plan.largest_tilt();
  const GridPlan& sketch = coarse.laws().front().step < 20 * step ? coarse : plan;
  const LogMoment sketched = sketch.at(tilt), here = plan.at(tilt);
  const auto side = [&](double sign) {
    const auto condition = [&](double y) {
      const LogMoment there = sketch.at(tilt + sign * y);
      return Condition{sign * y * there.first - there.value + sketched.value - kWrapDigits,
                       y * there.second};
    };
    const double guess = std::sqrt(2 * kWrapDigits / (sketched.second + 1e-300));
    const double y = find_tilt(condition, guess, most);
    const double x = (plan.at(tilt + sign * y).value - here.value + kWrapDigits) / (sign * y);
    return std::pair{y, (x - offset) / step};
  };
  const auto [left, low] = side(-1);
  const auto [right, high] = side(1);
  const double first = std::floor(low) - 1, last = std::ceil(high) + 1;
  if (!(last - first < kMostPoints && std::abs(first) < 0x1p40)) {
    out_of_reach("grid", step, "a coarser one: it would need more than 8388608 points");
  }
  const double size = std::exp2(std::ceil(std::log2(std::max(last - first, 8.0))));
  return {.step = step,
          .tilt = tilt,
          .first = first,
          .size = static_cast<std::size_t>(size),
          .left = left,
          .right = right};
}

}  // namespace

void GridPlan::add(Pld law, double count) {
  const double last = law.first + static_cast<double>(law.mass.size() - 1);
  for (const double i : {law.first, last}) {
    farthest_ = std::max({farthest_, std::abs(law.offset + i * law.step), std::abs(i * law.step)});
  }
  laws_.push_back(std::move(law));
  counts_.push_back(count);
}

double GridPlan::at_infinity() const {
  double log_finite = 0;
  for (std::size_t j = 0; j < laws_.size(); ++j) {
    log_finite += counts_[j] * std::log1p(-std::min(1.0, laws_[j].at_infinity));
  }
  return -std::expm1(log_finite);
}

double GridPlan::largest_loss() const {
  double sum = 0, size = 0;
  for (std::size_t j = 0; j < laws_.size(); ++j) {
    const Pld& law = laws_[j];
    const auto last =
        std::find_if(law.mass.rbegin(), law.mass.rend(), [](double m) { return m > 0; });
    const double index = law.first + static_cast<double>(law.mass.rend() - last) - 1;
    const double loss = law.offset + index * law.step + law.slack;
    sum += counts_[j] * loss;
    size += counts_[j] * (std::abs(law.offset) + std::abs(index * law.step));
  }
  return sum + (static_cast<double>(laws_.size()) + 8) * kRoundoff * size;
}

double GridPlan::slack() const {
  double sum = 0;
  for (std::size_t j = 0; j < laws_.size(); ++j) sum += counts_[j] * laws_[j].slack;
  return sum * (1 + 1e-9);
}

LogMoment GridPlan::at(double z) const {
  LogMoment sum;
  for (std::size_t j = 0; j < laws_.size(); ++j) {
    const Pld& law = laws_[j];
    const auto n = static_cast<double>(law.mass.size() - 1);
    const double shift = z * law.offset + std::max(z * law.first, z * (law.first + n)) * law.step;
    double zeroth = 0, first = 0, second = 0;
    for (std::size_t i = 0; i < law.mass.size(); ++i) {
      const double x = law.offset + (law.first + static_cast<double>(i)) * law.step;
      const double mass = law.mass[i] * std::exp(z * x - shift);
      zeroth += mass;
      first += mass * x;
      second += mass * x * x;
    }
    const double mean = first / zeroth;
    sum.value += counts_[j] * (std::log(zeroth) + shift);
    sum.first += counts_[j] * mean;
    sum.second += counts_[j] * std::max(0.0, second / zeroth - mean * mean);
  }
  return sum;
}

Sketch sketch_of(const Plan& plan, Direction direction, double tail) {
  // Fine enough to tell the likely losses apart, unless the unlikely ones reach too far for that.
  const bool few = plan.size() <= 8;
  const double likely_bins = few ? 32 : 8, most_bins = few ? 16384 : 2048;
  Sketch sketch;
  double log_finite = 0;
  for (const auto& [mechanism, steps] : plan) {
    const double step = std::max(width(losses_of(mechanism, direction, 1e-3)) / likely_bins,
                                 width(losses_of(mechanism, direction, tail)) / most_bins);
    const PldOptions options = {.step = std::clamp(step, 1e-12, 1e6), .tail = tail};
    PldBounds law = pld_of(mechanism, direction, options);
    log_finite += steps * std::log1p(-std::min(1.0, law.lower.at_infinity));
    sketch.upper.add(std::move(law.upper), steps);
  }
  sketch.certainly_infinite = std::max(0.0, -std::expm1(log_finite) * (1 - 1e-9));
  return sketch;
}

Enclosure::Enclosure(const Plan& plan, Direction direction, const Options& options,
                     const Sketch& sketch) {
  std::array<GridPlan, 2> grids;
  for (const auto& [mechanism, steps] : plan) {
    PldBounds law = pld_of(mechanism, direction, {.step = options.step, .tail = options.tail});
    offset_ += steps * law.upper.offset;
    grids[0].add(std::move(law.upper), steps);
    grids[1].add(std::move(law.lower), steps);
  }
  window_ = window_around(grids[0], sketch.upper, options.tilt, offset_);
  for (const GridPlan& grid : grids) {
    Composer composer(window_);
    for (std::size_t j = 0; j < plan.size(); ++j) {
      composer.add(transform_of(grid.laws()[j], window_), grid.counts()[j]);
    }
    const Spectrum spectrum = composer.spectrum();
    versions_.push_back({ComposedLaw(spectrum), spectrum.offset, spectrum.slack,
                         spectrum.at_infinity, grid.largest_loss()});
  }
}

// 1 - prod (1 - p)^k comes from logarithms: 1e-9 covers them.
Enclosure::Parts Enclosure::above(double epsilon) const {
  const auto& [law, offset, slack, at_infinity, largest] = versions_[0];
  const double rounding = 4 * kRoundoff * (std::abs(epsilon) + std::abs(offset) + slack);
  const Evaluation finite = epsilon >= largest ? Evaluation{}  // no finite loss is larger
                                               : law.delta(epsilon - offset - slack - rounding);
  return {.finite = finite, .at_infinity = at_infinity * (1 + 1e-9)};
}
Enclosure::Parts Enclosure::below(double epsilon) const {
  const auto& [law, offset, slack, at_infinity, largest] = versions_[1];
  const double rounding = 4 * kRoundoff * (std::abs(epsilon) + std::abs(offset) + slack);
  return {.finite = law.delta(epsilon - offset + slack + rounding),
          .at_infinity = std::max(0.0, at_infinity * (1 - 1e-9))};
}

// Where nothing is certain (an error that is not a number), what always holds.
double Enclosure::upper(double epsilon) const {
  const auto [finite, at_infinity] = above(epsilon);
  const double most =
      (finite.value + finite.wrap + finite.rounding + at_infinity) * (1 + 8 * kRoundoff);
  return most <= 1 ? most : 1;
}
double Enclosure::lower(double epsilon) const {
  const auto [finite, at_infinity] = below(epsilon);
  const double least =
      (finite.value - finite.wrap - finite.rounding + at_infinity) * (1 - 8 * kRoundoff);
  return least >= 0 ? least : 0;
}

ErrorBudget Enclosure::budget(double epsilon) const {
  const Parts most = above(epsilon), least = below(epsilon);
  return {.grid = std::max(0.0, most.finite.value - least.finite.value),
          .tail = most.at_infinity - least.at_infinity,
          .wrap = most.finite.wrap + least.finite.wrap,
          .rounding = most.finite.rounding + least.finite.rounding};
}

double Enclosure::certainly_infinite() const { return below(0).at_infinity; }

double Enclosure::top() const {
  return offset_ + (window_.first + static_cast<double>(window_.size)) * window_.step;
}

}  // namespace ration::fourier
