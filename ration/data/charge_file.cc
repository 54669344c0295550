#include "ration/data/charge_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
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
void for_blocks(const NpyFile& norms, std::span<const LikeSteps> steps, std::size_t bytes,
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

template <class Real>
Attendance charge_admitted(const NpyFile& norms, std::span<const LikeSteps> steps,
                           IndividualFilter& filter, Accounts& accounts,
                           const ReadingProgress& progress) {
  const std::size_t people = norms.columns();
  Attendance attendance{.people = std::vector<Attendance::Person>(people)};
  std::vector<std::uint8_t> mask(people);
  std::vector<Real> kept;
  for_blocks(norms, steps, kCopyBytes, progress,
             [&](const Step& step, std::size_t first, std::size_t rows) {
               kept.resize(std::max(kept.size(), rows * people));
               for (std::size_t r = 0; r < rows; ++r) {
                 const std::span<const Real> row(rows_of<Real>(norms, first + r, 1).data, people);
                 admit(filter, step, row, std::span(mask));
                 keep_admitted(row, std::span<const std::uint8_t>(mask),
                               static_cast<std::uint32_t>(first + r),
                               std::span(kept).subspan(r * people, people), attendance);
               }
               accounts.charge(
                   step,
                   NormTable<Real>{
                       .data = kept.data(), .steps = rows, .people = people, .stride = people});
             });
  return attendance;
}

}  // namespace

void check_norms_file(const NpyFile& norms, std::span<const LikeSteps> steps) {
  if (norms.dimensions() != 2) {
    refuse("shape of the norms", fmt::format("({},)", norms.columns()),
           "two dimensions, steps x people");
  }
  if (norms.rows() > Accounts::kMostSteps) {
    refuse("number of steps", fmt::format("{}", norms.rows()), "at most 4294967295");
  }
  std::uint64_t sum = 0;  // a step count is at most 1e15, and the sum stops at 2^60
  for (const LikeSteps& like : steps) sum = std::min<std::uint64_t>(sum + like.count, 1ULL << 60);
  if (sum != norms.rows()) {
    refuse("number of steps in the plan", fmt::format("{}", sum),
           fmt::format("as many as the norms have rows, {}", norms.rows()));
  }
}

void charge_file(const NpyFile& norms, std::span<const LikeSteps> steps, Accounts& accounts,
                 const ReadingProgress& progress) {
  check_norms_file(norms, steps);
  for_blocks(norms, steps, kBlockBytes, progress,
             [&](const Step& step, std::size_t first, std::size_t rows) {
               if (norms.type() == npy::Type::float32) {
                 accounts.charge(step, rows_of<float>(norms, first, rows));
               } else {
                 accounts.charge(step, rows_of<double>(norms, first, rows));
               }
             });
}

Attendance charge_file(const NpyFile& norms, std::span<const LikeSteps> steps,
                       IndividualFilter& filter, Accounts& accounts,
                       const ReadingProgress& progress) {
  check_norms_file(norms, steps);
  return norms.type() == npy::Type::float32
             ? charge_admitted<float>(norms, steps, filter, accounts, progress)
             : charge_admitted<double>(norms, steps, filter, accounts, progress);
}

}  // namespace ration
