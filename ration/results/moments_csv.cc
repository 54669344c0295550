#include "ration/results/moments_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "ration/base/error.h"
#include "ration/dataset/label_names.h"
#include "ration/file/csv.h"
#include "ration/results/epsilon_file.h"

namespace ration::results {
namespace {

constexpr std::string_view kLossOfGroup = "test_loss:";
// In the file, and for people.
constexpr std::pair<std::string_view, std::string_view> kScores[] = {
    {"test_accuracy", "accuracy"}, {"test_macro_auc", "macro AUC"}};

std::string group_columns(std::string_view name, std::span<const std::string> labels) {
  std::string text = fmt::format(",{}", name);
  for (const std::string& label : labels) text += fmt::format(",{}:{}", name, label);
  return text;
}

template <class Value>
std::string cells(const std::vector<Value>& values, std::size_t groups) {
  if (values.empty()) return std::string(1 + groups, ',');
  std::string text;
  // A group without people has no mean.
  for (const Value& value : values) text += value == value ? fmt::format(",{}", value) : ",";
  return text;
}
std::string cells(const std::vector<std::optional<double>>& values, std::size_t groups) {
  if (values.empty()) return std::string(1 + groups, ',');
  std::string text;
  for (const auto& value : values) text += value ? fmt::format(",{}", *value) : ",";
  return text;
}

// An account counts steps alone.
std::string when(Results::Kind kind) {
  return kind == Results::Kind::run ? "epoch,steps" : "steps";
}
std::string when(Results::Kind kind, const ResultsMoment& moment) {
  if (kind == Results::Kind::account) return fmt::format("{}", moment.steps);
  return fmt::format("{},{}", moment.epoch, moment.steps);
}

// Of everybody and of each group.
std::vector<std::optional<double>> shown_cells(ResultsRows& rows, std::size_t groups) {
  std::vector<std::optional<double>> cells(1 + groups);
  for (auto& cell : cells) {
    cell = rows.number_or_blank();
    if (cell && !std::isfinite(*cell)) cell.reset();
  }
  return cells;
}

// Empty if all of them are blank.
std::vector<double> mean_cells(ResultsRows& rows, std::size_t groups) {
  std::vector<double> cells(1 + groups);
  bool recorded = false;
  for (double& cell : cells) {
    const auto value = rows.number_or_blank();
    recorded |= value.has_value();
    cell = value.value_or(std::numeric_limits<double>::quiet_NaN());
  }
  return recorded ? cells : std::vector<double>{};
}

std::vector<std::uint64_t> active_cells(ResultsRows& rows, const Results& results) {
  std::vector<std::uint64_t> cells(1 + results.groups.size());
  for (auto& cell : cells) {
    cell = rows.whole();
    if (cell > results.people) rows.refuse_row("of more people than there are");
  }
  std::uint64_t sum = 0;
  for (std::size_t g = 1; g < cells.size(); ++g) sum += cells[g];
  if (cells.size() > 1 && sum != cells[0]) rows.refuse_row("of groups that do not add up");
  return cells;
}

bool is_blank(const std::vector<std::optional<double>>& cells) {
  return std::none_of(cells.begin(), cells.end(),
                      [](const auto& cell) { return cell.has_value(); });
}

// A column in which nothing stands at any time was not recorded.
void drop_if_blank(std::vector<ResultsMoment>& moments,
                   std::vector<std::optional<double>> ResultsMoment::*column) {
  if (!std::all_of(moments.begin(), moments.end(),
                   [&](const ResultsMoment& moment) { return is_blank(moment.*column); })) {
    return;
  }
  for (ResultsMoment& moment : moments) (moment.*column).clear();
}

std::vector<std::string> labels_in(const ResultsRows& rows) {
  std::vector<std::string> labels;
  for (const std::string_view cell : csv::cells_of(rows.header(), {.quotes = false})) {
    if (!cell.starts_with(kLossOfGroup)) continue;
    labels.emplace_back(cell.substr(kLossOfGroup.size()));
    if (fault_of_label(labels.back())) rows.refuse_file("without plain text in its header");
  }
  return labels;
}

std::string_view read_header_of_epochs(const ResultsRows& rows, Results& results) {
  const std::vector<std::string> labels = labels_in(rows);
  if (results.individual && labels != results.groups) {
    rows.refuse_file("of other groups than the summary");
  }
  results.groups = labels;
  for (const bool by_accuracy : {true, false}) {
    if (rows.header() == epochs_header(labels, by_accuracy))
      return kScores[by_accuracy ? 0 : 1].second;
  }
  rows.expect_header(epochs_header(labels, true));
  return {};
}

void check_how_many(std::size_t people, std::string_view what) {
  constexpr std::size_t kMost = 100;
  if (people > kMost) {
    refuse(what, fmt::format("{} people", people), fmt::format("at most {}", kMost));
  }
}

double infinite_without_privacy(const std::optional<Bound>& epsilon) {
  return epsilon ? epsilon->upper : std::numeric_limits<double>::infinity();
}

}  // namespace

void check_followed(std::span<const std::size_t> who, std::string_view what) {
  check_how_many(who.size(), what);
  std::unordered_set<std::size_t> seen;
  for (const std::size_t person : who) {
    if (!seen.insert(person).second) refuse(what, fmt::format("{} twice", person), "each once");
  }
}

void check_followed(std::span<const std::string> who, std::string_view what) {
  check_how_many(who.size(), what);
  std::unordered_set<std::string_view> seen;
  for (const std::string& person : who) {
    if (!seen.insert(person).second) refuse(what, "a list with somebody twice", "each once");
  }
}

std::optional<std::size_t> place_of(std::string_view who, std::span<const std::string> ids,
                                    std::size_t people) {
  if (ids.empty()) {
    const auto number = csv::number_in<std::size_t>(who);
    return number && *number < people ? number : std::nullopt;
  }
  const auto found = std::find(ids.begin(), ids.end(), who);
  if (found == ids.end()) return std::nullopt;
  return static_cast<std::size_t>(found - ids.begin());
}

std::vector<std::size_t> places_of(std::span<const std::string> who,
                                   std::span<const std::string> ids, std::size_t people,
                                   std::string_view what) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < who.size(); ++i) {
    const auto place = place_of(who[i], ids, people);
    if (place) {
      places.push_back(*place);
    } else if (ids.empty()) {
      refuse(what, who[i], fmt::format("people from 0 to {}", people - 1));
    } else {
      refuse(what, fmt::format("at entry {} (from 0) nobody's id", i),
             "ids of people who are trained on");
    }
  }
  return places;
}

