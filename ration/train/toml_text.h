// TOML as text, read and written: any UTF-8 that toml++ would not survive is made plain first, and
// what is written has one form, so that equal settings are equal texts. Pure functions.
#pragma once

#include <string>
#include <string_view>

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace ration::train {

// Refuses what is no TOML, with its line; `source` is what messages call it.
toml::table parse_toml(std::string_view text, const std::string& source);

// Sections and their keys. Numbers are as short as they can be: 1e-05.
std::string toml_text(const toml::table& sections);

}  // namespace ration::train
