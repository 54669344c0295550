// Saved state as Python's bytes.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "python/arrays.h"
#include "ration/state/saved.h"

namespace ration::python {

// Adds save, load, to_bytes and from_bytes to a class that holds Guarded<State>, or a kind of it
// that notes what was saved.
template <class State, class Held>
void bind_saving(py::class_<Held, std::unique_ptr<Held>>& bound) {
  static const auto note = [](Held& held, const State& state) {
    if constexpr (requires { held.note_saved(state); }) held.note_saved(state);
  };
  bound.def("save", [](Held& held, const std::string& file) {
    held.use([&](const State& state) {
      save(file, state);
      note(held, state);
    });
  });
  bound.def_static("load", [](const std::string& file, const std::string& kind) {
    const py::gil_scoped_release others_may_run;
    return std::make_unique<Held>(load<State>(file, kind));
  });
  bound.def("to_bytes", [](Held& held) {
    const auto bytes = held.use([&](const State& state) {
      note(held, state);
      return saved(state);
    });
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
