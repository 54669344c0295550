#include "ration/results/run_records.h"

#include <limits>
#include <string>
#include <utility>

#include "ration/file/atomic_file.h"
#include "ration/numeric/directed.h"

namespace ration::results {
namespace {

template <class Value, class Sum>
std::vector<Sum> totals_of(std::span<const Value> values, const Groups& groups) {
  std::vector<Sum> totals(1 + groups.labels.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    totals[0] += static_cast<Sum>(values[i]);
    if (!groups.labels.empty()) totals[1 + groups.of_person[i]] += static_cast<Sum>(values[i]);
  }
  return totals;
}

}  // namespace

std::vector<std::uint64_t> sums_of(std::span<const std::uint8_t> mask, const Groups& groups) {
  return totals_of<std::uint8_t, std::uint64_t>(mask, groups);
}

namespace {

template <class Value>
std::vector<double> means(std::span<const Value> values, const Groups& groups) {
  const std::vector<std::uint8_t> ones(values.size(), 1);
  const auto counts = sums_of(ones, groups);
  auto means = totals_of<Value, double>(values, groups);
  for (std::size_t g = 0; g < means.size(); ++g) means[g] /= static_cast<double>(counts[g]);
  return means;
}

}  // namespace

std::vector<double> means_of(std::span<const float> values, const Groups& groups) {
  return means(values, groups);
}
std::vector<double> means_of(std::span<const double> values, const Groups& groups) {
  return means(values, groups);
}

std::vector<double> upper_means_of(std::span<const Bound> epsilons, const Groups& groups) {
  const std::vector<std::uint8_t> ones(epsilons.size(), 1);
  const auto counts = sums_of(ones, groups);
  std::vector<double> means(counts.size());
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    const auto add = [&](double& sum) { sum = add_up(sum, epsilons[i].upper); };
    add(means[0]);
    if (!groups.labels.empty()) add(means[1 + groups.of_person[i]]);
  }
  for (std::size_t g = 0; g < means.size(); ++g) {
    const auto people = static_cast<double>(counts[g]);
    means[g] = people > 0 ? div_up(means[g], people) : std::numeric_limits<double>::quiet_NaN();
  }
  return means;
}

namespace {

constexpr auto kRun = Results::Kind::run;

void write_private(const std::filesystem::path& file, const std::string& text) {
  PrivateFile out(file);
  out.write(text);
  out.commit();
}

}  // namespace

RunRecords::RunRecords(const RunDirectory& directory, Of of, RunRows rows)
    : shown_file_(directory.file("epochs", ".csv")),
      private_file_(directory.file("private", ".csv")),
      followed_file_(directory.file("followed", ".csv")),
      of_(std::move(of)),
      rows_(std::move(rows)) {}

void RunRecords::add_shown(const ResultsMoment& moment) {
  rows_.shown += epochs_row(moment, of_.groups.size());
}

void RunRecords::add_private(const ResultsMoment& moment) {
  rows_.hidden += private_row(kRun, moment, of_.groups.size());
}

void RunRecords::add_followed(const ResultsMoment& moment, std::span<const Followed> people) {
  if (!of_.follow.empty()) rows_.followed += followed_row(kRun, moment, people);
}

void RunRecords::write() const {
  write_public(shown_file_, epochs_header(of_.groups, of_.by_accuracy) + "\n" + rows_.shown);
  write_private(private_file_, private_header(kRun, of_.groups) + "\n" + rows_.hidden);
  if (of_.follow.empty()) return;
  write_private(followed_file_, followed_header(kRun, of_.follow) + "\n" + rows_.followed);
}

}  // namespace ration::results
