#include "ration/train/records.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "ration/file/private_file.h"
#include "ration/file/public_file.h"
#include "ration/numeric/directed.h"
#include "ration/results/group_columns.h"

namespace ration::train {
namespace {

std::string blanks(std::size_t count) { return std::string(count, ','); }

template <class Value>
std::string cells(const std::vector<Value>& values) {
  std::string text;
  // A group without people has no mean.
  for (const Value& value : values) text += value == value ? fmt::format(",{}", value) : ",";
  return text;
}

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format(",{}", *value) : ",";
}
// Of everybody and of each group.
std::string cells(const Evaluation& of, std::optional<double> Quality::*what) {
  std::string text = cell(of.everybody.*what);
  for (const Quality& group : of.groups) text += cell(group.*what);
  return text;
}

void write_private(const std::filesystem::path& file, const std::string& text) {
  PrivateFile out(file);
  out.write(text);
  out.commit();
}

}  // namespace

Records::Records(const RunDirectory& directory, const Dataset& data,
                 std::span<const std::size_t> follow, RecordRows rows)
    : shown_file_(directory.file("epochs", ".csv")),
      private_file_(directory.file("private", ".csv")),
      followed_file_(directory.file("followed", ".csv")),
      followed_header_("epoch,steps" + results::followed_columns(follow) + "\n"),
      rows_(std::move(rows)),
      groups_(data.train.groups.labels.size()),
      follows_(!follow.empty()) {
  const auto& labels = data.train.groups.labels;
  const char* const score =
      data.train.labels.kind == LabelKind::one ? "test_accuracy" : "test_macro_auc";
  shown_header_ = "epoch,steps,epsilon" + results::group_columns("test_loss", labels) +
                  results::group_columns(score, labels) + "\n";
  private_header_ = "epoch,steps" + results::group_columns("train_loss", labels) +
                    results::group_columns("active", labels) +
                    results::group_columns("mean_epsilon", labels) + "\n";
}

void Records::add(const ShownRecord& record) {
  rows_.shown += fmt::format("{},{},{}", record.epoch, record.steps, record.epsilon);
  if (record.test) {
    rows_.shown += cells(*record.test, &Quality::loss) + cells(*record.test, &Quality::score);
  } else {
    rows_.shown += blanks(2 * (1 + groups_));
  }
  rows_.shown += '\n';
}

void Records::add(const PrivateRecord& record) {
  rows_.hidden += fmt::format(
      "{},{}{}{}{}\n", record.epoch, record.steps, cells(record.losses), cells(record.active),
      record.epsilons.empty() ? blanks(1 + groups_) : cells(record.epsilons));
}

void Records::add(const FollowedRecord& record) {
  if (!follows_) return;
  rows_.followed +=
      fmt::format("{},{}{}\n", record.epoch, record.steps, results::followed_cells(record.people));
}

void Records::write() const {
  write_public(shown_file_, shown_header_ + rows_.shown);
  write_private(private_file_, private_header_ + rows_.hidden);
  if (follows_) write_private(followed_file_, followed_header_ + rows_.followed);
}

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

}  // namespace ration::train
