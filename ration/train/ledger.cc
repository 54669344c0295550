#include "ration/train/ledger.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "ration/base/error.h"
#include "ration/control/people.h"
#include "ration/individual/norms.h"

namespace ration {
namespace {

// The filter has seen all these steps, perhaps after others.
void check_filter(const IndividualFilter& filter, const Accounts& accounts) {
  std::visit(
      [&](const auto& chosen) {
        check_people(accounts.people(), chosen.people(), "budgets of the filter");
        if (chosen.steps() < accounts.steps()) {
          throw Error("ledger is wrong: its filter has seen fewer steps than were charged");
        }
      },
      filter);
}

bool is_possible(const Attendance::Person& person, std::uint64_t steps, bool filtered) {
  const std::uint64_t seen = std::uint64_t{person.admitted} + person.left_out;
  if (person.left_out == 0) return seen == steps && person.first_left_out == Attendance::kNever;
  return filtered && seen == steps && person.first_left_out <= steps - person.left_out;
}

void check_attendance(const Attendance& attendance, const Accounts& accounts, bool filtered) {
  check_people(accounts.people(), attendance.people.size(), "attendances");
  const bool possible = std::all_of(
      attendance.people.begin(), attendance.people.end(),
      [&](const auto& person) { return is_possible(person, accounts.steps(), filtered); });
  if (!possible) throw Error("ledger is wrong: an attendance does not fit the number of steps");
}

}  // namespace

Ledger::Ledger(std::size_t people, const Buckets& buckets, std::optional<IndividualFilter> filter)
    : Ledger(Accounts(people, buckets), std::move(filter),
             {.people = std::vector<Attendance::Person>(people)}) {}

Ledger::Ledger(Accounts accounts, std::optional<IndividualFilter> filter, Attendance attendance)
    : accounts_(std::move(accounts)),
      filter_(std::move(filter)),
      attendance_(std::move(attendance)),
      kept_(accounts_.people()) {
  if (filter_) check_filter(*filter_, accounts_);
  check_attendance(attendance_, accounts_, filter_.has_value());
}

void Ledger::would_admit(const Step& step, std::size_t first, std::span<const float> norms,
                         std::span<std::uint8_t> mask) const {
  if (!filter_) {
    std::fill(mask.begin(), mask.end(), std::uint8_t{1});
    return;
  }
  const auto* const gdp = std::get_if<IndividualGdpFilter>(&*filter_);
  if (gdp == nullptr) throw Error("filter is rdp: give gdp to ask who would be admitted");
  gdp->would_admit(step, first, norms, mask);
}

void Ledger::charge(const Step& step, std::span<const float> norms, std::span<std::uint8_t> mask) {
  check_people(people(), norms.size(), "norms");
  check_people(people(), mask.size(), "mask entries");
  const auto number = static_cast<std::uint32_t>(charged_steps());
  accounts_.prepare(step);  // they must not refuse what the filter has admitted
  if (filter_) {
    admit(*filter_, step, norms, mask);
  } else {
    check_norms(norms, charged_steps());
    std::fill(mask.begin(), mask.end(), std::uint8_t{1});
  }
  keep_admitted(norms, mask, number, kept_, attendance_);
  accounts_.charge(step, std::span<const float>(kept_));
}

}  // namespace ration
