#include "ration/control/budget.h"

#include <fmt/format.h>

#include "ration/base/error.h"

namespace ration {
void check_budgets(const Budgets& budgets, std::size_t people) {
  if (budgets.kinds.empty()) throw Error("budgets are missing: give one for all or one per person");
  if (budgets.kind_of.empty()) {
    if (budgets.kinds.size() == 1) return;
    throw Error(
        fmt::format("{} kinds of budget are given and nobody's kind: say which one each person has",
                    budgets.kinds.size()));
  }
  if (budgets.kind_of.size() != people) {
    throw Error(fmt::format("budgets are given for {} people: give one for each of the {}",
                            budgets.kind_of.size(), people));
  }
  for (std::size_t i = 0; i < people; ++i) {
    if (budgets.kind_of[i] < budgets.kinds.size()) continue;
    throw Error(fmt::format("budget kind of person {} is {}: give a number below {}", i,
                            budgets.kind_of[i], budgets.kinds.size()));
  }
}

}  // namespace ration
