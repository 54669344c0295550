// The paper's histograms of individual eps, all with the same number of bins. Pure functions.
#pragma once

#include <span>
#include <string>

#include "ration/base/bound.h"
#include "ration/report/bins.h"
#include "ration/report/chart.h"

namespace ration {

// 40 bins from 0 to `most`, which is the last edge exactly.
BinRange bins_up_to(double most);

std::vector<double> edges_of(const BinRange& range);

// Of upper ends, none of which is above the last bin.
Histogram epsilon_histogram(std::string name, std::span<const Bound> epsilons,
                            const BinRange& range);

}  // namespace ration
