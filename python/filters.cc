#include "ration/control/filter.h"

#include "python/arrays.h"
#include "python/state.h"
#include "ration/control/odometer.h"

namespace ration::python {
namespace {

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

std::vector<Budget> budgets_of(const std::vector<OneBudget>& given) {
  std::vector<Budget> budgets;
  for (const OneBudget& one : given) budgets.push_back(one.budget);
  return budgets;
}
CurrencyPtr currency_of(const std::string& name, const std::vector<double>& orders) {
  return currency_named(name, {orders.begin(), orders.end()});
}

template <class Real>
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

template <class Real>
py::array_t<std::uint32_t> could_admit(Guarded<Filter>& held, double noise, double clip,
                                       double rate, const Array<Real>& norms, std::uint32_t most) {
  std::vector<std::uint32_t> times(static_cast<std::size_t>(norms.size()));
  held.use([&](Filter& filter) {
    filter.could_admit({.noise = noise, .clip = clip, .rate = rate}, span_of(norms), most, times);
  });
  return array_of(std::move(times));
}

template <class Real>
void record(Guarded<Odometer>& held, double noise, double clip, double rate,
            const Array<Real>& norms) {
  held.use([&](Odometer& odometer) {
    odometer.record({.noise = noise, .clip = clip, .rate = rate}, span_of(norms));
  });
}

template <class Real>
py::array_t<std::uint64_t> levels_after(Guarded<Odometer>& held, double noise, double clip,
                                        double rate, const Array<Real>& norms) {
  std::vector<std::uint64_t> levels(static_cast<std::size_t>(norms.size()));
  held.use([&](Odometer& odometer) {
    odometer.levels_after({.noise = noise, .clip = clip, .rate = rate}, span_of(norms), levels);
  });
  return array_of(std::move(levels));
}

// What filters and odometers have in common.
template <class State>
void bind_totals(py::class_<Guarded<State>, std::unique_ptr<Guarded<State>>>& bound) {
  using Held = Guarded<State>;
  bound.def("spent", [](Held& held, double delta) {
    return array_of(held.use([&](const State& state) { return state.spent(delta); }));
  });
  bound.def_property_readonly("guarantee", [](Held& held) {
    return tuple_of(held.use([](const State& state) { return state.guarantee(); }));
  });
  bound.def_property_readonly("people", &Held::people);
  bound.def_property_readonly("steps", [](Held& held) {
    return held.use([](const State& state) { return state.steps(); });
  });
  bind_saving(bound);
}

void bind_filter(py::module_& module) {
  using Held = Guarded<Filter>;
  py::class_<Held, std::unique_ptr<Held>> bound(module, "Filter");
  bound.def(py::init(
      [](const std::string& currency, std::size_t people, const std::vector<OneBudget>& kinds,
         const std::vector<std::uint32_t>& kind_of, const std::vector<double>& orders) {
        return std::make_unique<Held>(Filter(people, currency_of(currency, orders),
                                             {.kinds = budgets_of(kinds), .kind_of = kind_of}));
      }));
  bound.def("admit", &admit<float>, py::arg(), py::arg(), py::arg(), py::arg().noconvert());
  bound.def("admit", &admit<double>, py::arg(), py::arg(), py::arg(), py::arg().noconvert());
  bound.def("could_admit", &could_admit<float>, py::arg(), py::arg(), py::arg(),
            py::arg().noconvert(), py::arg());
  bound.def("could_admit", &could_admit<double>, py::arg(), py::arg(), py::arg(),
            py::arg().noconvert(), py::arg());
  bound.def("budget", [](Held& held, std::size_t person, double delta) {
    return tuple_of(held.use([&](const Filter& filter) {
      if (person >= filter.people()) {
        refuse("person", std::to_string(person),
               "a number below the " + std::to_string(filter.people()) + " people");
      }
      return filter.budget(person, delta);
    }));
  });
  bind_totals(bound);
}

void bind_odometer(py::module_& module) {
  using Held = Guarded<Odometer>;
  py::class_<Held, std::unique_ptr<Held>> bound(module, "Odometer");
  // One budget repeats: levels at once, twice, ... of it.
  bound.def(py::init([](const std::string& currency, std::size_t people,
                        const std::vector<OneBudget>& levels, bool repeats,
                        const std::vector<double>& orders) {
    auto chosen = currency_of(currency, orders);
    const std::vector<Budget> listed = budgets_of(levels);
    Levels fixed =
        repeats ? levels_of(*chosen, listed.at(0)) : levels_of(*chosen, std::span(listed));
    return std::make_unique<Held>(Odometer(people, std::move(chosen), std::move(fixed)));
  }));
  bound.def("record", &record<float>, py::arg(), py::arg(), py::arg(), py::arg().noconvert());
  bound.def("record", &record<double>, py::arg(), py::arg(), py::arg(), py::arg().noconvert());
  bound.def("levels_after", &levels_after<float>, py::arg(), py::arg(), py::arg(),
            py::arg().noconvert());
  bound.def("levels_after", &levels_after<double>, py::arg(), py::arg(), py::arg(),
            py::arg().noconvert());
  bound.def_property_readonly("levels", [](Held& held) {
    return array_of(held.use([](const Odometer& odometer) { return odometer.reached(); }));
  });
  bind_totals(bound);
}

}  // namespace

void bind_filters(py::module_& module) {
  // Of filters and accounts alike.
  module.def("check_step", [](double noise, double clip, double rate) {
    (void)Step{.noise = noise, .clip = clip, .rate = rate};
  });
  bind_budgets(module);
  bind_filter(module);
  bind_odometer(module);
}

}  // namespace ration::python
