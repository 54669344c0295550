#include "ration/base/error.h"

#include <fmt/format.h>

namespace ration {
namespace {

std::string sentence(std::string_view argument, std::string_view value, std::string_view accepted) {
  return fmt::format("{} is {}: give {}", argument, value, accepted);
}

}  // namespace

void refuse(std::string_view argument, double value, std::string_view accepted) {
  refuse(argument, fmt::format("{}", value), accepted);
}

void refuse(std::string_view argument, std::string_view value, std::string_view accepted) {
  throw Error(sentence(argument, value, accepted));
}

void out_of_reach(std::string_view argument, double value, std::string_view accepted) {
  throw OutOfReach(sentence(argument, fmt::format("{}", value), accepted));
}

}  // namespace ration
