#include "ration/train/records.h"

#include <fmt/format.h>

#include <utility>

#include "ration/data/group_columns.h"
#include "ration/data/private_file.h"
#include "ration/data/public_file.h"

namespace ration {
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

Records::Records(const RunDirectory& directory, const Dataset& data, std::string shown,
                 std::string hidden)
    : shown_file_(directory.file("epochs", ".csv")),
      private_file_(directory.file("private", ".csv")),
      shown_(std::move(shown)),
      private_(std::move(hidden)),
      groups_(data.train.groups.labels.size()) {
  const auto& labels = data.train.groups.labels;
  const char* const score =
      data.train.labels.kind == LabelKind::one ? "test_accuracy" : "test_macro_auc";
  shown_header_ = "epoch,steps,epsilon" + group_columns("test_loss", labels) +
                  group_columns(score, labels) + "\n";
  private_header_ = "epoch,steps" + group_columns("train_loss", labels) +
                    group_columns("active", labels) + group_columns("mean_epsilon", labels) + "\n";
}

void Records::add(const ShownRecord& record) {
  shown_ += fmt::format("{},{},{}", record.epoch, record.steps, record.epsilon);
  if (record.test) {
    shown_ += cells(*record.test, &Quality::loss) + cells(*record.test, &Quality::score);
  } else {
    shown_ += blanks(2 * (1 + groups_));
  }
  shown_ += '\n';
}

void Records::add(const PrivateRecord& record) {
  private_ += fmt::format("{},{}{}{}{}\n", record.epoch, record.steps, cells(record.losses),
                          cells(record.active),
                          record.epsilons.empty() ? blanks(1 + groups_) : cells(record.epsilons));
}

void Records::write() const {
  write_public(shown_file_, shown_header_ + shown_);
  write_private(private_file_, private_header_ + private_);
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

std::vector<double> means_of(std::span<const float> values, const Groups& groups) {
  const std::vector<std::uint8_t> ones(values.size(), 1);
  const auto counts = sums_of(ones, groups);
  auto means = totals_of<float, double>(values, groups);
  for (std::size_t g = 0; g < means.size(); ++g) means[g] /= static_cast<double>(counts[g]);
  return means;
}

}  // namespace ration
