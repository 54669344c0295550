// The one exception type. Its text is a sentence that the user can act on: the argument, the
// value it had and what is accepted. It never holds a person's data.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace ration {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "noise is -1: give a number from 0.0001 to 1e+08". Numbers print so that they read back equal.
[[noreturn]] void refuse(std::string_view argument, double value, std::string_view accepted);
[[noreturn]] void refuse(std::string_view argument, std::string_view value,
                         std::string_view accepted);

}  // namespace ration
