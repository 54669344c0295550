// What spends are counted in. A charge is a short row of whole units: one place under Gaussian DP
// (gdp_currency.h), one for each order under Renyi DP (renyi_currency.h). A currency knows what a
// budget is worth, what a step costs, and what a total says as eps; filters and odometers do the
// rest, alike for all. Currencies are values that never change: safe from any thread.
//
// A new one is a file that implements this interface, and its name in the two lists in currency.cc.
// docs/math/filters.md
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/control/purse.h"
#include "ration/individual/step.h"
#include "ration/individual/units.h"

namespace ration {

// What a person may spend, as plain data; what it is worth in whole units is for a currency to say.
struct MuBudget {
  Mu mu;
};
struct EpsilonBudget {
  Epsilon epsilon;
  Delta delta;
  // For Renyi filters along a curve of orders: the budget is a multiple of this step's curve; by
  // default of the Gaussian one, order / 2.
  std::optional<Step> shape = {};
};
// As much as this number of steps costs a person whose norm is at the clip bound: exactly as many
// fit.
struct StepsBudget {
  Step step;
  Steps steps;
};
using Budget = std::variant<MuBudget, EpsilonBudget, StepsBudget>;

// One budget for everybody (`kind_of` empty), or that of person i is kinds[kind_of[i]].
struct Budgets {
  std::vector<Budget> kinds;
  std::vector<std::uint32_t> kind_of = {};
};
// Refuses lists that do not fit each other or this many people.
void check_budgets(const Budgets& budgets, std::size_t people);

// One unit below kMostUnits: a charge that stopped counting there fits into no budget.
inline constexpr Units kLargestBudget = kMostUnits - 1;

// Everybody's norms at one step, before clipping, in either precision.
using Norms = std::variant<std::span<const float>, std::span<const double>>;
inline std::size_t size_of(const Norms& norms) {
  return std::visit([](auto all) { return all.size(); }, norms);
}
inline Norms part_of(const Norms& norms, std::size_t from, std::size_t count) {
  return std::visit([&](auto all) -> Norms { return all.subspan(from, count); }, norms);
}

class SpendRule;

inline constexpr std::size_t kMostPlaces = 4096;

// What one step costs anybody, in one currency. For one caller at a time while it is prepared.
class Price {
 public:
  explicit Price(std::size_t places) : places_(places) {}  // at most kMostPlaces
  virtual ~Price() = default;

  // Whether charges can be told of any norm at once. If not, everybody's are prepared first.
  virtual bool is_ready() const { return true; }
  virtual void prepare(const Norms& /*norms*/) {}

  // The charges of people whose norms are valid and prepared, people x places, in the default float
  // environment: never below what is true. Zero in every place for norm zero, and in none for any
  // other.
  virtual void charges(const Norms& norms, Units* out) const = 0;
  // Of somebody whose norm is at the clip bound.
  virtual Row worst_case() const = 0;

  // Charges those whose charge fits into their budget: mask[i] becomes 1, and 0 for the others.
  virtual void admit(const Norms& norms, const Purses& purses, std::uint8_t* mask) const;

  // For one person and their charge, which costs what it says unless a currency makes it depend on
  // what is left: how often in a row it fits, at most `most`; pays it so often, if it fits; takes
  // back the last one that was paid.
  virtual std::uint32_t times_that_fit(std::span<const Units> charge, const Units* spent,
                                       const Units* budget, std::uint32_t most) const {
    return ration::times_that_fit(charge, spent, budget, most);
  }
  virtual void pay(std::span<const Units> charge, Units* spent, const Units* /*budget*/,
                   std::uint32_t times) const {
    if (times != 0) add_to(spent, charge, times);
  }
  virtual void give_back(std::span<const Units> charge, Units* spent,
                         const Units* /*budget*/) const {
    for (std::size_t k = 0; k < charge.size(); ++k) spent[k] -= charge[k];
  }

  // Where a charge is the square of a norm, the rule of it: the last contribution can be scaled to
  // what is left.
  virtual const SpendRule* square_rule() const { return nullptr; }

