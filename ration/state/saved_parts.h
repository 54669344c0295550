// What saved accounts, filters and odometers have in common: copies of short lists, and refusals
// that name the file.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "ration/base/error.h"
#include "ration/base/values.h"

namespace ration {

template <class Value>
std::vector<Value> copy_of(std::span<const Value> values) {
  return {values.begin(), values.end()};
}

// Checked values, such as orders, as plain numbers; and back, where each is checked again.
template <class Checked>
std::vector<double> plain(std::span<const Checked> values) {
  return {values.begin(), values.end()};
}
template <class Checked>
std::vector<Checked> checked(std::span<const double> values) {
  return {values.begin(), values.end()};
}

// What a constructor refuses is a fault of the file, and says so.
template <class Build>
auto built_from(const std::filesystem::path& file, const Build& build) {
  try {
    return build();
  } catch (const Error& e) {
    throw Error(file.string() + " holds what no steps lead to: " + e.what());
  }
}

}  // namespace ration
