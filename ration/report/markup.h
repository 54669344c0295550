// Text inside XML and HTML. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace ration {

// Means the same between tags and inside quoted attributes. Characters that XML does not allow
// become blanks.
std::string escaped(std::string_view text);

}  // namespace ration
