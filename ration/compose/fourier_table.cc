#include "ration/compose/fourier_table.h"

#include <algorithm>
#include <cmath>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/loss/pld.h"
#include "ration/numeric/directed.h"

namespace ration::fourier {
namespace {

void check(const NoiseRange& range) {
  if (range.count < 2) refuse("number of buckets", range.count, "2 or more");
  if (!(range.least < range.most)) refuse("least noise", range.least, "less than the most");
}

double share(const NoiseRange& range, int i) { return static_cast<double>(i) / (range.count - 1); }

// exp(-y most) has this many digits to spare over what a composition's moment takes away.
constexpr double kFurther = 60;

double points_for(double most, double step) {
  return std::exp2(std::ceil(std::log2(2 * most / step + 8)));
}

Window window_for(const Table::Options& options, double step) {
  const double size = points_for(options.most, step);
  return {.step = step,
          .tilt = 0,
          .first = -size / 2,
          .size = static_cast<std::size_t>(size),
          .left = kFurther / options.most,
          .right = kFurther / options.most};
}

}  // namespace

std::vector<Noise> linear_noises(const NoiseRange& range) {
  check(range);
  std::vector<Noise> noises;
  noises.reserve(static_cast<std::size_t>(range.count));
  for (int i = 0; i < range.count; ++i) {
    noises.emplace_back(range.least + share(range, i) * (range.most - range.least));
  }
  return noises;
}

std::vector<Noise> geometric_noises(const NoiseRange& range) {
  check(range);
  std::vector<Noise> noises;
  noises.reserve(static_cast<std::size_t>(range.count));
  for (int i = 0; i < range.count; ++i) {
    noises.emplace_back(range.least * std::pow(range.most / range.least, share(range, i)));
  }
  return noises;
}

Table::Table(std::vector<Noise> noises, const Options& options) : noises_(std::move(noises)) {
  const DefaultFloatEnvironment environment;
  if (noises_.empty()) refuse("number of buckets", 0, "1 or more");
  if (!(options.most > 0 && options.most <= 1e6)) {
    refuse("largest loss", options.most, "a number above 0, up to 1e6");
  }
  if (!(points_for(options.most, options.step) <= 0x1p22)) {
    out_of_reach("grid", options.step, "a coarser one: it would need more than 4194304 points");
  }
  for (const Direction direction : {Direction::remove, Direction::add}) {
    std::vector<Pld> laws;
    for (const Noise noise : noises_) {
      const SubsampledGaussian mechanism = {.noise = noise, .rate = options.rate};
      laws.push_back(pld_of(mechanism, direction,
                            {.step = options.step, .tail = options.tail, .through_zero = true})
                         .upper);
    }
    windows_.push_back(window_for(options, laws.front().step));
    transforms_.emplace_back();
    for (const Pld& law : laws) transforms_.back().push_back(transform_of(law, windows_.back()));
  }
}

Table::AtEpsilon Table::at(Epsilon epsilon) const {
  const DefaultFloatEnvironment environment;
  AtEpsilon result;
  for (const Window& window : windows_) {
    result.weights.push_back(weights_of(sub_down(epsilon, kMargin), window));
  }
  return result;
}

double Table::delta(std::span<const double> counts, const AtEpsilon& at) const {
  const DefaultFloatEnvironment environment;
  if (counts.size() != noises_.size()) {
    refuse("number of counts", static_cast<double>(counts.size()), "one per bucket");
  }
  double largest = 0;
  for (std::size_t d = 0; d < windows_.size(); ++d) {
    Composer composer(windows_[d]);
    for (std::size_t j = 0; j < counts.size(); ++j) {
      if (counts[j] > 0) composer.add(transforms_[d][j], counts[j]);
    }
    const Spectrum spectrum = composer.spectrum();
    if (spectrum.slack > kMargin) {
      throw Error("the counts sum to more steps than this table covers: use contour or fourier");
    }
    const Evaluation found = fourier::delta(spectrum, at.weights[d]);
    const double upper = found.value + found.wrap + found.rounding + spectrum.at_infinity;
    if (!(upper <= 1)) return 1;  // also where nothing is certain
    largest = std::max(largest, upper * (1 + 16 * kRoundoff));
  }
  return std::min(1.0, largest);
}

}  // namespace ration::fourier
