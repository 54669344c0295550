#include "ration/results/followed_csv.h"

#include <fmt/format.h>

#include <unordered_set>

#include "ration/base/error.h"

namespace ration::results {

void check_followed(std::span<const std::size_t> who, std::string_view what) {
  constexpr std::size_t kMost = 100;
  if (who.size() > kMost) {
    refuse(what, fmt::format("{} people", who.size()), fmt::format("at most {}", kMost));
  }
  std::unordered_set<std::size_t> seen;
  for (const std::size_t person : who) {
    if (!seen.insert(person).second) refuse(what, fmt::format("{} twice", person), "each once");
  }
}

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

}  // namespace ration::results
