#include "ration/base/error.h"

#include <fmt/format.h>

namespace ration {

void refuse(std::string_view argument, double value, std::string_view accepted) {
  refuse(argument, fmt::format("{}", value), accepted);
}

void refuse(std::string_view argument, std::string_view value, std::string_view accepted) {
  throw Error(fmt::format("{} is {}: give {}", argument, value, accepted));
}

}  // namespace ration
