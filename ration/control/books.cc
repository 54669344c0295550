#include "ration/control/books.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/people.h"

namespace ration {
namespace {

constexpr std::uint32_t kAny = 0xffffffff;  // repeats: more than there can be steps after a first
// Like steps that are charged one by one before it pays to count the next ones: working out what
// everybody can afford, and entering the repeats, takes as long as that.
constexpr std::uint32_t kOneByOne = 4;

// The filter has seen all these steps, perhaps after others.
void check_filter(const Filter& filter, const Accounts& accounts) {
  check_people(accounts.people(), filter.people(), "budgets of the filter");
  if (filter.steps() < accounts.steps()) {
    throw Error("books are wrong: their filter has seen fewer steps than were charged");
  }
}

template <class Real>
void keep_admitted(std::span<const Real> norms, std::span<const std::uint8_t> mask,
                   std::span<Real> paid) {
#pragma omp parallel for schedule(static) if (norms.size() > 65536)
  for (std::size_t i = 0; i < norms.size(); ++i) paid[i] = mask[i] != 0 ? norms[i] : Real{0};
}

}  // namespace

template <class Real>
void admit_and_charge(const Step& step, const NormTable<Real>& norms, Filter& filter,
                      Accounts& accounts, const Admitted<Real>& admitted,
                      const OnAdmitted& on_admitted) {
  const std::size_t people = norms.people;
  check_people(accounts.people(), people, "norms");
  check_people(people, filter.people(), "budgets of the filter");
  check_people(people, admitted.mask.size(), "mask entries");
  if (admitted.paid.size() < norms.steps * people) {
    refuse("room for what is paid", fmt::format("{} norms", admitted.paid.size()),
           fmt::format("{}, one for each step and person", norms.steps * people));
  }
  // Accounts must not refuse what the filter has admitted.
  accounts.prepare(step);
  if (norms.steps > Accounts::kMostSteps - accounts.steps()) {
    refuse("number of steps", fmt::format("{} after {}", norms.steps, accounts.steps()),
           "at most 4294967295 in all");
  }
  const std::span<const Real> paid = admitted.paid;
  std::size_t decided = 0;
  const auto charge_decided = [&] {
    accounts.record(step, norm_table(paid.first(decided * people), people));
  };
  const std::uint64_t before = accounts.steps();
  try {
    while (decided < norms.steps) {
      filter.admit(step, norms.row(decided), admitted.mask);
      keep_admitted<Real>(norms.row(decided), admitted.mask,
                          admitted.paid.subspan(decided * people, people));
      ++decided;
      if (on_admitted) on_admitted(before + decided, admitted.mask);
    }
  } catch (...) {
    charge_decided();  // what the filter has let in is never forgotten
    throw;
  }
  charge_decided();
}

void Books::Settled::would_admit(const Step& step, std::size_t first, std::span<const float> norms,
                                 std::span<std::uint8_t> mask) const {
  if (filter) return filter->would_admit(step, first, norms, mask);
  std::fill(mask.begin(), mask.end(), std::uint8_t{1});
}

Books::Books(std::size_t people, const Buckets& buckets, std::optional<Filter> filter)
    : Books(Settled{.accounts = Accounts(people, buckets),
                    .filter = std::move(filter),
                    .attendance = {.people = std::vector<Attendance::Person>(people)}}) {}

Books::Books(Settled saved) : books_(std::move(saved)) {
  const auto& [accounts, filter, attendance] = books_;
  if (filter) check_filter(*filter, accounts);
  check_people(people(), attendance.people.size(), "attendances");
  check_attendance(attendance, accounts.steps(), filtered());
}

void Books::charge(const Step& step, std::span<const float> norms, std::span<std::uint8_t> mask) {
  check_people(people(), norms.size(), "norms");
  check_people(people(), mask.size(), "mask entries");
  const bool repeated = is_repeated(step, norms);
  if (repeated && one_by_one_ >= kOneByOne && charged_steps() < Accounts::kMostSteps) {
    return repeat(mask);
  }
  enter_repeats();
  charge_rows<float>(
      step, {.data = norms.data(), .steps = 1, .people = norms.size(), .stride = norms.size()},
      mask, {});
  if (!filtered()) std::fill(mask.begin(), mask.end(), std::uint8_t{1});
  one_by_one_ = repeated ? one_by_one_ + 1 : 1;
  if (!last_) last_ = Last{.step = step, .norms = {}, .affordable = {}};
  last_->step = step;
  last_->norms.assign(norms.begin(), norms.end());
}

template <class Real>
void Books::charge(const Step& step, const NormTable<Real>& norms, const OnAdmitted& on_admitted) {
  enter_repeats();
  last_.reset();
  if (filtered()) mask_.resize(people());
  charge_rows(step, norms, mask_, on_admitted);
}

template <class Real>
void Books::charge_rows(const Step& step, const NormTable<Real>& norms,
                        std::span<std::uint8_t> mask, const OnAdmitted& on_admitted) {
  if (!books_.filter) return books_.accounts.record(step, norms);
  auto& paid = std::get<std::vector<Real>>(paid_);
  paid.resize(std::max(paid.size(), norms.steps * norms.people));
  const auto count = [&](std::uint64_t number, std::span<const std::uint8_t> who) {
    books_.attendance.count(static_cast<std::uint32_t>(number - 1), who);
    if (on_admitted) on_admitted(number, who);
  };
  admit_and_charge<Real>(step, norms, *books_.filter, books_.accounts, {.mask = mask, .paid = paid},
                         count);
}

// Compared bit for bit: what is the same then is the same for every rule, and as valid as it was.
bool Books::is_repeated(const Step& step, std::span<const float> norms) const {
  return last_ && step.noise == double{last_->step.noise} &&
         step.clip == double{last_->step.clip} && step.rate == double{last_->step.rate} &&
         std::memcmp(norms.data(), last_->norms.data(), norms.size_bytes()) == 0;
}

// Anyone who cannot afford the step cannot afford the next one like it: they pay nothing in
// between.
void Books::repeat(std::span<std::uint8_t> mask) {
  std::vector<std::uint32_t>& affordable = last_->affordable;
  if (affordable.empty()) {
    std::vector<std::uint32_t> times(people(), kAny);
    if (filtered()) books_.filter->could_admit(last_->step, last_->norms, kAny, times);
    affordable = std::move(times);
  }
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = static_cast<std::uint8_t>(repeats_ < affordable[i]);
  }
  ++repeats_;
}

