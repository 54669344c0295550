// Names of columns of a CSV file that has a value of everybody and one of each group. Pure
// function.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ration::results {

// ",name" and, for each group, ",name:label": labels hold no commas (label_text.h).
std::string group_columns(std::string_view name, std::span<const std::string> labels);

}  // namespace ration::results
