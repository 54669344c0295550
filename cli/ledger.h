// What the commands of a ledger share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/options.h"
#include "ration/control/currency.h"
#include "ration/file/inputs_and_outputs.h"

namespace ration::cli {

// A command of `ledger`, which takes its location first: a file or a URL.
CLI::App* add_ledger_command(CLI::App& ledger, const std::string& name, const std::string& help,
                             std::string& file);
// The ledger, and the journal that SQLite keeps beside it: no output may take their place. None
// of one on a server.
NamedFiles files_of(const std::string& ledger);
// The commands that take budgets from people, or give them back.
void add_grant_commands(CLI::App& ledger);

struct BudgetOptions {
  Text epsilon, mu;
};
void add_to(CLI::App& command, BudgetOptions& options, const std::string& whose);
// Refuses both; none if none is given.
std::optional<Budget> budget_of(const BudgetOptions& options, Delta delta);

}  // namespace ration::cli
