// Who took part in how many steps, counted while a filter decides. Private.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ration {

struct Attendance {
  struct Person {
    std::uint32_t admitted = 0, left_out = 0;
    std::uint32_t first_left_out = kNever;  // counted from 0

    friend bool operator==(const Person&, const Person&) = default;
  };
  static constexpr std::uint32_t kNever = 0xffffffff;  // Accounts::kMostSteps: no step's number
  std::vector<Person> people;

  friend bool operator==(const Attendance&, const Attendance&) = default;
};

// Counts one step, and keeps the norms of who is admitted to it: the others' become zero, which
// costs nothing and counts as no charge. All lists are of the same people. OpenMP inside.
void keep_admitted(std::span<const float> norms, std::span<const std::uint8_t> mask,
                   std::uint32_t step, std::span<float> kept, Attendance& attendance);
void keep_admitted(std::span<const double> norms, std::span<const std::uint8_t> mask,
                   std::uint32_t step, std::span<double> kept, Attendance& attendance);
// Counts like steps in a row, the first of which has this number: person i was admitted to the
// first times[i] of them.
void count_repeated(std::span<const std::uint32_t> times, std::uint32_t first, std::uint32_t steps,
                    Attendance& attendance);

}  // namespace ration
