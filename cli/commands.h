// The commands of the program. Each adds its options, help and example to the app, and an action
// that runs when the command was given.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ration::cli {

void add_convert(CLI::App& app);
void add_compose(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_account(CLI::App& app);
void add_train(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_report(CLI::App& app);
void add_ledger(CLI::App& app);
void add_completion(CLI::App& app);  // of all commands that were added before
void add_manual(CLI::App& app);      // likewise
void add_help(CLI::App& app);

// What the program prints when it is asked for nothing.
std::string help_of(const CLI::App& app);

}  // namespace ration::cli
