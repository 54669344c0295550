// Text that can go into tables, JSON and HTML. Pure functions.
#pragma once

#include <string_view>

namespace ration {

// Well-formed UTF-8 (RFC 3629: no surrogates, nothing overlong).
bool is_utf8(std::string_view text);
bool is_control(char c);  // line breaks and tabs among them

}  // namespace ration
