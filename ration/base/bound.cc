#include "ration/base/bound.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace ration {
namespace {

// The nearest number with these digits, or one unit of the last digit further if that fell on the
// wrong side. Text that is read back may be subnormal, which strtod takes and std::stod refuses.
std::string rounded(double x, double toward, int digits) {
  std::string text = fmt::format("{:.{}g}", x, digits);
  const double read = std::strtod(text.c_str(), nullptr);
  if (x == 0 || std::isinf(x) || (toward > 0 ? read >= x : read <= x)) return text;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(x))) - (digits - 1));
  return fmt::format("{:.{}g}", x + toward * unit, digits);
}

}  // namespace

std::string rounded_up(double x, int digits) { return rounded(x, 1, digits); }
std::string rounded_down(double x, int digits) { return rounded(x, -1, digits); }

}  // namespace ration
