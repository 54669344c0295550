#include "ration/train/warnings.h"

#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "ration/control/warnings.h"

namespace ration::train {

std::vector<std::string> warnings_before(const Settings& settings, const People& people) {
  if (!settings.plan) return {};  // a run without privacy promises nothing
  std::vector<std::string> all = warnings_of_delta(settings.plan->delta, people.count());
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

}  // namespace ration::train
