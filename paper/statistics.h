// Statistics of what came out of an experiment: rank correlation, and bootstrap intervals, which
// say how far a number would move with other people of the same kind (Efron, 1979: percentiles
// over resamples with replacement). Resamples come from public random numbers, so that everybody
// finds the same intervals. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ration/base/bound.h"
#include "ration/dataset/public_random.h"

namespace ration::paper {

// A number with its 95% interval.
struct Estimate {
  double value, low, high;
};
// All of the interval is there: a change counts as a rise only if its interval leaves 0 out.
inline bool is_above(const Estimate& estimate, double limit) { return estimate.low > limit; }
inline bool is_below(const Estimate& estimate, double limit) { return estimate.high < limit; }
// "0.1234 (0.1000 to 0.1500)", and the same with signs.
std::string text_of(const Estimate& estimate);
std::string signed_text(const Estimate& estimate);

// What is reported of people's eps: upper ends.
std::vector<double> upper_ends_of(std::span<const Bound> epsilons);

// Ranks from 1, those of equal values averaged.
std::vector<double> ranks(std::span<const double> values);
// Spearman's: the correlation of ranks, from -1 to 1. 0 where all values of a list are equal and
// so have no order. Refuses lists of unlike lengths.
double rank_correlation(std::span<const double> x, std::span<const double> y);

// How often each of the people comes up in a resample of as many.
std::vector<std::uint32_t> resample(std::size_t people, PublicRandom random);
// The mean where values[i] counts times[i] times.
double mean(std::span<const double> values, std::span<const std::uint32_t> times);

// What came out, and what comes out of resamples of the same people.
template <class Value>
struct Resampled {
  Value observed;
  std::vector<Value> resamples;
};

// From the 2.5th to the 97.5th percentile of `resamples`, interpolated as NumPy does. Refuses none.
Estimate estimate_of(double value, std::vector<double> resamples);

template <class Value, class Statistic>
Estimate estimate(const Resampled<Value>& of, const Statistic& statistic) {
  std::vector<double> resamples;
  resamples.reserve(of.resamples.size());
  for (const Value& one : of.resamples) resamples.push_back(statistic(one));
  return estimate_of(statistic(of.observed), std::move(resamples));
}

}  // namespace ration::paper
