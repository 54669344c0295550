#include "ration/control/books.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/people.h"

namespace ration {
namespace {

bool is_possible(const Attendance::Person& person, std::uint64_t steps, bool filtered) {
  const std::uint64_t seen = std::uint64_t{person.admitted} + person.left_out;
  if (person.left_out == 0) return seen == steps && person.first_left_out == Attendance::kNever;
  return filtered && seen == steps && person.first_left_out <= steps - person.left_out;
}

}  // namespace

void Attendance::count(std::uint32_t step, std::span<const std::uint8_t> mask) {
#pragma omp parallel for schedule(static) if (mask.size() > 65536)
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const bool is_in = mask[i] != 0;
    people[i].admitted += is_in ? 1 : 0;
    people[i].left_out += is_in ? 0 : 1;
    if (!is_in) people[i].first_left_out = std::min(people[i].first_left_out, step);
  }
}

void Attendance::count_repeated(std::uint32_t first, std::uint32_t steps,
                                std::span<const std::uint32_t> times) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    people[i].admitted += times[i];
    people[i].left_out += steps - times[i];
    if (times[i] == steps) continue;
    people[i].first_left_out = std::min(people[i].first_left_out, first + times[i]);
  }
}

void check_attendance(const Attendance& attendance, std::uint64_t steps, bool filtered) {
  const bool possible =
      std::all_of(attendance.people.begin(), attendance.people.end(),
                  [&](const auto& person) { return is_possible(person, steps, filtered); });
  if (!possible) throw Error("books are wrong: an attendance does not fit the number of steps");
}

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
void copy(std::span<const Real> from, std::span<Real> to) {
#pragma omp parallel for schedule(static) if (from.size() > 65536)
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
}

template <class Real>
void keep_admitted(std::span<const std::uint8_t> mask, std::span<Real> norms) {
#pragma omp parallel for schedule(static) if (norms.size() > 65536)
  for (std::size_t i = 0; i < norms.size(); ++i) norms[i] = mask[i] != 0 ? norms[i] : Real{0};
}

}  // namespace

template <class Real>
void admit_and_charge(const Step& step, const Deciding<Real>& deciding, Filter& filter,
                      Accounts& accounts, const OnAdmitted& on_admitted) {
  const auto& [mask, norms] = deciding;
  const std::size_t people = accounts.people();
  const NormTable<Real> table = norm_table(std::span<const Real>(norms), people);
  check_people(people, filter.people(), "budgets of the filter");
  check_people(people, mask.size(), "mask entries");
  const std::uint64_t before = accounts.steps();
  std::exception_ptr failure;
  accounts.record(step, table, [&] {
    std::size_t decided = 0;
    try {
      while (decided < table.steps) {
        filter.admit(step, table.row(decided), deciding.mask);
        keep_admitted<Real>(deciding.mask, deciding.norms.subspan(decided * people, people));
        ++decided;
        if (on_admitted) on_admitted(before + decided, deciding.mask);
      }
    } catch (...) {
      failure = std::current_exception();  // what the filter has let in is charged all the same
    }
    return decided;
  });
  if (failure) std::rethrow_exception(failure);
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
  if (one_by_one_ >= kOneByOne && charged_steps() < Accounts::kMostSteps &&
      is_repeated(step, norms)) {
    return repeat(mask);
  }
  given_.resize(norms.size());
  copy<float>(norms, given_);  // from here on nobody else can change them
  enter_repeats();
  charge_rows(step, filtered() ? copy_of(norm_table(given_)) : std::span(given_), mask, {});
  if (!filtered()) std::fill(mask.begin(), mask.end(), std::uint8_t{1});
  one_by_one_ = is_repeated(step, given_) ? one_by_one_ + 1 : 1;
  if (!last_) last_ = Last{.step = step, .norms = {}, .affordable = {}};
  last_->step = step;
  last_->norms.swap(given_);
}

template <class Real>
void Books::charge(const Step& step, const NormTable<Real>& norms, const OnAdmitted& on_admitted) {
  if (filtered()) return charge_in_place(step, copy_of(norms), on_admitted);
  enter_repeats();
  last_.reset();
  books_.accounts.record(step, norms);
}

template <class Real>
void Books::charge_in_place(const Step& step, std::span<Real> norms,
                            const OnAdmitted& on_admitted) {
  enter_repeats();
  last_.reset();
  if (filtered()) mask_.resize(people());
  charge_rows(step, norms, mask_, on_admitted);
}

template <class Real>
std::span<Real> Books::copy_of(const NormTable<Real>& norms) {
  check_people(people(), norms.people, "norms");
  auto& paid = std::get<std::vector<Real>>(paid_);
  paid.resize(norms.steps * norms.people);
  for (std::size_t s = 0; s < norms.steps; ++s) {
    copy<Real>(norms.row(s), std::span(paid).subspan(s * norms.people, norms.people));
  }
  return paid;
}

template <class Real>
void Books::charge_rows(const Step& step, std::span<Real> norms, std::span<std::uint8_t> mask,
                        const OnAdmitted& on_admitted) {
  if (!filtered()) {
    return books_.accounts.record(step, norm_table(std::span<const Real>(norms), people()));
  }
  const auto count = [&](std::uint64_t number, std::span<const std::uint8_t> who) {
    books_.attendance.count(static_cast<std::uint32_t>(number - 1), who);
    if (on_admitted) on_admitted(number, who);
  };
  admit_and_charge<Real>(step, {.mask = mask, .norms = norms}, *books_.filter, books_.accounts,
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
  Settled& books = books_;
  std::vector<std::uint32_t> times(people(), repeats_);
  const auto first = static_cast<std::uint32_t>(books.accounts.steps());
  books.accounts.record_repeatedly(last_->step, last_->norms, repeats_, times, [&] {
    if (books.filter) books.filter->admit_repeatedly(last_->step, last_->norms, repeats_, times);
  });
  if (books.filter) books.attendance.count_repeated(first, repeats_, times);
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
template void Books::charge_in_place(const Step&, std::span<float>, const OnAdmitted&);
template void Books::charge_in_place(const Step&, std::span<double>, const OnAdmitted&);
template void admit_and_charge(const Step&, const Deciding<float>&, Filter&, Accounts&,
                               const OnAdmitted&);
template void admit_and_charge(const Step&, const Deciding<double>&, Filter&, Accounts&,
                               const OnAdmitted&);

}  // namespace ration
