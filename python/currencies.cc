#include "python/arrays.h"
#include "python/budgets.h"
#include "ration/control/tight_currency.h"

namespace ration::python {
namespace {

void bind_budgets(py::module_& module) {
  py::class_<OneBudget>(module, "Budget");
  module.def("mu_budget", [](double mu) { return OneBudget{MuBudget{mu}}; });
  module.def("epsilon_budget", [](double epsilon, double delta) {
    return OneBudget{EpsilonBudget{.epsilon = epsilon, .delta = delta}};
  });
  module.def("epsilon_budget", [](double epsilon, double delta, double noise, double rate) {
    return OneBudget{EpsilonBudget{
        .epsilon = epsilon, .delta = delta, .shape = Step{.noise = noise, .rate = rate}}};
  });
  module.def("steps_budget", [](double noise, double rate, double steps) {
    return OneBudget{StepsBudget{.step = {.noise = noise, .rate = rate}, .steps = steps}};
  });
}

Population population_of(const std::vector<double>& ratios) {
  return ratios.empty() ? Population{} : Population{.ratios = ratios};
}

}  // namespace

void bind_currencies(py::module_& module) {
  bind_budgets(module);
  py::class_<OneCurrency>(module, "Currency");
  module.def("currency", [](const std::string& name, const std::vector<double>& orders) {
    return OneCurrency{currency_of(name, orders)};
  });
  // These take seconds, in which other threads may run.
  module.def(
      "tight_currency_for_epsilon",
      [](double noise, double rate, double epsilon, double delta,
         const std::vector<double>& ratios) {
        return OneCurrency{tight_currency({.noise = noise, .rate = rate}, Epsilon{epsilon}, delta,
                                          population_of(ratios))};
      },
      py::call_guard<py::gil_scoped_release>());
  module.def(
      "tight_currency_for_steps",
      [](double noise, double rate, double steps, double delta, const std::vector<double>& ratios) {
        return OneCurrency{tight_currency({.noise = noise, .rate = rate}, Steps{steps}, delta,
                                          population_of(ratios))};
      },
      py::call_guard<py::gil_scoped_release>());
}

}  // namespace ration::python
