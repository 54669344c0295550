#include "paper/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ration/base/error.h"

namespace ration::paper {
namespace {

// Interpolated linearly between neighbours of a sorted list.
double percentile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

std::string text_of(const Estimate& estimate) {
  return fmt::format("{:.4f} ({:.4f} to {:.4f})", estimate.value, estimate.low, estimate.high);
}

std::string signed_text(const Estimate& estimate) {
  return fmt::format("{:+.4f} ({:+.4f} to {:+.4f})", estimate.value, estimate.low, estimate.high);
}

std::vector<double> upper_ends_of(std::span<const Bound> epsilons) {
  std::vector<double> upper;
  upper.reserve(epsilons.size());
  for (const Bound& epsilon : epsilons) upper.push_back(epsilon.upper);
  return upper;
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    // Places first + 1 to end, on average.
    const double rank = static_cast<double>(first + 1 + end) / 2;
    for (; first < end; ++first) result[order[first]] = rank;
  }
  return result;
}

double rank_correlation(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) {
    refuse("number of second values", static_cast<double>(y.size()), "as many as first ones");
  }
  const std::vector<double> ranks_x = ranks(x), ranks_y = ranks(y);
  const double middle = static_cast<double>(x.size() + 1) / 2;
  double product = 0, square_x = 0, square_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double from_x = ranks_x[i] - middle, from_y = ranks_y[i] - middle;
    product += from_x * from_y;
    square_x += from_x * from_x;
    square_y += from_y * from_y;
  }
  if (square_x == 0 || square_y == 0) return 0;
  return product / std::sqrt(square_x * square_y);
}

std::vector<std::uint32_t> resample(std::size_t people, PublicRandom random) {
  std::vector<std::uint32_t> times(people);
  for (std::size_t i = 0; i < people; ++i) ++times[random.below(people)];
  return times;
}

double mean(std::span<const double> values, std::span<const std::uint32_t> times) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i] * times[i];
    count += times[i];
  }
  return sum / count;
}

Estimate estimate_of(double value, std::vector<double> resamples) {
  if (resamples.empty()) refuse("number of resamples", 0, "a whole number from 1");
  std::sort(resamples.begin(), resamples.end());
  return {
      .value = value, .low = percentile(resamples, 0.025), .high = percentile(resamples, 0.975)};
}

}  // namespace ration::paper