std::string epochs_header(std::span<const std::string> groups, bool by_accuracy) {
  return "epoch,steps,epsilon" + group_columns("test_loss", groups) +
         group_columns(kScores[by_accuracy ? 0 : 1].first, groups);
}

std::string private_header(Results::Kind kind, std::span<const std::string> groups) {
  if (kind == Results::Kind::account) return when(kind) + group_columns("active", groups);
  return when(kind) + group_columns("train_loss", groups) + group_columns("active", groups) +
         group_columns("mean_epsilon", groups);
}

std::string followed_header(Results::Kind kind, std::span<const std::size_t> who) {
  std::string text = when(kind);
  for (const std::size_t person : who) {
    text += fmt::format(",epsilon_lower:{0},epsilon_upper:{0},admitted:{0}", person);
  }
  return text;
}

std::string epochs_row(const ResultsMoment& moment, std::size_t groups) {
  return fmt::format("{},{}{}{}\n", when(Results::Kind::run, moment), *moment.epsilon,
                     cells(moment.test_loss, groups), cells(moment.test_score, groups));
}

std::string private_row(Results::Kind kind, const ResultsMoment& moment, std::size_t groups) {
  if (kind == Results::Kind::account)
    return when(kind, moment) + cells(moment.active, groups) + "\n";
  return when(kind, moment) + cells(moment.train_loss, groups) + cells(moment.active, groups) +
         cells(moment.mean_epsilon, groups) + "\n";
}

std::string followed_row(Results::Kind kind, const ResultsMoment& moment,
                         std::span<const Followed> people) {
  std::string text = when(kind, moment);
  for (const auto& [epsilon, admitted] : people) {
    text += fmt::format(",{},{},{}", epsilon.lower, epsilon.upper, admitted);
  }
  return text + "\n";
}

