// Numbers and what goes with them as JSON, in one form for every summary and every --json. Pure
// functions.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "ration/base/bound.h"
#include "ration/individual/quantiles.h"

namespace ration::results {

using Json = nlohmann::ordered_json;

Json json(double x);  // infinity is the string "inf"
Json json(const Bound& x);
Json json(const Guarantee& guarantee);
Json json(const Quantiles& quantiles);
// By label, in their order.
Json json(std::span<const std::string> labels, std::span<const GroupQuantiles> groups);

// What is no UTF-8, such as the names of some files, is replaced: JSON is.
std::string text_of(const Json& document);

}  // namespace ration::results
