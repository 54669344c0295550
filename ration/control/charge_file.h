// Accounts filled from a file of norms, one row per step and one column per person, in blocks of
// rows: beyond the accounts memory does not grow with the file. With a filter in front, which says
// before each step who takes part: who is left out is charged nothing for it. On all cores; what
// comes out is private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ration/control/attendance.h"
#include "ration/control/individual_filter.h"
#include "ration/file/npy.h"
#include "ration/individual/accounts.h"
#include "ration/individual/step.h"

namespace ration {

// Told which part of the rows has been read, from 0 to 1: public, for it follows from sizes alone.
using ReadingProgress = std::function<void(double fraction)>;

// Refuses a file that is no table of steps x people, and counts of steps that do not add up to its
// rows.
void check_norms_file(const NpyFile& norms, std::span<const RepeatedStep> steps);

// Charges every row, in order. Refuses as check_norms_file and Accounts::charge do; accounts that
// were charged in part are of no use after a refusal.
void charge_file(const NpyFile& norms, std::span<const RepeatedStep> steps, Accounts& accounts,
                 const ReadingProgress& progress = {});

// Told after each step (from 1) who was admitted to it. Private.
using OnAdmitted = std::function<void(std::uint64_t step, std::span<const std::uint8_t> mask)>;

// The same behind a filter.
Attendance charge_file(const NpyFile& norms, std::span<const RepeatedStep> steps,
                       IndividualFilter& filter, Accounts& accounts,
                       const ReadingProgress& progress = {}, const OnAdmitted& on_admitted = {});

// So many numbers of steps at most, evenly spaced, up to the last.
std::vector<std::uint64_t> spaced_steps(std::uint64_t steps, std::uint64_t most);

// The accounts of some people, in their order, after some numbers of steps: their columns are gone
// through once more, from new accounts on and, if there is one, behind a filter of as many people.
// `moments` increase up to the number of rows. What was admitted is counted only with a filter.
using OnMoment =
    std::function<void(std::uint64_t steps, const Accounts& accounts, const Attendance& admitted)>;
struct FollowedColumns {
  std::span<const std::size_t> who;
  std::span<const std::uint64_t> moments;
};
void follow_file(const NpyFile& norms, std::span<const RepeatedStep> steps,
                 const FollowedColumns& followed, std::optional<IndividualFilter> filter,
                 const Buckets& buckets, const OnMoment& on_moment);

}  // namespace ration
