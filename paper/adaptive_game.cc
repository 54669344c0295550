#include "paper/adaptive_game.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "ration/base/error.h"

namespace ration::paper {
namespace {

constexpr double kMostPoints = 20'000;

struct Node {
  double loss, weight;
};
// The law of a step's loss: v = u / s - 1 / (2 s^2), P / Q = 1 + q (exp(v) - 1), u normal under Q.
std::vector<Node> nodes_of(const SubsampledGaussian& step, Direction direction) {
  constexpr double kStep = 1e-3, kFar = 9;
  const double s = step.noise, q = step.rate;
  std::vector<Node> nodes;
  for (double u = -kFar; u <= kFar + 1 / s; u += kStep) {
    const double loss = std::log1p(q * std::expm1(u / s - 0.5 / (s * s)));
    const double normal = kStep * std::exp(-0.5 * u * u) / std::sqrt(2 * std::numbers::pi);
    const bool remove = direction == Direction::remove;
    nodes.push_back({remove ? loss : -loss, remove ? normal * std::exp(loss) : normal});
  }
  return nodes;
}
double variance_of(const std::vector<Node>& nodes) {
  double mean = 0, square = 0;
  for (const Node& node : nodes) {
    mean += node.weight * node.loss;
    square += node.weight * node.loss * node.loss;
  }
  return square - mean * mean;
}

}  // namespace

GameMoves moves_of(const PriceList& list, Units unit, Units budget) {
  GameMoves moves;
  for (Units left = 0; left <= budget; left += unit) {
    std::vector<GameMove>& here = moves.emplace_back();
    for (std::size_t i = 0; i < list.entries().size(); ++i) {
      const Units price =
          left < list.near_the_end() ? PriceList::kWholeStep : list.entries()[i].price;
      if (price % unit != 0) {
        refuse("price", static_cast<double>(price), fmt::format("a multiple of {}", unit));
      }
      if (price <= left) here.push_back({.step = i, .to = (left - price) / unit});
    }
  }
  return moves;
}
std::vector<SubsampledGaussian> steps_of(const PriceList& list) {
  std::vector<SubsampledGaussian> steps;
  for (const PricedStep& entry : list.entries()) steps.push_back(entry.step);
  return steps;
}

// Whoever takes n steps at rate q ends between y - (the sum of losses), and no step takes y up by
// more than |log(1-q)| in the direction remove, or down by more in the direction add. Below
// -n |log(1-q)| the value is 1 - exp(y) in the one; above n |log(1-q)| it is 0 in the other.
AdaptiveGame::AdaptiveGame(std::vector<SubsampledGaussian> steps, GameMoves moves,
                           Direction direction, double most_epsilon)
    : steps_(std::move(steps)), moves_(std::move(moves)), direction_(direction) {
  std::vector<double> variances;
  for (const SubsampledGaussian& step : steps_) {
    variances.push_back(variance_of(nodes_of(step, direction_)));
  }
  std::vector<double> reach(moves_.size()), variance(moves_.size());
  for (std::size_t state = 0; state < moves_.size(); ++state) {
    for (const GameMove& move : moves_[state]) {
      const double most = -std::log1p(-std::min(double{steps_[move.step].rate}, 1 - 1e-15));
      reach[state] = std::max(reach[state], reach[move.to] + most);
      variance[state] = std::max(variance[state], variance[move.to] + variances[move.step]);
    }
  }
  const double most_variance = *std::max_element(variance.begin(), variance.end());
  const double far = std::min(*std::max_element(reach.begin(), reach.end()),
                              8.5 * std::sqrt(most_variance) + most_variance);
  from_ = -far - 1e-3;
  const double width = 2 * far + most_epsilon + 2e-3;
  const double least = std::sqrt(*std::min_element(variances.begin(), variances.end()));
  grid_ = std::max(0.02 * least, width / kMostPoints);
  points_ = static_cast<std::size_t>(std::ceil(width / grid_)) + 1;

  for (const SubsampledGaussian& step : steps_) kernels_.push_back(kernel(step));
  for (std::size_t state = 0; state < moves_.size(); ++state) {
    std::vector<double>& best = values_.emplace_back(points_);
    std::vector<std::uint8_t>& which =
        bests_.emplace_back(points_, static_cast<std::uint8_t>(moves_[state].size()));
    for (std::size_t i = 0; i < points_; ++i) best[i] = std::max(0.0, -std::expm1(y(i)));
    for (std::size_t j = 0; j < moves_[state].size(); ++j) {
      const GameMove& move = moves_[state][j];
      const std::vector<double> found = after(values_[move.to], kernels_[move.step]);
      for (std::size_t i = 0; i < points_; ++i) {
        if (!(found[i] > best[i])) continue;
        best[i] = found[i];
        which[i] = static_cast<std::uint8_t>(j);
      }
    }
  }
}

// Between grid points a value is read off the chord in exp(y), where it is convex: the share of the
// upper point follows from where between them y lies.
AdaptiveGame::Kernel AdaptiveGame::kernel(const SubsampledGaussian& step) const {
  const std::vector<Node> nodes = nodes_of(step, direction_);
  const auto [least, most] = std::minmax_element(
      nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.loss < b.loss; });
  Kernel result;
  result.first = static_cast<std::ptrdiff_t>(std::floor(least->loss / grid_));
  const auto last = static_cast<std::ptrdiff_t>(std::floor(most->loss / grid_)) + 1;
  result.weights.resize(static_cast<std::size_t>(last - result.first) + 1);
  for (const auto& [loss, weight] : nodes) {
    const double below = std::floor(loss / grid_);
    const double share = std::expm1(grid_ * (below + 1) - loss) / std::expm1(grid_);
    const auto m = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(below) - result.first);
    result.weights[m] += weight * share;
    result.weights[m + 1] += weight * (1 - share);
  }
  return result;
}

