// How results look: JSON for programs, a few aligned lines for people.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ration/base/bound.h"
#include "ration/results/json.h"

namespace ration::cli {

using results::json;
using results::Json;

// The end that is safe to use, and how far it can be from what it bounds: the upper end of what is
// spent, the lower end of what is allowed.
std::string upper_end(const Bound& x, std::string_view of = "the truth");
std::string lower_end(const Bound& x);

using Rows = std::vector<std::pair<std::string, std::string>>;
void print(const Rows& rows);  // name and value, wrapped at 80 columns
void print(const Json& document);

}  // namespace ration::cli
