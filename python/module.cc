// The compiled half of the Python package: the library's functions as they are, on plain numbers
// and arrays. What a person calls is in python/ration/.
#include <omp.h>
#include <pthread.h>

#include <string>

#include "python/arrays.h"
#include "ration/base/error.h"

namespace {

// To pybind11 before 2.12 every array of NumPy 2 has elements of no size, so that everybody would
// get the first person's answer.
void check_numpy() {
#if PYBIND11_VERSION_HEX < 0x020C0000
  const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (std::stoi(version) >= 2) {
    throw py::import_error("this build of ration cannot read arrays of NumPy " + version +
                           ": build it with pybind11 2.12 or later, as pip install does, or use "
                           "NumPy 1");
  }
#endif
}

// A forked child has none of its parent's threads, and OpenMP would wait for them forever.
void work_alone_after_fork() {
  if (pthread_atfork(nullptr, nullptr, [] { omp_set_num_threads(1); }) != 0) {
    throw py::import_error("ration cannot prepare for forks: out of memory");
  }
}

// A caller from Python is told of both alike.
void register_errors(py::module_& module) {
  static py::exception<ration::Error> raised(module, "RationError", PyExc_ValueError);
  py::register_exception_translator([](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const ration::Error& error) {
      PyErr_SetString(raised.ptr(), error.what());
    } catch (const ration::OutOfReach& limit) {
      PyErr_SetString(raised.ptr(), limit.what());
    }
  });
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  using namespace ration::python;
  check_numpy();
  work_alone_after_fork();
  module.doc() = "The library behind the package ration; not for direct use.";
  module.attr("version") = RATION_VERSION;
  register_errors(module);
  PYBIND11_NUMPY_DTYPE(ration::Bound, lower, upper);
  bind_closed_forms(module);
  bind_plans(module);
  bind_accounts(module);
  bind_currencies(module);
  bind_filters(module);
  bind_books(module);
  bind_ledger(module);
}
