// How many people have spent how much, against what is promised to them and the worst case: the
// chart that all of this is about. Private. Pure functions.
#pragma once

#include <cstdint>

#include "ration/base/bound.h"
#include "ration/report/chart.h"
#include "ration/results/results.h"

namespace ration::report {

// What is promised to everybody, if it is proved: an approximation promises nothing, and noise from
// a known seed nothing either.
const Bound* proved_promise(const results::Results& results);

struct EverybodyChart {
  HistogramChart chart;
  std::uint64_t beyond;  // people who have no finite eps, and are not in it
};
// Of results with everybody's eps.
EverybodyChart everybody_chart(const results::Results& results);

}  // namespace ration::report
