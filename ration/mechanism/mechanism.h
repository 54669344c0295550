// What was run, as plain data. A new mechanism is added to the variant, and every accountant that
// forgets it stops compiling.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"

namespace ration {

// Adds normal noise of `noise` times the clip bound to a sum over everybody.
struct Gaussian {
  Noise noise;
};

// The same over a Poisson sample: each person takes part with probability `rate` < 1.
struct SubsampledGaussian {
  Noise noise;
  Rate rate;
};

// Adds Laplace noise of scale `noise` times the bound on what one person can change.
struct Laplace {
  Noise noise;
};

// Reports a person's answer, one of `options`, as it is with probability `truth` and else one of
// the others, each as likely.
struct RandomisedResponse {
  Truth truth;
  Options options = 2;
};

// Any mechanism with finitely many outcomes: their probabilities with the person and without.
class DiscretePair {
 public:
  // Refuses lists that are empty or of unlike length, and probabilities that are negative or do not
  // sum to 1 within 1e-12, and names the row. What they are, they are: nothing is normalised.
  DiscretePair(std::vector<double> with, std::vector<double> without);

  const std::vector<double>& with() const { return with_; }
  const std::vector<double>& without() const { return without_; }

 private:
  std::vector<double> with_, without_;
};

using Mechanism =
    std::variant<Gaussian, SubsampledGaussian, Laplace, RandomisedResponse, DiscretePair>;

// What the methods made for normal noise (gdp, contour) say to the others.
template <class M>
concept WithoutNormalNoise = std::same_as<M, Laplace> || std::same_as<M, RandomisedResponse> ||
    std::same_as<M, DiscretePair>;
[[noreturn]] void refuse_without_normal_noise(std::string_view method);

// Remove: the person is in the data, against not. Add: the reverse.
enum class Direction { remove, add };
constexpr std::string_view name(Direction d) { return d == Direction::remove ? "remove" : "add"; }

// A plan: which mechanisms are run, and how often each.
struct PlanEntry {
  Mechanism mechanism;
  Steps steps;
};
using Plan = std::vector<PlanEntry>;

// Noisy sums over Poisson samples; at rate 1 everybody takes part and the sampling is gone.
struct NoisySteps {
  Noise noise;
  Rate rate;
  Steps steps;
};
PlanEntry entry(const NoisySteps& given);

// What two neighbouring data sets are, in words.
std::string neighbours_in(const Plan& plan);

// The outcomes of a mechanism that has finitely many, with their probabilities.
struct OutcomePair {
  Bound with, without;  // the person
};

std::vector<OutcomePair> outcomes_of(const DiscretePair& pair);
// The true answer, the answer that would be true without the person, and all others as one: they
// are as likely on both sides.
std::vector<OutcomePair> outcomes_of(const RandomisedResponse& response);

}  // namespace ration