void read_epochs(ResultsRows rows, Results& results) {
  const std::string_view score = read_header_of_epochs(rows, results);
  const std::size_t groups = results.groups.size();
  auto& moments = results.moments;
  while (rows.next()) {
    ResultsMoment moment = {.epoch = rows.whole(), .steps = rows.whole(), .epsilon = rows.number()};
    if (moment.epoch != moments.size() + 1) rows.refuse_row("not of the next epoch");
    if (moment.steps <= (moments.empty() ? 0 : moments.back().steps)) {
      rows.refuse_row("not of later steps");
    }
    if (!(*moment.epsilon >= 0)) rows.refuse_row("without a promised epsilon");
    moment.test_loss = shown_cells(rows, groups);
    moment.test_score = shown_cells(rows, groups);
    moments.push_back(std::move(moment));
  }
  if (moments.empty() || moments.back().steps != results.steps ||
      *moments.back().epsilon != infinite_without_privacy(results.epsilon)) {
    rows.refuse_file("not of the run that the summary is of, or cut off");
  }
  drop_if_blank(moments, &ResultsMoment::test_loss);
  drop_if_blank(moments, &ResultsMoment::test_score);
  results.score_name = moments.front().test_score.empty() ? "" : score;
}

namespace {

void read_private_of_run(ResultsRows& rows, Results& results) {
  const std::size_t groups = results.groups.size();
  rows.expect_header(private_header(results.kind, results.groups));
  std::size_t read = 0;
  for (; rows.next(); ++read) {
    if (read == results.moments.size()) rows.refuse_row("of an epoch that there was not");
    ResultsMoment& moment = results.moments[read];
    if (rows.whole() != moment.epoch || rows.whole() != moment.steps) {
      rows.refuse_row("of another epoch than in epochs.csv");
    }
    moment.train_loss = mean_cells(rows, groups);
    moment.active = active_cells(rows, results);
    moment.mean_epsilon = mean_cells(rows, groups);
  }
  if (read != results.moments.size()) rows.refuse_file("cut off: its last epochs are missing");
}

void read_private_of_account(ResultsRows& rows, Results& results) {
  rows.expect_header(private_header(results.kind, results.groups));
  auto& moments = results.moments;
  while (rows.next()) {
    const std::uint64_t steps = rows.whole();
    if (steps <= (moments.empty() ? 0 : moments.back().steps)) {
      rows.refuse_row("not of later steps");
    }
    moments.push_back({.epoch = 0, .steps = steps, .active = active_cells(rows, results)});
  }
  if (moments.empty() || moments.back().steps != results.steps) {
    rows.refuse_file("cut off: its last steps are missing");
  }
}

}  // namespace

void read_private(ResultsRows rows, Results& results) {
  results.kind == Results::Kind::run ? read_private_of_run(rows, results)
                                     : read_private_of_account(rows, results);
}

void read_followed(ResultsRows rows, Results& results) {
  IndividualResults& individual = *results.individual;
  const bool run = results.kind == Results::Kind::run;
  std::vector<std::size_t> who;
  for (const FollowedPerson& followed : individual.followed) who.push_back(followed.person);
  rows.expect_header(followed_header(results.kind, who));
  const double most = most_epsilon(results);
  std::uint64_t last = 0;
  for (std::size_t row = 0; rows.next(); ++row) {
    if (run && (row == results.moments.size() || rows.whole() != row + 1)) {
      rows.refuse_row("not of the next epoch");
    }
    const std::uint64_t steps = rows.whole();
    if (steps <= last || (run && steps != results.moments[row].steps)) {
      rows.refuse_row("not of the next steps");
    }
    last = steps;
    for (FollowedPerson& followed : individual.followed) {
      const Bound epsilon = epsilon_in(rows, most);
      const std::uint64_t admitted = rows.whole();
      followed.points.push_back({.steps = steps, .epsilon = epsilon, .admitted = admitted});
    }
  }
  if (last != results.steps) rows.refuse_file("cut off: its last rows are missing");
  for (const FollowedPerson& followed : individual.followed) {
    const auto& [steps, epsilon, admitted] = followed.points.back();
    const std::uint64_t counted = individual.attendance.empty()
                                      ? results.charged_steps
                                      : individual.attendance[followed.person].admitted;
    if (epsilon != individual.epsilons[followed.person] || admitted != counted) {
      rows.refuse_file("of other values than epsilons.csv");
    }
  }
}

}  // namespace ration::results
