#include "ration/ledger/people_csv.h"

#include <fmt/format.h>

#include <map>

#include "ration/base/error.h"
#include "ration/base/ids.h"
#include "ration/file/atomic_file.h"
#include "ration/file/csv_rows.h"
#include "ration/file/open_file.h"

namespace ration::ledger {

PeopleTable read_people(const std::filesystem::path& file, const PeopleColumns& columns,
                        const std::string& argument) {
  const MappedFile mapped(file, "the name of a CSV file of people (" + argument + ")");
  const std::string source = file.string();
  csv::Rows rows(mapped.bytes(), source);
  const std::size_t id = rows.column(columns.id);
  const std::size_t number = columns.number ? rows.column(*columns.number) : 0;
  PeopleTable table;
  table.ids.reserve(rows.count());
  std::vector<std::size_t> lines;
  while (rows.next()) {
    const std::string_view cell = rows.cells()[id];
    if (cell.empty()) throw Error(rows.where(id) + " is empty: give everybody an id");
    if (csv::trimmed(cell) != cell) {
      throw Error(rows.where(id) + " has blanks around it: one person would have two ids");
    }
    table.ids.emplace_back(cell);
    lines.push_back(rows.line());
    if (!columns.number) continue;
    const auto value = csv::number_in<double>(rows.cells()[number]);
    if (!value) throw Error(rows.where(number) + " is no number: give one");
    table.numbers.push_back(*value);
  }
  if (const auto both = repeated_id(table.ids, order_of_ids(table.ids))) {
    throw Error(fmt::format("{} has the same id in lines {} and {}: give each person once", source,
                            lines[both->first], lines[both->second]));
  }
  return table;
}

Budgets budgets_of(std::span<const double> epsilons, Delta delta) {
  Budgets budgets;
  std::map<double, std::uint32_t> kinds;
  for (const double epsilon : epsilons) {
    const auto [kind, fresh] = kinds.emplace(epsilon, static_cast<std::uint32_t>(kinds.size()));
    if (fresh) budgets.kinds.emplace_back(EpsilonBudget{.epsilon = epsilon, .delta = delta});
    budgets.kind_of.push_back(kind->second);
  }
  return budgets;
}

void write_totals(const std::filesystem::path& file, Ledger& ledger) {
  const std::vector<std::string> ids = ledger.ids();
  const Ledger::Totals totals = ledger.totals();
  if (ids.size() != totals.spent.size()) throw Error("people were added meanwhile: try again");
  PrivateFile out(file);
  out.write("id,budget,spent,reserved,left\n");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    out.write(fmt::format("{},{},{},{},{}\n", csv::cell_of(ids[i]),
                          rounded_up(totals.budget[i].upper), rounded_up(totals.spent[i].upper),
                          rounded_up(totals.reserved[i].upper),
                          rounded_down(totals.left[i].lower)));
  }
  out.commit();
}

void write_mask(const std::filesystem::path& file, std::span<const std::string> ids,
                std::span<const std::uint8_t> mask) {
  PrivateFile out(file);
  out.write("id,takes_part\n");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    out.write(fmt::format("{},{}\n", csv::cell_of(ids[i]), mask[i]));
  }
  out.commit();
}

}  // namespace ration::ledger