void Books::enter_repeats() {
  if (repeats_ == 0) return;
  auto& [accounts, filter, attendance] = books_;
  std::vector<std::uint32_t> times(people(), repeats_);
  if (filter) {
    const auto first = static_cast<std::uint32_t>(accounts.steps());
    filter->admit_repeatedly(last_->step, last_->norms, repeats_, times);
    attendance.count_repeated(first, repeats_, times);
  }
  accounts.record_repeatedly(last_->step, last_->norms, repeats_, times);
  repeats_ = one_by_one_ = 0;
  last_->affordable.clear();
}

const Books::Settled& Books::settle() {
  enter_repeats();
  auto& [accounts, filter, attendance] = books_;
  const auto steps = static_cast<std::uint32_t>(accounts.steps());
  if (!filter && attendance.people.front().admitted != steps) {
    for (Attendance::Person& person : attendance.people) person.admitted = steps;
  }
  return books_;
}

template void Books::charge(const Step&, const NormTable<float>&, const OnAdmitted&);
template void Books::charge(const Step&, const NormTable<double>&, const OnAdmitted&);
template void admit_and_charge(const Step&, const NormTable<float>&, Filter&, Accounts&,
                               const Admitted<float>&, const OnAdmitted&);
template void admit_and_charge(const Step&, const NormTable<double>&, Filter&, Accounts&,
                               const Admitted<double>&, const OnAdmitted&);

}  // namespace ration
