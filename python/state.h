// Saved state as Python's bytes.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "python/arrays.h"
#include "ration/state/saved.h"

namespace ration::python {

// Adds save, load, to_bytes and from_bytes to a class that holds Guarded<State>.
template <class State>
void bind_saving(py::class_<Guarded<State>, std::unique_ptr<Guarded<State>>>& bound) {
  using Held = Guarded<State>;
  bound.def("save", [](Held& held, const std::string& file) {
    held.use([&](const State& state) { save(file, state); });
  });
  bound.def_static("load", [](const std::string& file, const std::string& kind) {
    const py::gil_scoped_release others_may_run;
    return std::make_unique<Held>(load<State>(file, kind));
  });
  bound.def("to_bytes", [](Held& held) {
    const auto bytes = held.use([](const State& state) { return saved(state); });
    return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  bound.def_static("from_bytes", [](const py::bytes& given, const std::string& kind) {
    const std::string_view text = given;
    std::vector<std::byte> aligned(text.size());  // as Python's bytes need not be
    std::memcpy(aligned.data(), text.data(), text.size());
    const py::gil_scoped_release others_may_run;
    return std::make_unique<Held>(restored<State>(aligned, kind));
  });
}

}  // namespace ration::python
