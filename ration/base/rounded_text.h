// Numbers as people read them, rounded so that what is read is still a bound. Pure functions.
#pragma once

#include <string>

namespace ration {

// To `digits` significant digits. Infinity is "inf".
std::string rounded_up(double x, int digits = 10);
std::string rounded_down(double x, int digits = 10);

}  // namespace ration
