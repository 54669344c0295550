// Accounts, filters and odometers as sections of a state: alone in a file of their kind (saved.h),
// where no prefix stands before the sections' names, or side by side as parts of a larger state,
// each under a prefix of its own. docs/state.md
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ration/base/error.h"
#include "ration/control/filter.h"
#include "ration/control/odometer.h"
#include "ration/individual/accounts.h"
#include "ration/state/state_file.h"

namespace ration {

// What is added must stay as it is until the writer has written: long arrays are not copied.
void add_sections(StateWriter& writer, const std::string& prefix, const Accounts& accounts);
void add_sections(StateWriter& writer, const std::string& prefix, const Filter& filter);
void add_sections(StateWriter& writer, const std::string& prefix, const Odometer& odometer);

// What a kind such as individual-renyi-filter says of a filter or an odometer.
struct KindParts {
  Scope scope;
  std::string_view currency;  // Currency::state_name
};

// Refuse values that no steps lead to: all of them are checked again.
Accounts read_accounts(StateReader& reader, const std::string& prefix);
Filter read_filter(StateReader& reader, const std::string& prefix, const KindParts& kind);
Odometer read_odometer(StateReader& reader, const std::string& prefix, const KindParts& kind);

template <class Value>
std::vector<Value> copy_of(std::span<const Value> values) {
  return {values.begin(), values.end()};
}

// What a constructor refuses is a fault of the file, and says so.
template <class Build>
auto built_from(const std::string& source, const Build& build) {
  try {
    return build();
  } catch (const Error& e) {
    throw Error(source + " holds what no steps lead to: " + e.what());
  }
}

}  // namespace ration
