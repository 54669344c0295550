#include "ration/train/ledger.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/individual/norms.h"

namespace ration {
namespace {

constexpr std::uint32_t kAny = 0xffffffff;  // repeats: more than there can be steps after a first
// Like steps that are charged one by one before it pays to count the next ones: working out what
// everybody can afford, and settling, takes as long as that.
constexpr std::uint32_t kOneByOne = 4;

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
    : books_{.accounts = std::move(accounts),
             .filter = std::move(filter),
             .attendance = std::move(attendance)},
      kept_(books_.accounts.people()) {
  if (books_.filter) check_filter(*books_.filter, books_.accounts);
  check_attendance(books_.attendance, books_.accounts, books_.filter.has_value());
}

void Ledger::charge(const Step& step, std::span<const float> norms, std::span<std::uint8_t> mask) {
  check_people(people(), norms.size(), "norms");
  check_people(people(), mask.size(), "mask entries");
  const bool repeated = is_repeated(step, norms);
  if (repeated && one_by_one_ >= kOneByOne && charged_steps() < Accounts::kMostSteps) {
    return repeat(mask);
  }
  settled();
  charge_new(step, norms, mask);
  one_by_one_ = repeated ? one_by_one_ + 1 : 1;
}

// Compared bit for bit: what is the same then is the same for every rule, and as valid as it was.
bool Ledger::is_repeated(const Step& step, std::span<const float> norms) const {
  return last_ && step.noise == double{last_->step.noise} &&
         step.clip == double{last_->step.clip} && step.rate == double{last_->step.rate} &&
         std::memcmp(norms.data(), last_->norms.data(), norms.size_bytes()) == 0;
}

// Who cannot afford the step cannot afford the next one like it: they pay nothing in between.
void Ledger::repeat(std::span<std::uint8_t> mask) {
  std::vector<std::uint32_t>& affordable = last_->affordable;
  if (affordable.empty()) {
    std::vector<std::uint32_t> times(people(), kAny);
    if (books_.filter) could_admit(*books_.filter, last_->step, last_->norms, kAny, times);
    affordable = std::move(times);
  }
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = static_cast<std::uint8_t>(repeats_ < affordable[i]);
  }
  ++repeats_;
}

void Ledger::charge_new(const Step& step, std::span<const float> norms,
                        std::span<std::uint8_t> mask) {
  auto& [accounts, filter, attendance] = books_;
  accounts.prepare(step);  // they must not refuse what the filter has admitted
  if (filter) {
    admit(*filter, step, norms, mask);
  } else {
    check_norms(norms, accounts.steps());
    std::fill(mask.begin(), mask.end(), std::uint8_t{1});
  }
  keep_admitted(norms, mask, static_cast<std::uint32_t>(accounts.steps()), kept_, attendance);
  accounts.record(step, std::span<const float>(kept_));
  if (!last_) last_ = Last{.step = step, .norms = {}, .affordable = {}};
  last_->step = step;
  last_->norms.assign(norms.begin(), norms.end());
  last_->affordable.clear();
}

const Ledger::Books& Ledger::settled() const {
  if (repeats_ == 0) return books_;
  auto& [accounts, filter, attendance] = books_;
  std::vector<std::uint32_t> times(people(), repeats_);
  if (filter) admit_repeatedly(*filter, last_->step, last_->norms, repeats_, times);
  count_repeated(times, static_cast<std::uint32_t>(accounts.steps()), repeats_, attendance);
  accounts.record_repeatedly(last_->step, last_->norms, repeats_, times);
  repeats_ = one_by_one_ = 0;
  last_->affordable.clear();
  return books_;
}

}  // namespace ration
