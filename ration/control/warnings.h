// What whoever accounts for people should know that is no error. Each is one sentence. Pure
// functions. docs/training.md, "Warnings"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ration/base/values.h"
#include "ration/control/books.h"

namespace ration {

// A delta above a tenth of 1/people. How many people there are is public, and so is this.
std::vector<std::string> warnings_of_delta(Delta delta, std::size_t people);

// A filter that kept nine in ten people out of a tenth of the steps, or more of either. Private.
std::vector<std::string> warnings_of_filter(const Attendance& attendance, std::uint64_t steps);

}  // namespace ration
