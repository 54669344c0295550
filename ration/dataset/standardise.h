// Features on a common scale, x -> (x - mean) / scale, with constants that are public: what is
// known of a measurement before anybody looks at these people (the range of a pixel, a clinical
// reference range). They are never computed from the data: the mean of a column moves with every
// person in it, so a model trained after it would tell of each of them something that no account
// holds.
#pragma once

#include <string>
#include <vector>

#include "ration/file/table.h"

namespace ration {

struct Standardisation {
  std::vector<double> mean, scale;  // one for all columns, or one for each
};

// In place. Refuses lists of other lengths, scales that are not above 0, and results that are not
// finite in float32.
void standardise(Table& table, const Standardisation& by, const std::string& source);

}  // namespace ration
