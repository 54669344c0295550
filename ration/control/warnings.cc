#include "ration/control/warnings.h"

#include <fmt/format.h>

#include <algorithm>

#include "ration/base/bound.h"

namespace ration {

std::vector<std::string> warnings_of_delta(Delta delta, std::size_t people) {
  const double most = 0.1 / static_cast<double>(people);
  if (delta <= most) return {};
  return {
      fmt::format("delta is {}, and there are {} people: with more than {}, a tenth of 1/people, "
                  "the promise allows that somebody's data are given away as a whole",
                  double{delta}, people, rounded_down(most, 2))};
}

std::vector<std::string> warnings_of_filter(const Attendance& attendance, std::uint64_t steps) {
  const auto stopped = [&](const Attendance::Person& person) {
    return std::uint64_t{10} * person.left_out >= steps;
  };
  const auto& people = attendance.people;
  const auto count = std::count_if(people.begin(), people.end(), stopped);
  if (static_cast<std::size_t>(10 * count) < 9 * people.size()) return {};
  return {
      "the filter left at least 90% of the people out of at least 10% of the steps: a larger "
      "budget, more noise or fewer steps keep them in"};
}

}  // namespace ration
