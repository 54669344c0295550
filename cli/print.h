// How results look: JSON for programs, a few aligned lines for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/guarantee.h"

namespace ration::cli {

using Json = nlohmann::ordered_json;

Json json(double x);  // infinity is the string "inf"
Json json(const Bound& x);
Json json(const Guarantee& guarantee);

// The upper end to ten digits, rounded up, so that what is read is still a bound.
std::string rounded_up(double x);
// Upper end and how far the truth can be below it.
std::string upper_end(const Bound& x);

using Rows = std::vector<std::pair<std::string, std::string>>;
void print(const Rows& rows);  // name and value, wrapped at 80 columns
void print(const Json& document);

}  // namespace ration::cli
