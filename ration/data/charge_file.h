// Accounts filled from a file of norms, one row per step and one column per person, in blocks of
// rows: beyond the accounts memory does not grow with the file. With a filter in front, which says
// before each step who takes part: who is left out is charged nothing for it. On all cores; what
// comes out is private.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "ration/control/attendance.h"
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

// The same behind a filter.
Attendance charge_file(const NpyFile& norms, std::span<const LikeSteps> steps,
                       IndividualFilter& filter, Accounts& accounts,
                       const ReadingProgress& progress = {});

}  // namespace ration
