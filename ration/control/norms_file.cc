#include "ration/control/norms_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "ration/base/error.h"

namespace ration {
namespace {

// Rows are read in blocks that stay in the cache until they are charged.
constexpr std::size_t kBlockBytes = std::size_t{2} << 20;
// Accounts of sampled steps are larger than a cache, and a block is walked person by person: few
// blocks mean few walks over the accounts.
constexpr std::size_t kSampledBytes = std::size_t{64} << 20;

std::size_t rows_in(std::size_t bytes, std::size_t row) {
  return std::max<std::size_t>(1, bytes / row);
}

template <class Real>
void charge_rows(NormRows& norms, std::span<const RepeatedStep> steps, Books& books,
                 const ReadingProgress& progress, const OnAdmitted& on_admitted) {
  const std::size_t people = norms.people();
  const bool sampled = std::any_of(steps.begin(), steps.end(),
                                   [](const auto& some) { return some.step.rate < 1.0; });
  const std::size_t most =
      std::min(norms.rows(), rows_in(sampled ? kSampledBytes : kBlockBytes, people * sizeof(Real)));
  const auto block = std::make_unique_for_overwrite<Real[]>(most * people);
  std::size_t row = 0;
  for (const auto& [step, count] : steps) {
    for (const std::size_t end = row + count; row < end;) {
      const std::size_t rows = std::min(most, end - row);
      const std::span<Real> read(block.get(), rows * people);
      norms.read_rows(row, read);
      books.charge_in_place(step, read, on_admitted);
      row += rows;
      if (progress) progress(static_cast<double>(row) / static_cast<double>(norms.rows()));
    }
  }
}

template <class Real>
void follow_columns(NormRows& norms, std::span<const RepeatedStep> steps,
                    const FollowedColumns& followed, Books& books, const OnMoment& on_moment) {
  const auto& [who, moments] = followed;
  const std::uint64_t most =
      std::min(norms.rows(), rows_in(kBlockBytes, norms.people() * sizeof(Real)));
  std::vector<Real> columns, block(most * norms.people());
  auto moment = moments.begin();
  for (auto [step, left] : steps) {
    while (left > 0) {
      const std::uint64_t row = books.charged_steps();
      const std::uint64_t rows = std::min({left, *moment - row, most});
      norms.read_rows(row, std::span(block).first(rows * norms.people()));
      columns.clear();
      for (std::uint64_t r = 0; r < rows; ++r) {
        for (const std::size_t person : who) columns.push_back(block[r * norms.people() + person]);
      }
      books.charge_in_place(step, std::span(columns), {});
      left -= rows;
      if (books.charged_steps() != *moment) continue;
      on_moment(*moment, books.settle());
      ++moment;
    }
  }
}

}  // namespace

void check_norms_file(const NormRows& norms, std::span<const RepeatedStep> steps) {
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

void charge_file(NormRows& norms, std::span<const RepeatedStep> steps, Books& books,
                 const ReadingProgress& progress, const OnAdmitted& on_admitted) {
  check_norms_file(norms, steps);
  norms.is_float32() ? charge_rows<float>(norms, steps, books, progress, on_admitted)
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

void follow_file(NormRows& norms, std::span<const RepeatedStep> steps,
                 const FollowedColumns& followed, Books books, const OnMoment& on_moment) {
  check_norms_file(norms, steps);
  norms.is_float32() ? follow_columns<float>(norms, steps, followed, books, on_moment)
                     : follow_columns<double>(norms, steps, followed, books, on_moment);
}

namespace {

std::size_t passes_of(const Accounts& accounts, const std::optional<IndividualMethod>& method) {
  const bool pld = method.value_or(IndividualMethod::pld) == IndividualMethod::pld;
  if (pld && !accounts.rates().empty()) return 4;
  return method == IndividualMethod::blackwell ? 2 : 1;
}

}  // namespace

FilePromise promise_of(const FileRun& run, const std::optional<Filter>& filter) {
  const WorstCase worst = worst_case(run.plan, run.buckets, run.delta, run.how);
  std::optional<WholeBudget> budget;
  if (filter) budget = whole_budget(*filter, run.delta);
  return {.worst_case = worst, .promise = promise_of(worst, budget)};
}

Books books_of(NormRows& norms, const FileRun& run, std::optional<Filter> filter,
               const ReadingProgress& progress, const OnAdmitted& on_admitted) {
  check_norms_file(norms, run.steps);
  Books books(norms.people(), run.buckets, std::move(filter));
  charge_file(norms, run.steps, books, progress, on_admitted);
  return books;
}

IndividualPrivacy epsilons_of(const Accounts& accounts, const FileRun& run, const Promise& promise,
                              const std::function<void(double fraction)>& progress) {
  const std::size_t people = accounts.people(), passes = passes_of(accounts, run.how.method);
  std::size_t done = 0;
  Progress told;
  if (progress) {
    told = [&](std::size_t more) {
      done += more;
      progress(static_cast<double>(done / people) / static_cast<double>(passes));
    };
  }
  IndividualPrivacy everybody = accounts.epsilon(run.delta, run.how, told);
  cap(everybody, promise.smaller());
  return everybody;
}

}  // namespace ration
