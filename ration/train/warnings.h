// What the owner of a run should know that is no error: before it starts, and at its end. Each is
// one sentence. Pure functions. docs/training.md, "Warnings"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ration/dataset/dataset.h"
#include "ration/results/results.h"
#include "ration/train/settings.h"

namespace ration::train {

// A delta above a tenth of 1/people, and rows that are taken for people, for want of ids. How many
// people there are is public, and so are these.
std::vector<std::string> warnings_before(const Settings& settings, const People& people);

// A model that does no better than always the most frequent label, or than guessing. As public as
// the test is.
std::vector<std::string> warnings_of_test(const results::Results::Test& test);

}  // namespace ration::train
