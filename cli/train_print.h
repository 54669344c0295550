// How `ration train` shows what it will promise, and what came out. Never who took part, nor how
// many: that is for the private file of the run.
#pragma once

#include "ration/train/run.h"

namespace ration::cli {

// Before anything is read.
void print_plan_table(const train::Settings& settings);
void print_plan_json(const train::Settings& settings);

void print_results_table(const results::Results& results);
void print_results_json(const results::Results& results);  // as summary.json says it

}  // namespace ration::cli
