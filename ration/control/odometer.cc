#include "ration/control/odometer.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/control/one_reading.h"
#include "ration/individual/accounts_check.h"

namespace ration {

Levels Levels::multiples(Row row) {
  if (row.empty() || std::find(row.begin(), row.end(), Units{0}) != row.end()) {
    throw Error(
        "levels of an odometer are too close to each other: give a larger budget per level");
  }
  return {{std::move(row)}, true};
}

Levels Levels::listed(std::vector<Row> rows) {
  bool sound = !rows.empty() && !rows.front().empty();
  for (std::size_t i = 1; sound && i < rows.size(); ++i) {
    sound = rows[i].size() == rows[i - 1].size() && rows[i] != rows[i - 1];
    for (std::size_t k = 0; sound && k < rows[i].size(); ++k) sound = rows[i][k] >= rows[i - 1][k];
  }
  if (!sound) throw Error("levels of an odometer do not increase: give each above the one before");
  return {std::move(rows), false};
}

std::uint64_t Levels::cover(std::span<const Units> totals) const {
  const auto over = [&](std::span<const Units> row) {
    return !std::equal(totals.begin(), totals.end(), row.begin(),
                       [](Units total, Units most) { return total <= most; });
  };
  if (std::all_of(totals.begin(), totals.end(), [](Units x) { return x == 0; })) return 0;
  if (!repeats_) {
    const auto found = std::find_if_not(rows_.begin(), rows_.end(), over);
    return found == rows_.end() ? kNoLevel : static_cast<std::uint64_t>(found - rows_.begin()) + 1;
  }
  std::uint64_t number = 1;
  for (std::size_t k = 0; k < totals.size(); ++k) {
    number = std::max(number, totals[k] / rows_[0][k] + (totals[k] % rows_[0][k] != 0 ? 1 : 0));
  }
  return number;
}

Row Levels::level(std::uint64_t number) const {
  Row row(places(), number == 0 ? 0 : kMostUnits);
  if (number == 0 || number == kNoLevel) return row;
  if (!repeats_) return number <= rows_.size() ? rows_[number - 1] : row;
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = multiply_saturated(rows_[0][k], number);
  return row;
}

Levels levels_of(const Currency& currency, const Budget& increment) {
  return Levels::multiples(currency.units_of(increment));
}
Levels levels_of(const Currency& currency, std::span<const Budget> listed) {
  std::vector<Row> rows;
  rows.reserve(listed.size());
  for (const Budget& budget : listed) rows.push_back(currency.units_of(budget));
  return Levels::listed(std::move(rows));
}

bool operator==(const Odometer::State& a, const Odometer::State& b) {
  return *a.currency == *b.currency && a.scope == b.scope && a.levels == b.levels &&
         a.spent == b.spent && a.steps == b.steps;
}

Odometer::Odometer(CurrencyPtr currency, Levels levels)
    : Odometer({.currency = currency,
                .scope = Scope::everybody_at_once,
                .levels = std::move(levels),
                .spent = std::vector<Units>(currency->places())}) {}

Odometer::Odometer(std::size_t people, CurrencyPtr currency, Levels levels)
    : Odometer({.currency = currency,
                .levels = std::move(levels),
                .spent = std::vector<Units>(people * currency->places())}) {}

Odometer::Odometer(State state) : state_(std::move(state)) {
  const std::size_t places = currency().places();
  bool fit = levels().places() == places && state_.spent.size() % places == 0 &&
             (scope() == Scope::each_person || state_.spent.size() == places);
  for (std::size_t i = 0; fit && i < people(); ++i) fit = is_total(total_of(i));
  if (!fit) throw Error("levels and totals of an odometer do not fit each other");
}

std::span<const Units> Odometer::total_of(std::size_t person) const {
  const std::size_t places = currency().places();
  return {state_.spent.data() + person * places, places};
}

void Odometer::check_scope(Scope asked) const {
  if (asked == scope()) return;
  throw Error(scope() == Scope::each_person
                  ? "odometer keeps totals of each person: give everybody's norms"
                  : "odometer is for everybody at once: give the step without norms");
}

std::uint64_t Odometer::level_of(std::span<const Units> total) const {
  std::array<Units, kMostPlaces> row;  // loops over people must not ask for memory
  const std::span<Units> budget(row.data(), total.size());
  std::copy(total.begin(), total.end(), budget.begin());
  currency().raise_to_budget(budget);
  return levels().cover(budget);
}
Row Odometer::after(Row charge) const {
  check_scope(Scope::everybody_at_once);
  add_to(charge.data(), state_.spent);
  return charge;
}
std::uint64_t Odometer::level_after(const Step& step) {
  return level_of(after(prices_.of(currency(), step).worst_case()));
}
std::uint64_t Odometer::level_after(Mu mu) const { return level_of(after(currency().charge(mu))); }
void Odometer::record(const Step& step) {
  state_.spent = after(prices_.of(currency(), step).worst_case());
}
void Odometer::record(Mu mu) { state_.spent = after(currency().charge(mu)); }

// use(person, totals including the step)
template <class Use>
void Odometer::each(const Step& step, const Norms& norms, const Use& use) {
  check_scope(Scope::each_person);
  Price& price = prices_.of(currency(), step);
  check_people(people(), size_of(norms), "norms");
  const OwnNorms own(norms, state_.steps);
  price.prepare(own.all());
  for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
    price.each_charge(own.part(from, count), [&](std::size_t i, std::span<Units> total) {
      add_to(total.data(), total_of(from + i));
      use(from + i, std::span<const Units>(total));
    });
  });
}

void Odometer::levels_after(const Step& step, const Norms& norms, std::span<std::uint64_t> out) {
  check_people(people(), out.size(), "level entries");
  each(step, norms, [&](std::size_t i, std::span<const Units> total) { out[i] = level_of(total); });
}
void Odometer::record(const Step& step, const Norms& norms) {
  each(step, norms, [&](std::size_t i, std::span<const Units> total) {
    std::copy(total.begin(), total.end(), state_.spent.data() + i * total.size());
  });
  ++state_.steps;
}

namespace {
constexpr Bound kAnything = {.lower = 0, .upper = std::numeric_limits<double>::infinity()};
}  // namespace

Bound Odometer::worth(std::uint64_t level, Delta delta) const {
  return level == kNoLevel ? kAnything : currency().epsilon(levels().level(level), delta);
}

Reading Odometer::reading(std::size_t person, Delta delta) const {
  check_index("person", person, people());
  const std::uint64_t level = level_of(total_of(person));
  const std::optional<Bound> mu = currency().mu(levels().level(level));
  return {.level = level,
          .epsilon = worth(level, delta),
          .mu = mu && level == kNoLevel ? kAnything : mu,
          .guarantee = currency().odometer_guarantee()};
}

std::vector<std::uint64_t> Odometer::reached() const {
  std::vector<std::uint64_t> all(people());
  for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) all[i] = level_of(total_of(i));
  });
  return all;
}

// Many people share few levels.
std::vector<Bound> Odometer::reached(Delta delta) const {
  std::map<std::uint64_t, Bound> known;
  std::vector<Bound> all;
  all.reserve(people());
  for (const std::uint64_t level : reached()) {
    const auto [found, is_new] = known.try_emplace(level);
    if (is_new) found->second = worth(level, delta);
    all.push_back(found->second);
  }
  return all;
}

}  // namespace ration
