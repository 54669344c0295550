// Budgets and currencies as Python gives them.
#pragma once

#include <string>
#include <vector>

#include "ration/control/currency.h"

namespace ration::python {

// A variant without a default value needs a name of its own to pass through Python.
struct OneBudget {
  Budget budget;
};

inline std::vector<Budget> budgets_of(const std::vector<OneBudget>& given) {
  std::vector<Budget> budgets;
  for (const OneBudget& one : given) budgets.push_back(one.budget);
  return budgets;
}

// A currency as Python holds it: some take seconds to make, and are made once.
struct OneCurrency {
  CurrencyPtr currency;
};
inline CurrencyPtr currency_of(const std::string& name, const std::vector<double>& orders) {
  return currency_named(name, {orders.begin(), orders.end()});
}

}  // namespace ration::python
