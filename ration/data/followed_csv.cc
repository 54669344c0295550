#include "ration/data/followed_csv.h"

#include <fmt/format.h>

namespace ration {

std::string followed_columns(std::span<const std::size_t> who) {
  std::string text;
  for (const std::size_t person : who) {
    text += fmt::format(",epsilon_lower:{0},epsilon_upper:{0},admitted:{0}", person);
  }
  return text;
}

std::string followed_cells(std::span<const Followed> people) {
  std::string text;
  for (const auto& [epsilon, admitted] : people) {
    text += fmt::format(",{},{},{}", epsilon.lower, epsilon.upper, admitted);
  }
  return text;
}

}  // namespace ration