  // use(i, charge of person i), one after the other.
  template <class Use>
  void each_charge(const Norms& norms, const Use& use) const {
    const std::size_t people = size_of(norms);
    const std::size_t block = std::max<std::size_t>(1, kInCache / places_);
    std::array<Units, kMostPlaces> charge;  // loops over people must not ask for memory
    for (std::size_t from = 0; from < people; from += block) {
      const std::size_t count = std::min(block, people - from);
      charges(part_of(norms, from, count), charge.data());
      for (std::size_t i = 0; i < count; ++i) {
        use(from + i, std::span<Units>(charge.data() + i * places_, places_));
      }
    }
  }

 private:
  static constexpr std::size_t kInCache = 1024;  // units

  std::size_t places_;
};

// For whom a filter or an odometer keeps totals.
enum class Scope {
  everybody_at_once,  // one row of totals: each step is charged at its worst case
  each_person
};

class Currency {
 public:
  virtual ~Currency() = default;

  // As options and settings call it, and as the kinds of state files do.
  virtual std::string_view name() const = 0;
  virtual std::string_view state_name() const { return name(); }
  // What else a state file holds of it: lists of numbers, by the names of their sections.
  using Numbers = std::vector<std::pair<std::string_view, std::vector<double>>>;
  virtual Numbers numbers() const { return {}; }

  virtual std::size_t places() const = 0;
  virtual bool takes_sampling() const = 0;  // steps at a rate below 1
  // How budgets are kept: a row for each person, or a few kinds and everybody's kind.
  virtual bool has_kinds() const = 0;

  // What a budget is worth, never above what was given. kMostUnits in places that it does not
  // limit, which are not all of them. Refuses what is beyond counting.
  virtual Row units_of(const Budget& budget) const = 0;
  // Refuses a step that the currency has no account of.
  virtual std::unique_ptr<Price> price(const Step& step) const = 0;
  // The charge of any mu-GDP mechanism, never below what is true.
  virtual Row charge(Mu mu) const = 0;

  // Does a step cost the same whatever is left? Else totals say nothing by themselves, and several
  // runs cannot draw on one budget.
  virtual bool has_fixed_prices() const { return true; }
  // Totals become the least budget under which they may have come about, whatever was left of it
  // then. With fixed prices they are that themselves.
  virtual void raise_to_budget(std::span<Units> /*totals*/) const {}

  // What budgets say, and totals that were raised to one: eps at this delta, of one row and of
  // many. Infinite where every place is kMostUnits.
  virtual Bound epsilon(std::span<const Units> row, Delta delta) const = 0;
  virtual std::vector<Bound> epsilons(std::span<const Units> rows, Delta delta) const;
  // The same as a GDP parameter, where totals have one.
  virtual std::optional<Bound> mu(std::span<const Units> /*row*/) const { return std::nullopt; }

  virtual Guarantee filter_guarantee(Scope scope) const = 0;
  virtual Guarantee odometer_guarantee() const = 0;
};

using CurrencyPtr = std::shared_ptr<const Currency>;
bool operator==(const Currency& a, const Currency& b);

// "gdp" or "rdp". Refuses "pld" and "tight", which needs to know steps and budget
// (tight_currency.h), with the reason, and everything else. Orders are those of rdp, by default
// default_orders(); gdp takes none.
CurrencyPtr currency_named(std::string_view name, std::vector<Order> orders = {});
// How state files hold a currency: under this name, with sections of numbers that it is made from.
struct CurrencyInState {
  std::string_view state_name;
  std::vector<std::string_view> sections;
  CurrencyPtr (*made_from)(std::span<const std::vector<double>> numbers);  // of each section
};
const CurrencyInState* currency_in_state(std::string_view state_name);  // null if unknown

// The prices of the last few kinds of steps: some take time to work out. A copy starts with none,
// so that no two owners prepare the same price.
class Prices {
 public:
  Prices() = default;
  Prices(const Prices& /*other*/) {}
  Prices& operator=(const Prices& other) {
    if (this != &other) recent_.clear();
    return *this;
  }
  Prices(Prices&&) = default;
  Prices& operator=(Prices&&) = default;
  ~Prices() = default;

  Price& of(const Currency& currency, const Step& step);

 private:
  std::vector<std::pair<Step, std::unique_ptr<Price>>> recent_;
};

}  // namespace ration
