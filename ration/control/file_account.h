// A run accounted for from a file of everybody's norms, with or without a filter in front: what is
// promised to all, books, and everybody's own eps, which is never above the promise. On all cores.
// Books and epsilons are private.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ration/control/norms_file.h"
#include "ration/control/promise.h"
#include "ration/individual/epsilons.h"

namespace ration {

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
Books books_of(const NpyFile& norms, const FileRun& run, std::optional<Filter> filter,
               const ReadingProgress& progress = {}, const OnAdmitted& on_admitted = {});

// Everybody's eps by the run's method, capped by the promise. `progress` is told the part of the
// passes over everybody that are done, from 0 to 1: how many people are done while a pass lasts
// follows from their values, how many passes are done does not.
IndividualPrivacy epsilons_of(const Accounts& accounts, const FileRun& run, const Promise& promise,
                              const std::function<void(double fraction)>& progress = {});

}  // namespace ration
