// NumPy arrays as the library's spans, without copies. The Python side has made them contiguous and
// of one of two types.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/error.h"

namespace py = pybind11;

namespace ration::python {

// Not flattened, not cast: an array of another kind fits no overload.
template <class Value>
using Array = py::array_t<Value, py::array::c_style>;

// Where values lie is asked while the interpreter is held; they may change once it is not.
template <class Value>
std::span<const Value> span_of(const Array<Value>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

// A list becomes an array that owns it.
template <class Value>
py::array_t<Value> array_of(std::vector<Value>&& values) {
  auto* kept = new std::vector<Value>(std::move(values));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<Value>*>(p); });
  return py::array_t<Value>(static_cast<py::ssize_t>(kept->size()), kept->data(), owner);
}

// (lower, upper) and (theorem, adaptive, certified, neighbours): Python makes named values of them.
inline py::tuple tuple_of(const Bound& bound) { return py::make_tuple(bound.lower, bound.upper); }
inline py::tuple tuple_of(const Guarantee& guarantee) {
  return py::make_tuple(guarantee.theorem, guarantee.adaptive, guarantee.certified,
                        guarantee.neighbours);
}

// Whether this thread is telling Python about progress, while it holds what is worked on.
inline thread_local bool tells_progress = false;

// State that is for one caller at a time, in a language whose threads run while we compute: each
// use waits for the one before, without holding the interpreter.
template <class State>
class Guarded {
 public:
  explicit Guarded(State state) : people_(state.people()), state_(std::move(state)) {}

  std::size_t people() const { return people_; }

  template <class Use>
  auto use(const Use& work) {
    refuse_during_progress();
    const py::gil_scoped_release others_may_run;
    const std::scoped_lock alone(mutex_);
    return work(state_);
  }

  // The same of two at once.
  template <class Other, class Use>
  auto use_with(Guarded<Other>& other, const Use& work) {
    refuse_during_progress();
    const py::gil_scoped_release others_may_run;
    const std::scoped_lock alone(mutex_, other.mutex_);
    return work(state_, other.state_);
  }

 private:
  template <class Other>
  friend class Guarded;

  static void refuse_during_progress() {
    if (!tells_progress) return;
    throw Error("progress is told in the middle of work: do not use accounts or filters in it");
  }

  const std::size_t people_;  // never changes, and may be asked at any time
  std::mutex mutex_;

 protected:
  State state_;
};

void bind_closed_forms(py::module_& module);
void bind_plans(py::module_& module);
void bind_accounts(py::module_& module);
void bind_currencies(py::module_& module);
void bind_filters(py::module_& module);
void bind_books(py::module_& module);
void bind_ledger(py::module_& module);

}  // namespace ration::python
