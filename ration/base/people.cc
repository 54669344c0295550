#include "ration/base/people.h"

#include <fmt/format.h>

#include "ration/base/error.h"

namespace ration {

void check_people(std::size_t people, std::size_t given, std::string_view what) {
  if (given == people) return;
  throw Error(fmt::format("{} cover {} people: give those of all {}", what, given, people));
}

}  // namespace ration
