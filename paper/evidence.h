// What a claim is judged by, and the verdict that follows: numbers with their intervals and the
// limits between which they must lie, run by run. A majority of runs decides. Everything that a
// verdict follows from is in these numbers (claims.csv). Values and pure functions.
// docs/reproduce.md
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "paper/statistics.h"

namespace ration::paper {

// All of the interval must lie above the one limit and below the other, where there is one.
struct Evidence {
  std::string what;  // "change of macro AUC at 5x"
  Estimate number;
  std::optional<double> above = {}, below = {};
  std::size_t run = 1;  // runs are alike but for their noise and where they start
};

// A number without an interval.
constexpr Estimate known(double value) { return {.value = value, .low = value, .high = value}; }

bool agrees(const Evidence& evidence);
// All of the interval lies beyond a limit: other people of the same kind would not help.
bool contradicts(const Evidence& evidence);

// In how many runs all evidence agrees, and in how many some of it contradicts.
struct Tally {
  std::size_t runs = 0, agreeing = 0, contradicting = 0;
};
Tally tally(std::span<const Evidence> evidence);

// Most runs agree.
bool is_held(const Tally& tally);
// Neither do most runs agree, nor do most contradict.
bool is_unresolved(const Tally& tally);

// What the paper says, what the numbers say here (sentences, both), and whether that agrees.
struct Claim {
  std::string statement, finding;
  bool held;
  std::vector<Evidence> evidence = {};
};

// The verdict is computed from the evidence, never set by hand. The finding goes on to say how many
// of several runs agreed, and that a claim is not resolved.
Claim judged(std::string statement, std::string finding, std::vector<Evidence> evidence);

// What each of some runs that are alike says, one after the other.
template <class Runs, class OfRun>
std::vector<Evidence> in_every_run(const Runs& runs, const OfRun& of_run) {
  std::vector<Evidence> all;
  std::size_t number = 0;
  for (const auto& run : runs) {
    ++number;
    std::vector<Evidence> found = of_run(run);
    for (Evidence& one : found) {
      one.run = number;
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace ration::paper
