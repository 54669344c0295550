// The compiled half of the Python package: the library's functions as they are, on plain numbers
// and arrays. What a person calls is in python/ration/.
#include "python/arrays.h"
#include "ration/base/error.h"

PYBIND11_MODULE(_core, module) {
  using namespace ration::python;
  module.doc() = "The library behind the package ration; not for direct use.";
  module.attr("version") = RATION_VERSION;
  py::register_exception<ration::Error>(module, "RationError", PyExc_ValueError);
  PYBIND11_NUMPY_DTYPE(ration::Bound, lower, upper);
  bind_closed_forms(module);
  bind_plans(module);
  bind_accounts(module);
  bind_filters(module);
}
