// How `ration train` shows what it will promise, and what came out. Never who took part, nor how
// many: that is for the private file of the run.
#pragma once

#include "ration/train/run.h"

namespace ration::cli {

// Before anything is read.
void print_plan_table(const train::Settings& settings);
void print_plan_json(const train::Settings& settings);

void print_outcome_table(const train::Outcome& outcome);
void print_outcome_json(const train::Outcome& outcome);
void write_summary(const train::Outcome& outcome);  // the same document, into the run directory

}  // namespace ration::cli
