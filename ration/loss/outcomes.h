// The outcomes of a mechanism that has finitely many, with their probabilities. Pure functions.
#pragma once

#include <vector>

#include "ration/base/bound.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

struct OutcomePair {
  Bound with, without;  // the person
};

std::vector<OutcomePair> outcomes_of(const DiscretePair& pair);
// The true answer, the answer that would be true without the person, and all others as one: they
// are as likely on both sides.
std::vector<OutcomePair> outcomes_of(const RandomisedResponse& response);

}  // namespace ration
