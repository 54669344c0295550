#include "python/arrays.h"
#include "python/state.h"
#include "ration/control/individual_filter.h"
#include "ration/control/spent_epsilons.h"

namespace ration::python {
namespace {

template <class Filter, class Real>
py::array_t<bool> admit(Guarded<Filter>& held, double noise, double clip, double rate,
                        const Array<Real>& norms) {
  py::array_t<bool> mask(norms.size());
  static_assert(sizeof(bool) == sizeof(std::uint8_t));
  const std::span<std::uint8_t> out(reinterpret_cast<std::uint8_t*>(mask.mutable_data()),
                                    static_cast<std::size_t>(norms.size()));
  held.use([&](Filter& filter) {
    filter.admit({.noise = noise, .clip = clip, .rate = rate}, span_of(norms), out);
  });
  return mask;
}

template <class Filter>
py::array_t<std::uint32_t> could_admit(Guarded<Filter>& held, double noise, double clip,
                                       double rate, const Array<float>& norms, std::uint32_t most) {
  std::vector<std::uint32_t> times(static_cast<std::size_t>(norms.size()));
  held.use([&](Filter& filter) {
    filter.could_admit({.noise = noise, .clip = clip, .rate = rate}, span_of(norms), most, times);
  });
  return array_of(std::move(times));
}

template <class Filter>
void bind_filter(py::class_<Guarded<Filter>, std::unique_ptr<Guarded<Filter>>>& bound) {
  using Held = Guarded<Filter>;
  bound.def("admit", &admit<Filter, float>, py::arg(), py::arg(), py::arg(), py::arg().noconvert());
  bound.def("admit", &admit<Filter, double>, py::arg(), py::arg(), py::arg(),
            py::arg().noconvert());
  bound.def("could_admit", &could_admit<Filter>, py::arg(), py::arg(), py::arg(),
            py::arg().noconvert(), py::arg());
  bound.def("budget", [](Held& held, std::size_t person, double delta) {
    return tuple_of(held.use([&](const Filter& filter) {
      if (person >= filter.people()) {
        refuse("person", std::to_string(person),
               "a number below the " + std::to_string(filter.people()) + " people");
      }
      return budget_epsilon(filter, person, delta);
    }));
  });
  bound.def("spent", [](Held& held, double delta) {
    return array_of(held.use([&](const Filter& filter) { return spent_epsilons(filter, delta); }));
  });
  bound.def_property_readonly_static(
      "guarantee", [](const py::object&) { return tuple_of(Filter::guarantee()); });
  bound.def_property_readonly("people", &Held::people);
  bound.def_property_readonly("steps", [](Held& held) {
    return held.use([](const Filter& filter) { return filter.steps(); });
  });
  bind_saving(bound);
}

// A variant without a default value needs a name of its own to pass through Python.
struct OneBudget {
  Budget budget;
};

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

using Kinds = std::vector<OneBudget>;
using KindOf = std::vector<std::uint32_t>;

Budgets budgets_of(const Kinds& kinds, const KindOf& kind_of) {
  Budgets budgets = {.kinds = {}, .kind_of = kind_of};
  for (const OneBudget& kind : kinds) budgets.kinds.push_back(kind.budget);
  return budgets;
}

}  // namespace

void bind_filters(py::module_& module) {
  // Of filters and accounts alike.
  module.def("check_step", [](double noise, double clip, double rate) {
    (void)Step{.noise = noise, .clip = clip, .rate = rate};
  });
  bind_budgets(module);
  using Gdp = Guarded<IndividualGdpFilter>;
  py::class_<Gdp, std::unique_ptr<Gdp>> gdp(module, "GdpFilter");
  gdp.def(py::init([](std::size_t people, const Kinds& kinds, const KindOf& kind_of) {
    return std::make_unique<Gdp>(IndividualGdpFilter(people, budgets_of(kinds, kind_of)));
  }));
  bind_filter(gdp);
  using Renyi = Guarded<IndividualRenyiFilter>;
  py::class_<Renyi, std::unique_ptr<Renyi>> renyi(module, "RenyiFilter");
  renyi.def(py::init([](std::size_t people, const Kinds& kinds, const KindOf& kind_of,
                        const std::vector<double>& orders) {
    return std::make_unique<Renyi>(IndividualRenyiFilter(
        people,
        orders.empty() ? default_orders() : std::vector<Order>(orders.begin(), orders.end()),
        budgets_of(kinds, kind_of)));
  }));
  bind_filter(renyi);
}

}  // namespace ration::python