std::vector<double> AdaptiveGame::after(const std::vector<double>& v, const Kernel& of) const {
  std::vector<double> result(points_);
  const auto n = static_cast<std::ptrdiff_t>(points_);
  const auto count = static_cast<std::ptrdiff_t>(of.weights.size());
  for (std::ptrdiff_t m = 0; m < count; ++m) {
    const std::ptrdiff_t loss = of.first + m;
    const std::ptrdiff_t from = std::max<std::ptrdiff_t>(0, loss), to = std::min(n, n + loss);
    const double weight = of.weights[static_cast<std::size_t>(m)];
    if (weight < 1e-19) continue;
    for (std::ptrdiff_t i = from; i < to; ++i) {
      result[static_cast<std::size_t>(i)] += weight * v[static_cast<std::size_t>(i - loss)];
    }
  }
  // Losses beyond the left end, where a value is 1 - exp(y).
  double mass = 0, other = 0;
  std::ptrdiff_t m = count - 1;
  for (std::ptrdiff_t i = std::min(n - 1, of.first + count - 2); i >= 0; --i) {
    for (; m >= 0 && of.first + m > i; --m) {
      const double weight = of.weights[static_cast<std::size_t>(m)];
      mass += weight;
      other += weight * std::exp(-grid_ * static_cast<double>(of.first + m));
    }
    const auto at = static_cast<std::size_t>(i);
    result[at] += mass - other * std::exp(y(at));
  }
  return result;
}

double AdaptiveGame::read(const std::vector<double>& v, double at) const {
  const double place = (at - from_) / grid_;
  if (place <= 0) return -std::expm1(at);
  if (place >= static_cast<double>(points_ - 1)) return 0;
  const auto i = static_cast<std::size_t>(place);
  const double share = std::expm1(at - y(i)) / std::expm1(grid_);
  return v[i] + share * (v[i + 1] - v[i]);
}

std::size_t AdaptiveGame::best_move(std::size_t state, double at) const {
  const double place = std::round((at - from_) / grid_);
  if (place < 0 || place >= static_cast<double>(points_)) return moves_[state].size();
  return bests_[state][static_cast<std::size_t>(place)];
}

AdaptiveGame::Policy AdaptiveGame::best() const {
  return [this](std::size_t state, double at, std::span<double> shares) {
    const std::size_t move = best_move(state, at);
    if (move < shares.size()) shares[move] = 1;
  };
}

double AdaptiveGame::delta_of(const Policy& policy, std::size_t state, double epsilon) const {
  std::vector<std::vector<double>> reached;
  std::vector<double> shares;
  for (std::size_t here = 0; here <= state; ++here) {
    std::vector<std::vector<double>> found;
    for (const GameMove& move : moves_[here]) {
      found.push_back(after(reached[move.to], kernels_[move.step]));
    }
    std::vector<double>& value = reached.emplace_back(points_);
    for (std::size_t i = 0; i < points_; ++i) {
      shares.assign(found.size(), 0);
      policy(here, y(i), shares);
      double rest = 1;
      for (std::size_t j = 0; j < found.size(); ++j) {
        value[i] += shares[j] * found[j][i];
        rest -= shares[j];
      }
      value[i] += rest * std::max(0.0, -std::expm1(y(i)));
    }
  }
  return read(reached[state], epsilon);
}

double AdaptiveGame::loss(std::size_t step, GameRandom& random) const {
  const double s = steps_[step].noise, q = steps_[step].rate;
  double u = random.normal();
  const bool remove = direction_ == Direction::remove;
  if (remove && random.uniform() < q) u += 1 / s;
  const double loss = std::log1p(q * std::expm1(u / s - 0.5 / (s * s)));
  return remove ? loss : -loss;
}

Estimate AdaptiveGame::play(const Policy& policy, std::size_t state, double epsilon,
                            std::uint64_t paths, std::uint64_t seed) const {
  GameRandom random(seed);
  std::vector<double> shares;
  double sum = 0, squares = 0;
  for (std::uint64_t path = 0; path < paths; ++path) {
    double at = epsilon;
    for (std::size_t here = state;;) {
      shares.assign(moves_[here].size(), 0);
      policy(here, at, shares);
      double coin = random.uniform();
      std::size_t move = 0;
      for (; move < shares.size() && coin >= shares[move]; ++move) coin -= shares[move];
      if (move == shares.size()) break;
      at -= loss(moves_[here][move].step, random);
      here = moves_[here][move].to;
    }
    const double reached = std::max(0.0, -std::expm1(at));
    sum += reached;
    squares += reached * reached;
  }
  const auto n = static_cast<double>(paths);
  const double mean = sum / n;
  const double half = 1.96 * std::sqrt(std::max(0.0, squares / n - mean * mean) / n);
  return {.value = mean, .low = mean - half, .high = mean + half};
}

}  // namespace ration::paper
