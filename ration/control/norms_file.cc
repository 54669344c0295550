#include "ration/control/norms_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "ration/base/error.h"

namespace ration {
namespace {

// A block is walked person by person, so that few blocks mean few walks over the accounts. It is
// part of the page cache and no memory of the program's own.
constexpr std::size_t kBlockBytes = std::size_t{128} << 20;
// With a filter the norms that are paid for are a copy, which is.
constexpr std::size_t kCopyBytes = std::size_t{16} << 20;

template <class Real>
void charge_rows(const NpyFile& norms, std::span<const RepeatedStep> steps, Books& books,
                 const ReadingProgress& progress, const OnAdmitted& on_admitted) {
  const std::size_t people = norms.columns();
  const std::size_t bytes = books.filtered() ? kCopyBytes : kBlockBytes;
  const std::size_t most = std::max<std::size_t>(1, bytes / (people * sizeof(Real)));
  std::size_t row = 0;
  for (const auto& [step, count] : steps) {
    for (const std::size_t end = row + count; row < end;) {
      const std::size_t rows = std::min(most, end - row);
      books.charge(step,
                   norm_table(norms.values<Real>().subspan(row * people, rows * people), people),
                   on_admitted);
      norms.release_rows(row, rows);
      row += rows;
      if (progress) progress(static_cast<double>(row) / static_cast<double>(norms.rows()));
    }
  }
}

template <class Real>
void follow_columns(const NpyFile& norms, std::span<const RepeatedStep> steps,
                    const FollowedColumns& followed, Books& books, const OnMoment& on_moment) {
  constexpr std::uint64_t kMostRows = 1 << 12;
  const auto& [who, moments] = followed;
  std::vector<Real> columns;
  auto moment = moments.begin();
  for (auto [step, left] : steps) {
    while (left > 0) {
      const std::uint64_t row = books.charged_steps();
      const std::uint64_t rows = std::min({left, *moment - row, kMostRows});
      columns.clear();
      for (std::uint64_t r = row; r < row + rows; ++r) {
        const Real* const values = norms.values<Real>().data() + r * norms.columns();
        for (const std::size_t person : who) columns.push_back(values[person]);
      }
      books.charge(step, norm_table(columns, who.size()));
      left -= rows;
      if (books.charged_steps() != *moment) continue;
      on_moment(*moment, books.settle());
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

void charge_file(const NpyFile& norms, std::span<const RepeatedStep> steps, Books& books,
                 const ReadingProgress& progress, const OnAdmitted& on_admitted) {
  check_norms_file(norms, steps);
  norms.type() == npy::Type::float32
      ? charge_rows<float>(norms, steps, books, progress, on_admitted)
      : charge_rows<double>(norms, steps, books, progress, on_admitted);
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
                 const FollowedColumns& followed, Books books, const OnMoment& on_moment) {
  check_norms_file(norms, steps);
  norms.type() == npy::Type::float32
      ? follow_columns<float>(norms, steps, followed, books, on_moment)
      : follow_columns<double>(norms, steps, followed, books, on_moment);
}

}  // namespace ration
