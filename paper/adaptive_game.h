// A small game against one person, by plain integration: somebody who sees all outputs chooses the
// next step, or stops. It knows nothing of how filters are certified, so that it can be held
// against them. Doubles, on a grid; the error is a small share of a per cent, upwards: chords lie
// above what is convex. Values; const calls are safe from several threads.
// docs/math/tight_filter.md, theorem 2
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "paper/statistics.h"
#include "ration/control/price_list.h"
#include "ration/mechanism/mechanism.h"

namespace ration::paper {

struct GameMove {
  std::size_t step;  // which kind
  std::size_t to;    // the state after it, below the present one
};
using GameMoves = std::vector<std::vector<GameMove>>;  // of each state

// What a price list allows: state k has k times `unit` left. Every price must be a multiple of it.
GameMoves moves_of(const PriceList& list, Units unit, Units budget);
std::vector<SubsampledGaussian> steps_of(const PriceList& list);

// For playing, not for privacy: the same seed gives the same paths.
class GameRandom {
 public:
  explicit GameRandom(std::uint64_t seed) : generator_(seed) {}
  double normal() { return normal_(generator_); }
  double uniform() { return uniform_(generator_); }

 private:
  std::mt19937_64 generator_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

class AdaptiveGame {
 public:
  // For eps from 0 to most_epsilon.
  AdaptiveGame(std::vector<SubsampledGaussian> steps, GameMoves moves, Direction direction,
               double most_epsilon);

  std::size_t last_state() const { return moves_.size() - 1; }
  std::span<const GameMove> moves(std::size_t state) const { return moves_[state]; }

  // The most that anybody reaches from a state at y = eps - (sum of losses so far); at the start
  // that is delta(eps).
  double value(std::size_t state, double y) const { return read(values_[state], y); }
  // The move that attains it; moves(state).size() to stop.
  std::size_t best_move(std::size_t state, double y) const;

  // What somebody plays: the share of each move at a state and y; what is missing from 1 stops.
  using Policy = std::function<void(std::size_t state, double y, std::span<double> shares)>;
  Policy best() const;
  // What they reach, by the same integration.
  double delta_of(const Policy& policy, std::size_t state, double epsilon) const;

  // A draw of the loss of a step in the world that the direction calls P.
  double loss(std::size_t step, GameRandom& random) const;
  // The same by playing: the mean over paths, and its interval of 95%.
  Estimate play(const Policy& policy, std::size_t state, double epsilon, std::uint64_t paths,
                std::uint64_t seed) const;

 private:
  struct Kernel {              // of one step: mean of v(y - L) on the grid
    std::ptrdiff_t first = 0;  // weights[m] belongs to a loss of first + m grid steps
    std::vector<double> weights;
  };
  Kernel kernel(const SubsampledGaussian& step) const;
  std::vector<double> after(const std::vector<double>& v, const Kernel& kernel) const;
  double read(const std::vector<double>& v, double y) const;
  double y(std::size_t i) const { return from_ + grid_ * static_cast<double>(i); }

  std::vector<SubsampledGaussian> steps_;
  GameMoves moves_;
  Direction direction_;
  double from_ = 0, grid_ = 0;
  std::size_t points_ = 0;
  std::vector<Kernel> kernels_;
  std::vector<std::vector<double>> values_;       // of each state
  std::vector<std::vector<std::uint8_t>> bests_;  // likewise
};

}  // namespace ration::paper
