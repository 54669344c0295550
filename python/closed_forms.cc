#include "python/arrays.h"
#include "ration/loss/gdp.h"

namespace ration::python {
namespace {

using Doubles = Array<double>;
using Batch = void (*)(std::span<const double>, std::span<const double>, std::span<Bound>);

// Both arrays are one-dimensional and of one length.
template <Batch batch>
py::array_t<Bound> many(const Doubles& first, const Doubles& second) {
  std::vector<Bound> out(static_cast<std::size_t>(first.size()));
  {
    const py::gil_scoped_release others_may_run;
    batch(span_of(first), span_of(second), out);
  }
  return array_of(std::move(out));
}

}  // namespace

void bind_closed_forms(py::module_& module) {
  module.def("epsilon", [](double mu, double delta) {
    return tuple_of(gdp::epsilon({mu, delta}));
  });
  module.def("delta", [](double epsilon, double mu) {
    return tuple_of(gdp::delta({epsilon, mu}));
  });
  module.def("mu", [](double epsilon, double delta) {
    return tuple_of(gdp::mu({epsilon, delta}));
  });
  module.def("advantage", [](double mu) { return tuple_of(gdp::advantage(mu)); });
  module.def("true_positive_rate", [](double mu, double false_positive_rate) {
    return tuple_of(gdp::true_positive_rate({mu, false_positive_rate}));
  });
  module.def("epsilons", &many<&gdp::epsilons>, py::arg("mu").noconvert(),
             py::arg("delta").noconvert());
  module.def("deltas", &many<&gdp::deltas>, py::arg("epsilon").noconvert(),
             py::arg("mu").noconvert());
}

}  // namespace ration::python
