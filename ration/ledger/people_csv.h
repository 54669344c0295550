// People as CSV files: read with a column of ids and, if asked for, one of numbers beside it;
// written for the owner alone. Refusals name the line and never an id or a value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ration/ledger/ledger.h"

namespace ration::ledger {

struct PeopleColumns {
  std::string id;
  std::optional<std::string> number = {};
};
struct PeopleTable {
  std::vector<std::string> ids;
  std::vector<double> numbers;  // empty without a column of them
};

// Refuses a column that the file does not have, an id that is missing or there twice, and what is
// no number. `argument` is what a refusal of the file names.
PeopleTable read_people(const std::filesystem::path& file, const PeopleColumns& columns,
                        const std::string& argument);

// Everybody's own epsilon as kinds of budgets.
Budgets budgets_of(std::span<const double> epsilons, Delta delta);

// Everybody's budget, spends, reserve and what they have left, as eps: never below what is spent
// and never above what is left. For the owner: a private file. And who takes part in a query.
void write_totals(const std::filesystem::path& file, Ledger& ledger);
void write_mask(const std::filesystem::path& file, std::span<const std::string> ids,
                std::span<const std::uint8_t> mask);

}  // namespace ration::ledger
