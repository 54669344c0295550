// A mechanism with finitely many outcomes from a CSV file: one row for each outcome, its
// probability with the person and without. A first line that holds no numbers names the columns,
// `with` and `without` in either order; without it they come in this order.
#pragma once

#include <filesystem>
#include <istream>
#include <string>

#include "ration/mechanism/mechanism.h"

namespace ration {

// Refuses a row that is not two probabilities, and columns that do not sum to 1 within 1e-12.
// `source` is what an error calls the text.
DiscretePair read_pair(std::istream& in, const std::string& source);
DiscretePair read_pair(const std::filesystem::path& file);

}  // namespace ration
