// The door to a directory of results, of a run or of an account. Files of several runs do not pass
// for one: what a run's settings promise is worked out anew, and must be what its summary says. Two
// runs of the same settings promise the same; what they reached, and what it cost people, tells
// them apart (results/reader.h). Safe from any thread.
#pragma once

#include <filesystem>

#include "ration/results/reader.h"

namespace ration::train {

// Refuses as results::read_results does.
results::Results read_results(const std::filesystem::path& directory, results::Sight sight);

}  // namespace ration::train
