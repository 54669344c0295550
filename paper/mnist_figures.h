// The figures of the MNIST experiment, from the accounts of a run: charts, tables, and what is
// claimed about them. `here` says how the run was made. Private. Pure functions, on all cores.
#pragma once

#include <string>

#include "paper/figure.h"
#include "paper/mnist_run.h"
#include "ration/base/values.h"

namespace ration {

Figure figure_of_chosen(const MnistRun& run, const std::string& here);
Figure figure_of_everybody(const MnistRun& run, Delta delta, const std::string& here);

}  // namespace ration
