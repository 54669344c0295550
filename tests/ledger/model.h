// A ledger as plain lists of whole numbers, and random changes that are made to both. One place of
// units (Gaussian DP). A change follows from its number and the model alone, so that whoever has
// the same model makes the same one.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ration/control/gdp_currency.h"
#include "ration/ledger/ledger.h"

namespace ration::ledger {

struct Model {
  struct Reserved {
    std::vector<std::size_t> who;
    std::vector<Units> units;
    bool everybody, started;
    std::optional<double> limit;
  };
  std::vector<std::string> ids;
  std::vector<Units> budgets, spent, reserved;
  std::map<std::string, Reserved> open;

  friend bool operator==(const Model& a, const Model& b) {
    return a.ids == b.ids && a.spent == b.spent && a.reserved == b.reserved;
  }
  Units left(std::size_t i) const { return budgets[i] - spent[i] - reserved[i]; }
};

struct Change {
  enum class Kind { add, grant, start, settle, settle_everything, give_up, admit } kind;
  std::string token;
  std::vector<std::size_t> who;
  bool everybody = false;
  std::optional<double> limit = {};
  std::vector<Units> charges = {};
  std::vector<double> norms = {};
  double noise = 1;
};
// What it was answered with: reserves, or who takes part.
using Answer = std::vector<Units>;

NewPeople some_people(std::size_t first, std::size_t count);
Model model_of(const NewPeople& people);
Change random_change(const Model& model, std::uint64_t number, unsigned seed);
Answer apply(Model& model, const Change& change);
// Once more with the same change: the same answer, and nothing happens.
Answer apply(Ledger& ledger, const Model& before, const Change& change);
// What a ledger holds, in units.
Model model_in(Storage& storage);

}  // namespace ration::ledger
