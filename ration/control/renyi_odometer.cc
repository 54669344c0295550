#include "ration/control/renyi_odometer.h"

#include <algorithm>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/individual/accounts_check.h"
#include "ration/individual/norms.h"

namespace ration {
namespace {

RenyiReading reading(const Levels& levels, std::span<const Order> orders,
                     std::span<const Units> totals, Delta delta) {
  const std::uint64_t level = levels.cover(totals);
  return {
      .level = level,
      .epsilon = renyi_epsilon(levels.level(level), orders, delta),
      .guarantee = {.theorem = "Renyi odometer: for each fixed level the outputs up to the last "
                               "step within it are those of a Renyi filter (Feldman, Zrnic "
                               "2021); conversion of Canonne, Kamath, Steinke (2020)",
                    .adaptive = true,
                    .certified = true}};
}

void check_parts(std::span<const Order> orders, const Levels& levels,
                 std::span<const Units> totals) {
  check_orders(orders);
  bool fit = levels.places() == orders.size() && totals.size() % orders.size() == 0;
  for (; fit && !totals.empty(); totals = totals.subspan(orders.size())) {
    fit = is_total(totals.first(orders.size()));
  }
  if (!fit) throw Error("levels, orders and totals of an odometer do not fit each other");
}

}  // namespace

Levels renyi_levels(const Budget& increment, std::span<const Order> orders) {
  return Levels::multiples(renyi_units(increment, orders));
}
Levels renyi_levels(std::span<const Budget> listed, std::span<const Order> orders) {
  std::vector<Levels::Row> rows;
  rows.reserve(listed.size());
  for (const Budget& budget : listed) rows.push_back(renyi_units(budget, orders));
  return Levels::listed(std::move(rows));
}

RenyiOdometer::RenyiOdometer(std::vector<Order> orders, Levels levels, std::vector<Units> totals)
    : orders_(std::move(orders)), levels_(std::move(levels)), spent_(std::move(totals)) {
  if (spent_.empty()) spent_.resize(orders_.size());
  check_parts(orders_, levels_, spent_);
  if (spent_.size() != orders_.size()) throw Error("totals of an odometer: give one per order");
}

std::vector<Units> RenyiOdometer::after(const Step& step) {
  std::vector<Units> total = rules_.of(step, orders_).worst_case();
  for (std::size_t k = 0; k < total.size(); ++k) total[k] = add_saturated(total[k], spent_[k]);
  return total;
}
std::uint64_t RenyiOdometer::level_after(const Step& step) { return levels_.cover(after(step)); }
RenyiReading RenyiOdometer::spent(Delta delta) const {
  return reading(levels_, orders_, spent_, delta);
}

IndividualRenyiOdometer::IndividualRenyiOdometer(std::size_t people, std::vector<Order> orders,
                                                 Levels levels)
    : orders_(std::move(orders)),
      levels_(std::move(levels)),
      spent_(people * orders_.size()),
      steps_(0) {
  check_parts(orders_, levels_, spent_);
}
IndividualRenyiOdometer::IndividualRenyiOdometer(std::vector<Order> orders, Levels levels,
                                                 std::vector<Units> totals, std::uint64_t steps)
    : orders_(std::move(orders)),
      levels_(std::move(levels)),
      spent_(std::move(totals)),
      steps_(steps) {
  check_parts(orders_, levels_, spent_);
}

// use(person, totals including the step)
template <class Real, class Use>
void IndividualRenyiOdometer::each(const Step& step, std::span<const Real> norms, const Use& use) {
  check_people(people(), norms.size(), "norms");
  check_norms(norms, steps_);
  RenyiRule& rule = rules_.of(step, orders_);
  rule.prepare(norms);
  for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
    std::vector<Units> total(orders_.size());
    for (std::size_t i = from; i < from + count; ++i) {
      rule.charge(norms[i], total);
      const Units* spent = spent_.data() + i * total.size();
      for (std::size_t k = 0; k < total.size(); ++k) total[k] = add_saturated(total[k], spent[k]);
      use(i, total);
    }
  });
}

void IndividualRenyiOdometer::levels_after(const Step& step, std::span<const float> norms,
                                           std::span<std::uint64_t> out) {
  check_people(people(), out.size(), "level entries");
  each(step, norms, [&](std::size_t i, const auto& total) { out[i] = levels_.cover(total); });
}
void IndividualRenyiOdometer::levels_after(const Step& step, std::span<const double> norms,
                                           std::span<std::uint64_t> out) {
  check_people(people(), out.size(), "level entries");
  each(step, norms, [&](std::size_t i, const auto& total) { out[i] = levels_.cover(total); });
}
void IndividualRenyiOdometer::charge(const Step& step, std::span<const float> norms) {
  each(step, norms, [&](std::size_t i, const std::vector<Units>& total) {
    std::copy(total.begin(), total.end(), spent_.data() + i * total.size());
  });
  ++steps_;
}
void IndividualRenyiOdometer::charge(const Step& step, std::span<const double> norms) {
  each(step, norms, [&](std::size_t i, const std::vector<Units>& total) {
    std::copy(total.begin(), total.end(), spent_.data() + i * total.size());
  });
  ++steps_;
}

RenyiReading IndividualRenyiOdometer::spent(std::size_t person, Delta delta) const {
  check_index("person", person, people());
  const std::size_t orders = orders_.size();
  return reading(levels_, orders_, {spent_.data() + person * orders, orders}, delta);
}

}  // namespace ration
