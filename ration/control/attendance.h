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

  // One step, by its number and by who was admitted to it: mask[i] is not 0 for person i.
  void count(std::uint32_t step, std::span<const std::uint8_t> mask);
  // Like steps in a row, the first of which has this number: person i was admitted to the first
  // times[i] of them.
  void count_repeated(std::uint32_t first, std::uint32_t steps,
                      std::span<const std::uint32_t> times);

  friend bool operator==(const Attendance&, const Attendance&) = default;
};

// Refuses what these steps cannot have led to. Without a filter nobody is ever left out.
void check_attendance(const Attendance& attendance, std::uint64_t steps, bool filtered);

}  // namespace ration
