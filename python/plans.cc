#include <optional>
#include <string>

#include "python/arrays.h"
#include "ration/compose/calibrate.h"
#include "ration/compose/household.h"

namespace ration::python {
namespace {

Accounting accounting(const std::optional<std::string>& method, const std::vector<double>& orders,
                      double accuracy) {
  Accounting how = {.orders = {orders.begin(), orders.end()}, .accuracy = accuracy};
  if (method) how.method = named("method", *method, kMethods);
  return how;
}

py::tuple tuple_of(const Privacy& found) {
  return py::make_tuple(python::tuple_of(found.epsilon), python::tuple_of(found.delta),
                        name(found.direction), name(found.method),
                        python::tuple_of(found.guarantee));
}

template <class Work>
auto without_interpreter(const Work& work) {
  const py::gil_scoped_release others_may_run;
  return work();
}

void bind_mechanisms(py::module_& module) {
  py::class_<PlanEntry>(module, "PlanEntry");
  module.def("gaussian", [](double noise, double rate, double steps) {
    return entry(NoisySteps{.noise = noise, .rate = rate, .steps = steps});
  });
  module.def("laplace", [](double noise, double steps) {
    return PlanEntry{.mechanism = Laplace{noise}, .steps = steps};
  });
  module.def("randomised_response", [](double truth, double options, double steps) {
    return PlanEntry{.mechanism = RandomisedResponse{.truth = truth, .options = options},
                     .steps = steps};
  });
  module.def("discrete_pair",
             [](std::vector<double> present, std::vector<double> absent, double steps) {
               return PlanEntry{.mechanism = DiscretePair(std::move(present), std::move(absent)),
                                .steps = steps};
             });
}

}  // namespace

void bind_plans(py::module_& module) {
  bind_mechanisms(module);
  module.def("compose", [](const Plan& plan, double delta, const std::optional<std::string>& method,
                           const std::vector<double>& orders, double accuracy, int household) {
    const Accounting how = accounting(method, orders, accuracy);
    return tuple_of(
        without_interpreter([&] { return compose_household(plan, delta, household, how); }));
  });
  module.def(
      "delta_at", [](const Plan& plan, double epsilon, const std::optional<std::string>& method,
                     const std::vector<double>& orders, double accuracy, int household) {
        const Accounting how = accounting(method, orders, accuracy);
        return tuple_of(
            without_interpreter([&] { return delta_at_household(plan, epsilon, household, how); }));
      });
  module.attr("default_accuracy") = kDefaultAccuracy;
  module.def("calibrate_noise", [](double epsilon, double delta, double rate, double steps) {
    return without_interpreter([&] {
      return calibrate_noise({.epsilon = epsilon, .delta = delta}, {.rate = rate, .steps = steps});
    });
  });
  module.def("calibrate_steps", [](double epsilon, double delta, double noise, double rate) {
    return without_interpreter([&] {
      return calibrate_steps({.epsilon = epsilon, .delta = delta}, {.noise = noise, .rate = rate});
    });
  });
  module.def("calibrate_rate", [](double epsilon, double delta, double noise, double steps) {
    return without_interpreter([&] {
      return calibrate_rate({.epsilon = epsilon, .delta = delta}, {.noise = noise, .steps = steps});
    });
  });
}

}  // namespace ration::python
