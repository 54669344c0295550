// The odometer: says what was spent so far, as the first of the levels B_1 < B_2 < ... fixed in
// advance that covers it. What is guaranteed, for each level: all outputs up to the last step at
// which it held are within that level together. An odometer halts nobody. It serves in any
// currency, for everybody at once or for each person, whose totals and levels are private.
// For one caller at a time; OpenMP inside. docs/math/filters.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "ration/control/currency.h"

namespace ration {

// Beyond the last level nothing is said.
inline constexpr std::uint64_t kNoLevel = std::numeric_limits<std::uint64_t>::max();

// Rows of totals, one entry for each place of the currency. Level 0 is nothing at all. Where a
// level is kMostUnits it says nothing. Values.
class Levels {
 public:
  // Once, twice, three times ... this row. Refuses a row with a zero in it.
  static Levels multiples(Row row);
  // These, each at least the one before in every place and above it in one.
  static Levels listed(std::vector<Row> rows);

  // The first level that is not below these totals in any place, or kNoLevel.
  std::uint64_t cover(std::span<const Units> totals) const;
  // What a level holds; kMostUnits (no bound) for kNoLevel.
  Row level(std::uint64_t number) const;

  std::size_t places() const { return rows_.front().size(); }
  const std::vector<Row>& rows() const { return rows_; }
  bool repeats() const { return repeats_; }
  friend bool operator==(const Levels&, const Levels&) = default;

 private:
  Levels(std::vector<Row> rows, bool repeats) : rows_(std::move(rows)), repeats_(repeats) {}

  std::vector<Row> rows_;
  bool repeats_;
};

// Levels at once, twice, ... the units of a budget, or at the budgets listed.
Levels levels_of(const Currency& currency, const Budget& increment);
Levels levels_of(const Currency& currency, std::span<const Budget> listed);

struct Reading {
  std::uint64_t level;
  // Of the level: eps at the delta asked for, and mu where the currency has one. Beyond the last
  // level anything from 0 to infinity.
  Bound epsilon;
  std::optional<Bound> mu;
  Guarantee guarantee;
};

class Odometer {
 public:
  Odometer(CurrencyPtr currency, Levels levels);                      // for everybody at once
  Odometer(std::size_t people, CurrencyPtr currency, Levels levels);  // for each of these people

  // All that it remembers; an odometer built from it goes on the same.
  struct State {
    CurrencyPtr currency;
    Scope scope = Scope::each_person;
    Levels levels;
    std::vector<Units> spent = {};  // people x places
    std::uint64_t steps = 0;        // seen so far; not counted for everybody at once
    friend bool operator==(const State& a, const State& b);
  };
  // Refuses what no steps lead to.
  explicit Odometer(State state);
  const State& state() const { return state_; }

  // For everybody at once: the level that will hold after a step, at its worst case, or after any
  // mu-GDP mechanism. Ask before running it, then record it.
  std::uint64_t level_after(const Step& step);
  std::uint64_t level_after(Mu mu) const;
  void record(const Step& step);
  void record(Mu mu);

  // The same for each person. Refuses as Filter::admit does; then nobody is charged.
  void levels_after(const Step& step, const Norms& norms, std::span<std::uint64_t> out);
  void record(const Step& step, const Norms& norms);

  const Currency& currency() const { return *state_.currency; }
  Scope scope() const { return state_.scope; }
  const Levels& levels() const { return state_.levels; }
  std::size_t people() const { return state_.spent.size() / currency().places(); }
  std::uint64_t steps() const { return state_.steps; }

  // What holds now, of one person and of everybody.
  Reading reading(std::size_t person, Delta delta) const;
  std::vector<std::uint64_t> reached() const;
  std::vector<Bound> reached(Delta delta) const;
  Guarantee guarantee() const { return currency().odometer_guarantee(); }

 private:
  void check_scope(Scope asked) const;
  std::span<const Units> total_of(std::size_t person) const;
  Bound worth(std::uint64_t level, Delta delta) const;
  std::uint64_t level_of(std::span<const Units> total) const;
  Row after(Row charge) const;
  template <class Use>
  void each(const Step& step, const Norms& norms, const Use& use);

  State state_;
  Prices prices_;
};

}  // namespace ration
