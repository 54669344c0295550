#include "ration/train/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "ration/base/bound.h"

namespace ration::train {

std::vector<std::string> warnings_before(const Settings& settings, const People& people) {
  std::vector<std::string> all;
  if (!settings.plan) return all;  // a run without privacy promises nothing
  const double most = 0.1 / static_cast<double>(people.count());
  if (settings.plan->delta > most) {
    all.push_back(
        fmt::format("delta is {}, and there are {} people: with more than {}, a tenth of 1/people, "
                    "the promise allows that somebody's data are given away as a whole",
                    double{settings.plan->delta}, people.count(), rounded_down(most, 2)));
  }
  const DataSource& source = settings.data.source;
  if (!std::holds_alternative<CohortSource>(source) && !has_ids(source)) {
    all.emplace_back(
        "one row per person is assumed: the promise is about one row, and weaker for anyone who "
        "has several");
  }
  return all;
}

std::vector<std::string> warnings_of_test(const results::Results::Test& test) {
  if (test.loss && !std::isfinite(*test.loss)) {
    return {"the model's test loss is no finite number: a smaller optimiser.rate may help"};
  }
  if (!test.score) return {};
  if (test.majority && *test.score <= *test.majority) {
    return {
        fmt::format("the model does no better than always the most frequent label: its test "
                    "accuracy is {:.4f}",
                    *test.score)};
  }
  if (!test.by_accuracy && *test.score <= 0.5) {
    return {
        fmt::format("the model does no better than guessing: its test AUC is {:.4f}", *test.score)};
  }
  return {};
}

std::vector<std::string> warnings_of_filter(const Attendance& attendance, std::uint64_t steps) {
  const auto stopped = [&](const Attendance::Person& person) {
    return std::uint64_t{10} * person.left_out >= steps;
  };
  const auto& people = attendance.people;
  const auto count = std::count_if(people.begin(), people.end(), stopped);
  if (static_cast<std::size_t>(10 * count) < 9 * people.size()) return {};
  return {
      "the filter left at least 90% of the people out of at least 10% of the steps: a larger "
      "budget, more noise or fewer epochs keep them in"};
}

}  // namespace ration::train
