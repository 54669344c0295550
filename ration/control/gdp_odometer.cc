#include "ration/control/gdp_odometer.h"

#include <utility>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/individual/accounts_check.h"
#include "ration/individual/norms.h"

namespace ration {
namespace {

GdpReading reading(const Levels& levels, Units total) {
  const std::uint64_t level = levels.cover({&total, 1});
  return {.level = level,
          .mu = mu_of(levels.level(level)[0], 0),
          .guarantee = {.theorem = "Gaussian DP odometer: for each fixed level the outputs up to "
                                   "the last step within it are those of a Gaussian DP filter "
                                   "(Koskela, Tobaben, Honkela 2023)",
                        .adaptive = true,
                        .certified = true}};
}

void check_places(const Levels& levels) {
  if (levels.places() != 1) throw Error("levels of a GDP odometer have several orders: give one");
}

}  // namespace

Levels gdp_levels(const Budget& increment) { return Levels::multiples({gdp_units(increment)}); }
Levels gdp_levels(std::span<const Budget> listed) {
  std::vector<Levels::Row> rows;
  rows.reserve(listed.size());
  for (const Budget& budget : listed) rows.push_back({gdp_units(budget)});
  return Levels::listed(std::move(rows));
}

GdpOdometer::GdpOdometer(Levels levels, Units spent) : levels_(std::move(levels)), spent_(spent) {
  check_places(levels_);
}

std::uint64_t GdpOdometer::after(Units charge) const {
  const Units total = add_saturated(spent_, charge);
  return levels_.cover({&total, 1});
}
std::uint64_t GdpOdometer::level_after(const Step& step) const {
  refuse_rate_below_one(step);
  return after(SpendRule(step).worst_case());
}
void GdpOdometer::charge(const Step& step) {
  refuse_rate_below_one(step);
  spent_ = add_saturated(spent_, SpendRule(step).worst_case());
}
GdpReading GdpOdometer::spent() const { return reading(levels_, spent_); }

IndividualGdpOdometer::IndividualGdpOdometer(Levels levels, std::vector<Units> spent,
                                             std::uint64_t steps)
    : levels_(std::move(levels)), spent_(std::move(spent)), steps_(steps) {
  check_places(levels_);
}

// use(person, total including the step)
template <class Real, class Use>
void IndividualGdpOdometer::each(const Step& step, std::span<const Real> norms,
                                 const Use& use) const {
  refuse_rate_below_one(step);
  check_people(people(), norms.size(), "norms");
  check_norms(norms, steps_);
  const SpendRule rule(step);
  for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
    std::vector<Units> charge(count);
    charges(rule, norms.subspan(from, count), charge);
    for (std::size_t i = 0; i < count; ++i) {
      use(from + i, add_saturated(spent_[from + i], charge[i]));
    }
  });
}

void IndividualGdpOdometer::levels_after(const Step& step, std::span<const float> norms,
                                         std::span<std::uint64_t> out) const {
  check_people(people(), out.size(), "level entries");
  each(step, norms, [&](std::size_t i, Units total) { out[i] = levels_.cover({&total, 1}); });
}
void IndividualGdpOdometer::levels_after(const Step& step, std::span<const double> norms,
                                         std::span<std::uint64_t> out) const {
  check_people(people(), out.size(), "level entries");
  each(step, norms, [&](std::size_t i, Units total) { out[i] = levels_.cover({&total, 1}); });
}
void IndividualGdpOdometer::charge(const Step& step, std::span<const float> norms) {
  each(step, norms, [&](std::size_t i, Units total) { spent_[i] = total; });
  ++steps_;
}
void IndividualGdpOdometer::charge(const Step& step, std::span<const double> norms) {
  each(step, norms, [&](std::size_t i, Units total) { spent_[i] = total; });
  ++steps_;
}

GdpReading IndividualGdpOdometer::spent(std::size_t person) const {
  check_index("person", person, people());
  return reading(levels_, spent_[person]);
}

}  // namespace ration
