#include "ration/loss/outcomes.h"

#include "ration/numeric/interval.h"

namespace ration {

std::vector<OutcomePair> outcomes_of(const DiscretePair& pair) {
  std::vector<OutcomePair> outcomes;
  for (std::size_t i = 0; i < pair.with().size(); ++i) {
    outcomes.push_back({.with = exactly(pair.with()[i]), .without = exactly(pair.without()[i])});
  }
  return outcomes;
}

std::vector<OutcomePair> outcomes_of(const RandomisedResponse& response) {
  const Bound truth = exactly(response.truth);
  const Bound other = (1 - truth) / (exactly(response.options) - 1);
  std::vector<OutcomePair> outcomes = {{.with = truth, .without = other},
                                       {.with = other, .without = truth}};
  if (response.options > 2) {
    const Bound rest = other * (exactly(response.options) - 2);
    outcomes.push_back({.with = rest, .without = rest});
  }
  return outcomes;
}

}  // namespace ration
