// A file of norms, one row per step and one column per person, entered into books in blocks of
// rows: beyond the books memory does not grow with the file. On all cores; what comes out is
// private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ration/control/books.h"
#include "ration/file/npy.h"
#include "ration/individual/step.h"

namespace ration {

// Told which part of the rows has been read, from 0 to 1: public, for it follows from sizes alone.
using ReadingProgress = std::function<void(double fraction)>;

// Refuses a file that is no table of steps x people, and counts of steps that do not add up to its
// rows.
void check_norms_file(const NpyFile& norms, std::span<const RepeatedStep> steps);

// Charges every row, in order. Refuses as check_norms_file and Books::charge do.
void charge_file(const NpyFile& norms, std::span<const RepeatedStep> steps, Books& books,
                 const ReadingProgress& progress = {}, const OnAdmitted& on_admitted = {});

// At most this many numbers of steps, evenly spaced, up to the last.
std::vector<std::uint64_t> spaced_steps(std::uint64_t steps, std::uint64_t most);

// Some people alone, in their order, after some numbers of steps: their columns are gone through
// once more, with books of their own. `moments` increase up to the number of rows.
struct FollowedColumns {
  std::span<const std::size_t> who;
  std::span<const std::uint64_t> moments;
};
using OnMoment = std::function<void(std::uint64_t steps, const Books::Settled& books)>;
void follow_file(const NpyFile& norms, std::span<const RepeatedStep> steps,
                 const FollowedColumns& followed, Books books, const OnMoment& on_moment);

}  // namespace ration
