// Accounts filled from a file of norms, one row per step and one column per person, in blocks of
// rows: beyond the accounts memory does not grow with the file. With a filter in front, which says
// before each step who takes part: who is left out is charged nothing for it. On all cores; what
// comes out is private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ration/control/individual_filter.h"
#include "ration/data/npy.h"
#include "ration/individual/accounts.h"
#include "ration/individual/like_steps.h"

namespace ration {

// Told which part of the rows has been read, from 0 to 1: public, for it follows from sizes alone.
using ReadingProgress = std::function<void(double fraction)>;

// Refuses a file that is no table of steps x people, and counts of steps that do not add up to its
// rows.
void check_norms_file(const NpyFile& norms, std::span<const LikeSteps> steps);

// Charges every row, in order. Refuses as check_norms_file and Accounts::charge do; accounts that
// were charged in part are of no use after a refusal.
void charge_file(const NpyFile& norms, std::span<const LikeSteps> steps, Accounts& accounts,
                 const ReadingProgress& progress = {});

// Who took part in how many steps.
struct Attendance {
  struct Person {
    std::uint32_t admitted = 0, left_out = 0;
    std::uint32_t first_left_out = kNever;  // counted from 0

    friend bool operator==(const Person&, const Person&) = default;
  };
  static constexpr std::uint32_t kNever = 0xffffffff;  // Accounts::kMostSteps: no step's number
  std::vector<Person> people;
};
Attendance charge_file(const NpyFile& norms, std::span<const LikeSteps> steps,
                       IndividualFilter& filter, Accounts& accounts,
                       const ReadingProgress& progress = {});

}  // namespace ration
