// The error analysis assumes rounding to nearest and gradual underflow. Other libraries in a
// process may have changed either (flush-to-zero is common in machine learning); a guard restores
// the defaults for its own lifetime. One guard stands at each door of the library's numerics.
#pragma once

#include <cfenv>

namespace ration {

class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&saved_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t saved_{};
};

}  // namespace ration
