// What was run, from CSV files. What is wrong is refused with its line and column; `source` is what
// an error calls the text. Pure functions.
#pragma once

#include <filesystem>
#include <istream>
#include <string>

#include "ration/mechanism/mechanism.h"

namespace ration {

// A plan of Gaussian steps: the header noise,rate,steps (in any order), then one row per entry.
Plan read_plan(std::istream& in, const std::string& source);
Plan read_plan(const std::filesystem::path& file);

// A mechanism with finitely many outcomes: one row for each outcome, its probability with the
// person and without. A first line that holds no numbers names the columns, `with` and `without` in
// either order; without it they come in this order. Refuses a row that is not two probabilities,
// and columns that do not sum to 1 within 1e-12.
DiscretePair read_pair(std::istream& in, const std::string& source);
DiscretePair read_pair(const std::filesystem::path& file);

}  // namespace ration
