#include "ration/report/results_csv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ration/file/csv.h"
#include "ration/file/label_text.h"
#include "ration/results/followed_csv.h"
#include "ration/results/group_columns.h"

namespace ration::results {
namespace {

constexpr std::string_view kLossOfGroup = "test_loss:";
// In the file, and for people.
constexpr std::pair<std::string_view, std::string_view> kScores[] = {
    {"test_accuracy", "accuracy"}, {"test_macro_auc", "macro AUC"}};

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
  for (const std::string_view cell : csv::cells_of(rows.header())) {
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
  const std::string first = "epoch,steps,epsilon" + group_columns("test_loss", labels);
  for (const auto& [column, name] : kScores) {
    if (rows.header() == first + group_columns(column, labels)) return name;
  }
  rows.expect_header(first);
  return {};
}

double infinite_without_privacy(const std::optional<Bound>& epsilon) {
  return epsilon ? epsilon->upper : std::numeric_limits<double>::infinity();
}

}  // namespace

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
  rows.expect_header("epoch,steps" + group_columns("train_loss", results.groups) +
                     group_columns("active", results.groups) +
                     group_columns("mean_epsilon", results.groups));
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
  rows.expect_header("steps" + group_columns("active", results.groups));
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

// A person who is counted by a filter was admitted to each step that was charged, or left out.
Attendance::Person attendance_in(ResultsRows& rows, std::uint64_t charged_steps) {
  const std::uint64_t admitted = rows.whole(), left_out = rows.whole();
  const std::uint64_t first = rows.whole_or_blank().value_or(Attendance::kNever);
  if (admitted > charged_steps || left_out != charged_steps - admitted ||
      (first == Attendance::kNever) != (left_out == 0) ||
      (left_out > 0 && first > charged_steps - left_out)) {
    rows.refuse_row("of steps that do not add up");
  }
  return {.admitted = static_cast<std::uint32_t>(admitted),
          .left_out = static_cast<std::uint32_t>(left_out),
          .first_left_out = static_cast<std::uint32_t>(first)};
}

}  // namespace

void read_private(ResultsRows rows, Results& results) {
  results.kind == Results::Kind::run ? read_private_of_run(rows, results)
                                     : read_private_of_account(rows, results);
}

namespace {

// A fitted Gaussian is not held to what is proved.
double most_epsilon(const Results& results) {
  return results.individual->guarantee.certified ? results.epsilon->upper
                                                 : std::numeric_limits<double>::infinity();
}

Bound epsilon_in(ResultsRows& rows, double most) {
  const Bound epsilon = {.lower = rows.number(), .upper = rows.number()};
  if (!(0 <= epsilon.lower && epsilon.lower <= epsilon.upper)) {
    rows.refuse_row("without a bound on an epsilon");
  }
  if (epsilon.upper > most) rows.refuse_row("of an epsilon above what the summary promises");
  return epsilon;
}

}  // namespace

void read_epsilons(ResultsRows rows, Results& results) {
  const bool filtered = results.budget.has_value();
  rows.expect_header(filtered
                         ? "person,epsilon_lower,epsilon_upper,admitted,left_out,first_left_out"
                         : "person,epsilon_lower,epsilon_upper");
  IndividualResults& individual = *results.individual;
  const double most = most_epsilon(results);
  while (rows.next()) {
    if (rows.whole() != individual.epsilons.size()) rows.refuse_row("not of the next person");
    individual.epsilons.push_back(epsilon_in(rows, most));
    if (filtered) individual.attendance.push_back(attendance_in(rows, results.charged_steps));
  }
  if (individual.epsilons.size() != results.people) {
    rows.refuse_file("not of as many people as the summary, or cut off");
  }
  if (quantiles_of(individual.epsilons) != individual.quantiles) {
    rows.refuse_file("of other values than the quantiles of the summary");
  }
}

void read_followed(ResultsRows rows, Results& results) {
  IndividualResults& individual = *results.individual;
  const bool run = results.kind == Results::Kind::run;
  std::vector<std::size_t> who;
  for (const FollowedPerson& followed : individual.followed) who.push_back(followed.person);
  rows.expect_header((run ? "epoch,steps" : "steps") + followed_columns(who));
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
