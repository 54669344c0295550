#include "ration/control/charge_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ration/base/error.h"

namespace ration {
namespace {

// A block is walked person by person, so that few blocks mean few walks over the accounts. It is
// part of the page cache and no memory of the program's own.
constexpr std::size_t kBlockBytes = std::size_t{128} << 20;
// With a filter the admitted norms are a copy, which is.
constexpr std::size_t kCopyBytes = std::size_t{16} << 20;

// Calls work(step, first row, rows) for blocks of like rows of at most so many bytes.
template <class Work>
void for_blocks(const NpyFile& norms, std::span<const RepeatedStep> steps, std::size_t bytes,
                const ReadingProgress& progress, const Work& work) {
  const std::size_t value = norms.type() == npy::Type::float32 ? sizeof(float) : sizeof(double);
  const std::size_t most = std::max<std::size_t>(1, bytes / (norms.columns() * value));
  std::size_t row = 0;
  for (const auto& [step, count] : steps) {
    for (const std::size_t end = row + count; row < end;) {
      const std::size_t rows = std::min(most, end - row);
      work(step, row, rows);
      norms.release_rows(row, rows);
      row += rows;
      if (progress) progress(static_cast<double>(row) / static_cast<double>(norms.rows()));
    }
  }
}

template <class Real>
NormTable<Real> rows_of(const NpyFile& norms, std::size_t first, std::size_t count) {
  const std::size_t people = norms.columns();
  return {.data = norms.values<Real>().data() + first * people,
          .steps = count,
          .people = people,
          .stride = people};
}

// Like steps behind a filter, some rows at a time.
template <class Real>
class AdmittedRows {
 public:
  AdmittedRows(IndividualFilter& filter, Accounts& accounts)
      : filter_(filter), accounts_(accounts), mask_(accounts.people()) {
    attendance_.people.resize(accounts.people());
  }

  void charge(const Step& step, const NormTable<Real>& rows, const OnAdmitted& on_admitted) {
    const std::size_t people = rows.people;
    kept_.resize(std::max(kept_.size(), rows.steps * people));
    for (std::size_t r = 0; r < rows.steps; ++r) {
      const std::span<const Real> row(rows.data + r * rows.stride, people);
      const std::uint64_t before = accounts_.steps() + r;
      admit(filter_, step, row, std::span(mask_));
      keep_admitted(row, std::span<const std::uint8_t>(mask_), static_cast<std::uint32_t>(before),
                    std::span(kept_).subspan(r * people, people), attendance_);
      if (on_admitted) on_admitted(before + 1, mask_);
    }
    accounts_.record(step,
                     norm_table(std::span<const Real>(kept_).first(rows.steps * people), people));
  }

  const Attendance& attendance() const { return attendance_; }

 private:
  IndividualFilter& filter_;
  Accounts& accounts_;
  std::vector<std::uint8_t> mask_;
  std::vector<Real> kept_;
  Attendance attendance_;
};

template <class Real>
Attendance charge_admitted(const NpyFile& norms, std::span<const RepeatedStep> steps,
                           IndividualFilter& filter, Accounts& accounts,
                           const ReadingProgress& progress, const OnAdmitted& on_admitted) {
  AdmittedRows<Real> admitted(filter, accounts);
  for_blocks(norms, steps, kCopyBytes, progress,
             [&](const Step& step, std::size_t first, std::size_t rows) {
               admitted.charge(step, rows_of<Real>(norms, first, rows), on_admitted);
             });
  return admitted.attendance();
}

template <class Real>
void follow_columns(const NpyFile& norms, std::span<const RepeatedStep> steps,
                    const FollowedColumns& followed, std::optional<IndividualFilter> filter,
                    const Buckets& buckets, const OnMoment& on_moment) {
  constexpr std::uint64_t kMostRows = 1 << 12;
  const auto& [who, moments] = followed;
  Accounts accounts(who.size(), buckets);
  std::optional<AdmittedRows<Real>> admitted;
  if (filter) admitted.emplace(*filter, accounts);
  const Attendance nobody;
  std::vector<Real> columns;
  auto moment = moments.begin();
  for (auto [step, left] : steps) {
    while (left > 0) {
      const std::uint64_t row = accounts.steps();
      const std::uint64_t rows = std::min({left, *moment - row, kMostRows});
      columns.clear();
      for (std::uint64_t r = row; r < row + rows; ++r) {
        const Real* const values = norms.values<Real>().data() + r * norms.columns();
        for (const std::size_t person : who) columns.push_back(values[person]);
      }
      const NormTable<Real> table = norm_table(columns, who.size());
      admitted ? admitted->charge(step, table, {}) : accounts.record(step, table);
      left -= rows;
      if (accounts.steps() != *moment) continue;
      on_moment(*moment, accounts, admitted ? admitted->attendance() : nobody);
      ++moment;
    }
  }
}

}  // namespace

void check_norms_file(const NpyFile& norms, std::span<const RepeatedStep> steps) {
  if (norms.dimensions() != 2) {
    refuse("shape of the norms", fmt::format("({},)", norms.columns()),
           "two dimensions, steps x people");
  }
  if (norms.rows() > Accounts::kMostSteps) {
    refuse("number of steps", fmt::format("{}", norms.rows()), "at most 4294967295");
  }
  std::uint64_t sum = 0;  // a step count is at most 1e15, and the sum stops at 2^60
  for (const RepeatedStep& repeated : steps)
    sum = std::min<std::uint64_t>(sum + repeated.times, 1ULL << 60);
  if (sum != norms.rows()) {
    refuse("number of steps in the plan", fmt::format("{}", sum),
           fmt::format("as many as the norms have rows, {}", norms.rows()));
  }
}

void charge_file(const NpyFile& norms, std::span<const RepeatedStep> steps, Accounts& accounts,
                 const ReadingProgress& progress) {
  check_norms_file(norms, steps);
  for_blocks(norms, steps, kBlockBytes, progress,
             [&](const Step& step, std::size_t first, std::size_t rows) {
               if (norms.type() == npy::Type::float32) {
                 accounts.record(step, rows_of<float>(norms, first, rows));
               } else {
                 accounts.record(step, rows_of<double>(norms, first, rows));
               }
             });
}

Attendance charge_file(const NpyFile& norms, std::span<const RepeatedStep> steps,
                       IndividualFilter& filter, Accounts& accounts,
                       const ReadingProgress& progress, const OnAdmitted& on_admitted) {
  check_norms_file(norms, steps);
  return norms.type() == npy::Type::float32
             ? charge_admitted<float>(norms, steps, filter, accounts, progress, on_admitted)
             : charge_admitted<double>(norms, steps, filter, accounts, progress, on_admitted);
}

std::vector<std::uint64_t> spaced_steps(std::uint64_t steps, std::uint64_t most) {
  const std::uint64_t count = std::min(steps, most);
  std::vector<std::uint64_t> spaced;
  for (std::uint64_t i = 1; i <= count; ++i) {
    // steps i / count, rounded up: neither product can overflow
    spaced.push_back(steps / count * i + (steps % count * i + count - 1) / count);
  }
  return spaced;
}

void follow_file(const NpyFile& norms, std::span<const RepeatedStep> steps,
                 const FollowedColumns& followed, std::optional<IndividualFilter> filter,
                 const Buckets& buckets, const OnMoment& on_moment) {
  check_norms_file(norms, steps);
  norms.type() == npy::Type::float32
      ? follow_columns<float>(norms, steps, followed, std::move(filter), buckets, on_moment)
      : follow_columns<double>(norms, steps, followed, std::move(filter), buckets, on_moment);
}

}  // namespace ration
