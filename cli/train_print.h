// How `ration train` shows what it will promise, and what came out. Never who took part: that is
// for the private file of the run. How many were left out, how everybody's eps are spread, and a
// warning that a filter stopped nearly all of them, are for people to read, marked as private, and
// not for other programs.
#pragma once

#include <optional>

#include "ration/train/run.h"

namespace ration::cli {

// Before anything is read; with what a ledger would be asked for.
void print_plan_table(const train::Settings& settings, const std::optional<train::LedgerAsk>& ask);
void print_plan_json(const train::Settings& settings, const std::optional<train::LedgerAsk>& ask);

void print_results_table(const results::Results& results);
void print_results_json(const results::Results& results);  // as summary.json says it

}  // namespace ration::cli
