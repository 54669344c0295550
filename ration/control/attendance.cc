#include "ration/control/attendance.h"

#include <algorithm>
#include <cstddef>

#include "ration/base/error.h"

namespace ration {
namespace {

bool is_possible(const Attendance::Person& person, std::uint64_t steps, bool filtered) {
  const std::uint64_t seen = std::uint64_t{person.admitted} + person.left_out;
  if (person.left_out == 0) return seen == steps && person.first_left_out == Attendance::kNever;
  return filtered && seen == steps && person.first_left_out <= steps - person.left_out;
}

}  // namespace

void Attendance::count(std::uint32_t step, std::span<const std::uint8_t> mask) {
#pragma omp parallel for schedule(static) if (mask.size() > 65536)
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const bool is_in = mask[i] != 0;
    people[i].admitted += is_in ? 1 : 0;
    people[i].left_out += is_in ? 0 : 1;
    if (!is_in) people[i].first_left_out = std::min(people[i].first_left_out, step);
  }
}

void Attendance::count_repeated(std::uint32_t first, std::uint32_t steps,
                                std::span<const std::uint32_t> times) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    people[i].admitted += times[i];
    people[i].left_out += steps - times[i];
    if (times[i] == steps) continue;
    people[i].first_left_out = std::min(people[i].first_left_out, first + times[i]);
  }
}

void check_attendance(const Attendance& attendance, std::uint64_t steps, bool filtered) {
  const bool possible =
      std::all_of(attendance.people.begin(), attendance.people.end(),
                  [&](const auto& person) { return is_possible(person, steps, filtered); });
  if (!possible) throw Error("books are wrong: an attendance does not fit the number of steps");
}

}  // namespace ration
