// Columns about people who are followed over time, for followed.csv: of each of them
// epsilon_lower:17,epsilon_upper:17,admitted:17. What it holds is private. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ration/base/bound.h"

namespace ration::results {

// What one person has spent by a time, and to how many steps they were admitted until then.
struct Followed {
  Bound epsilon;
  std::uint64_t admitted;
};

// Accounts over time are looked at one by one, and each takes its time: refuses more than 100
// people, and anybody twice. `what` is the argument that a refusal names.
void check_followed(std::span<const std::size_t> who, std::string_view what);

// Each begins with a comma, to stand behind the columns that say when. Numbers read back equal.
std::string followed_columns(std::span<const std::size_t> who);
std::string followed_cells(std::span<const Followed> people);

}  // namespace ration::results
