// Options that several commands take, with one text and one check each.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>

#include "ration/compose/compose.h"

namespace ration::cli {

// An option whose value is still text: the library's types check numbers, so that the program and
// the library refuse the same things in the same words.
using Text = std::optional<std::string>;

// The whole text as a number, or a refusal that names the option.
double number(const std::string& option, const std::string& text);
double whole(const std::string& option, const std::string& text, double least, double most);
// One of `people`, by their id or, if they have none, by their place in the data.
std::size_t person(const std::string& option, const std::string& text, std::size_t people,
                   std::span<const std::string> ids = {});

struct MechanismOptions {
  Text noise, rate, steps;
};
void add_to(CLI::App& command, MechanismOptions& options);
double noise_of(const MechanismOptions& options);
double rate_of(const MechanismOptions& options);  // 1 if not given
double steps_of(const MechanismOptions& options);

struct AccountingOptions {
  Text method, orders, accuracy, grid;
};
void add_to(CLI::App& command, AccountingOptions& options);
Accounting accounting_of(const AccountingOptions& options);

// How many people of one household are protected together; 1 if it is not given.
void add_household(CLI::App& command, Text& household);
int household_of(const Text& household);

// Throws what the program prints when an option is missing.
double required(const std::string& option, const Text& text);

}  // namespace ration::cli
