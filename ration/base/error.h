// Two exceptions, for two readers. Error is for the user: its text is a sentence to act on, with
// the argument, the value it had and what is accepted. OutOfReach is for the caller, who may try
// another way: the input is right, but this method would take too much work for it, or more digits
// than a double has. At the outside both are told alike. Neither holds a person's data, and a fault
// of the program (std::logic_error, std::bad_alloc) is neither. docs/decisions/0009-two-errors.md
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace ration {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class OutOfReach : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "noise is -1: give a number from 0.0001 to 1e+08". Numbers print so that they read back equal.
[[noreturn]] void refuse(std::string_view argument, double value, std::string_view accepted);
[[noreturn]] void refuse(std::string_view argument, std::string_view value,
                         std::string_view accepted);
// The same sentence, as OutOfReach.
[[noreturn]] void out_of_reach(std::string_view argument, double value, std::string_view accepted);

// What `work` returns, or nothing where that is out of reach: the one place that catches OutOfReach
// in order to go on. Errors and faults pass through.
template <class Work>
std::optional<std::invoke_result_t<const Work&>> if_in_reach(const Work& work) {
  try {
    return work();
  } catch (const OutOfReach&) {
    return std::nullopt;
  }
}

}  // namespace ration
