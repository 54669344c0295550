// Books as ration.opacus keeps them: accounts and a filter that Python holds, charged together.

#include "ration/control/books.h"

#include "python/held_filter.h"
#include "ration/base/people.h"
#include "ration/control/promise.h"

namespace ration::python {
namespace {

// What everybody paid for: their norm, or 0 for anyone who was left out.
py::array_t<double> charge(Guarded<Accounts>& accounts, HeldFilter& filter, double noise,
                           double clip, double rate, const Array<double>& norms) {
  const std::span<const double> given = span_of(norms);
  std::vector<std::uint8_t> mask(given.size());
  std::vector<double> paid(given.begin(), given.end());  // nobody else can change them
  filter.check_process();
  accounts.use_with(filter, [&](Accounts& own, Filter& chosen) {
    check_people(own.people(), given.size(), "norms");
    filter.charge(chosen, [&] {
      admit_and_charge<double>({.noise = noise, .clip = clip, .rate = rate},
                               {.mask = mask, .norms = paid}, chosen, own);
    });
  });
  return array_of(std::move(paid));
}

// The eps that is promised after a run whose worst case is `worst`, proved.
double promised(HeldFilter& held, double worst, double delta) {
  const WholeBudget budget =
      held.use([&](const Filter& filter) { return whole_budget(filter, delta); });
  return promise_of({.epsilon = exactly(worst), .guarantee = {.certified = true}}, budget)
      .epsilon.upper;
}

}  // namespace

void bind_books(py::module_& module) {
  module.def("admit_and_charge", &charge, py::arg(), py::arg(), py::arg(), py::arg(), py::arg(),
             py::arg().noconvert());
  module.def("promised", &promised);
}

}  // namespace ration::python
