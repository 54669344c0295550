#include "ration/control/filter.h"

#include <limits>

#include "python/arrays.h"
#include "python/budgets.h"
#include "python/held_filter.h"
#include "python/state.h"
#include "ration/control/odometer.h"

namespace ration::python {
namespace {

template <class Real>
py::array_t<bool> admit(HeldFilter& held, double noise, double clip, double rate,
                        const Array<Real>& norms) {
  const auto given = span_of(norms);
  py::array_t<bool> mask(norms.size());
  static_assert(sizeof(bool) == sizeof(std::uint8_t));
  const std::span<std::uint8_t> out(reinterpret_cast<std::uint8_t*>(mask.mutable_data()),
                                    given.size());
  held.check_process();
  held.use([&](Filter& filter) {
    held.charge(filter,
                [&] { filter.admit({.noise = noise, .clip = clip, .rate = rate}, given, out); });
  });
  return mask;
}

template <class Real>
py::array_t<std::uint32_t> could_admit(HeldFilter& held, double noise, double clip, double rate,
                                       const Array<Real>& norms, std::uint32_t most) {
  const auto given = span_of(norms);
  std::vector<std::uint32_t> times(given.size());
  held.use([&](Filter& filter) {
    filter.could_admit({.noise = noise, .clip = clip, .rate = rate}, given, most, times);
  });
  return array_of(std::move(times));
}

void check_person(const Filter& filter, std::size_t person) {
  if (person < filter.people()) return;
  refuse("person", std::to_string(person),
         "a number below the " + std::to_string(filter.people()) + " people");
}

// How many steps at the clip bound fit into a person's whole budget.
std::uint32_t worst_case_steps(const Filter& filter, std::size_t person, const Step& step) {
  const std::size_t places = filter.currency().places();
  const Filter::State& state = filter.state();
  std::size_t row = state.kind_of.empty() ? person : state.kind_of[person];
  if (state.budgets.size() == places) row = 0;  // one for all
  const std::unique_ptr<Price> price = filter.currency().price(step);
  const Row nothing(places, 0);
  return price->times_that_fit(price->worst_case(), nothing.data(), &state.budgets[row * places],
                               std::numeric_limits<std::uint32_t>::max());
}

template <class Real>
void record(Guarded<Odometer>& held, double noise, double clip, double rate,
            const Array<Real>& norms) {
  const auto given = span_of(norms);
  held.use([&](Odometer& odometer) {
    odometer.record({.noise = noise, .clip = clip, .rate = rate}, given);
  });
}

template <class Real>
py::array_t<std::uint64_t> levels_after(Guarded<Odometer>& held, double noise, double clip,
                                        double rate, const Array<Real>& norms) {
  const auto given = span_of(norms);
  std::vector<std::uint64_t> levels(given.size());
  held.use([&](Odometer& odometer) {
    odometer.levels_after({.noise = noise, .clip = clip, .rate = rate}, given, levels);
  });
  return array_of(std::move(levels));
}

// What filters and odometers have in common.
template <class State, class Held>
void bind_totals(py::class_<Held, std::unique_ptr<Held>>& bound) {
  bound.def_property_readonly("guarantee", [](Held& held) {
    return tuple_of(held.use([](const State& state) { return state.guarantee(); }));
  });
  bound.def_property_readonly("people", &Held::people);
  bound.def_property_readonly("steps", [](Held& held) {
    return held.use([](const State& state) { return state.steps(); });
  });
  bind_saving<State>(bound);
}

void bind_filter(py::module_& module) {
  using Held = HeldFilter;
  py::class_<Held, std::unique_ptr<Held>> bound(module, "Filter");
  bound.def(
      py::init([](const OneCurrency& given, std::size_t people, const std::vector<OneBudget>& kinds,
                  const std::vector<std::uint32_t>& kind_of) {
        return std::make_unique<Held>(
            Filter(people, given.currency, {.kinds = budgets_of(kinds), .kind_of = kind_of}));
      }));
  bound.def("admit", &admit<float>, py::arg(), py::arg(), py::arg(), py::arg().noconvert());
  bound.def("admit", &admit<double>, py::arg(), py::arg(), py::arg(), py::arg().noconvert());
  bound.def("could_admit", &could_admit<float>, py::arg(), py::arg(), py::arg(),
            py::arg().noconvert(), py::arg());
  bound.def("could_admit", &could_admit<double>, py::arg(), py::arg(), py::arg(),
            py::arg().noconvert(), py::arg());
  bound.def("budget", [](Held& held, std::size_t person, double delta) {
    return tuple_of(held.use([&](const Filter& filter) {
      check_person(filter, person);
      return filter.budget(person, delta);
    }));
  });
  bound.def("worst_case_steps", [](Held& held, std::size_t person, double noise, double rate) {
    return held.use([&](const Filter& filter) {
      check_person(filter, person);
      return worst_case_steps(filter, person, {.noise = noise, .rate = rate});
    });
  });
  bound.def("spent", [](Held& held, double delta) {
    return array_of(held.use([&](const Filter& filter) { return filter.spent(delta); }));
  });
  bound.def_property_readonly("holds_all", [](Held& held) {
    const py::gil_scoped_release others_may_run;
    return held.holds_all();
  });
  bound.def_property_readonly("source", [](Held& held) {
    return held.use([](const Filter& filter) { return filter.state().source; });
  });
  bind_totals<Filter>(bound);
}

void bind_odometer(py::module_& module) {
  using Held = Guarded<Odometer>;
  py::class_<Held, std::unique_ptr<Held>> bound(module, "Odometer");
  // One budget repeats: levels at once, twice, ... of it.
  bound.def(py::init([](const OneCurrency& given, std::size_t people,
                        const std::vector<OneBudget>& levels, bool repeats) {
    const std::vector<Budget> listed = budgets_of(levels);
    Levels fixed = repeats ? levels_of(*given.currency, listed.at(0))
                           : levels_of(*given.currency, std::span(listed));
    return std::make_unique<Held>(Odometer(people, given.currency, std::move(fixed)));
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
  bound.def("reached", [](Held& held, double delta) {
    return array_of(held.use([&](const Odometer& odometer) { return odometer.reached(delta); }));
  });
  bind_totals<Odometer>(bound);
}

}  // namespace

void bind_filters(py::module_& module) {
  // Of filters and accounts alike.
  module.def("check_step", [](double noise, double clip, double rate) {
    (void)Step{.noise = noise, .clip = clip, .rate = rate};
  });
  bind_filter(module);
  bind_odometer(module);
}

}  // namespace ration::python
