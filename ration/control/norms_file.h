// A file of norms, step by step (norm_rows.h), entered into books in blocks of rows: beyond the
// books memory does not grow with the file. On all cores; what comes out is private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ration/control/books.h"
#include "ration/control/norm_rows.h"
#include "ration/control/promise.h"
#include "ration/individual/epsilons.h"
#include "ration/individual/step.h"

namespace ration {

// Told which part of the rows has been read, from 0 to 1: public, for it follows from sizes alone.
using ReadingProgress = std::function<void(double fraction)>;

// Refuses counts of steps that do not add up to the rows.
void check_norms_file(const NormRows& norms, std::span<const RepeatedStep> steps);

// Charges every row, in order. Refuses as check_norms_file and Books::charge do.
void charge_file(NormRows& norms, std::span<const RepeatedStep> steps, Books& books,
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
void follow_file(NormRows& norms, std::span<const RepeatedStep> steps,
                 const FollowedColumns& followed, Books books, const OnMoment& on_moment);

// A run accounted for from a file of everybody's norms, with or without a filter in front: what is
// promised to all, books, and everybody's own eps, which is never above the promise. On all cores.
// Books and epsilons are private.
struct FileRun {
  Plan plan;
  std::vector<RepeatedStep> steps;  // those of the plan, at a clip bound
  Buckets buckets;
  Delta delta;
  IndividualAccounting how;
};

// What the run costs somebody at the clip bound throughout, and what is promised to all: no norm is
// read for it.
struct FilePromise {
  WorstCase worst_case;
  Promise promise;
};
FilePromise promise_of(const FileRun& run, const std::optional<Filter>& filter);

// The books of everybody in the file, every row charged.
Books books_of(NormRows& norms, const FileRun& run, std::optional<Filter> filter,
               const ReadingProgress& progress = {}, const OnAdmitted& on_admitted = {});

// Everybody's eps by the run's method, capped by the promise. `progress` is told the part of the
// passes over everybody that are done, from 0 to 1: how many people are done while a pass lasts
// follows from their values, how many passes are done does not.
IndividualPrivacy epsilons_of(const Accounts& accounts, const FileRun& run, const Promise& promise,
                              const std::function<void(double fraction)>& progress = {});

}  // namespace ration
