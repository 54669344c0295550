// Which filters there are, by name.
#pragma once

#include <string_view>

namespace ration {

enum class FilterKind { gdp, rdp };
std::string_view name(FilterKind kind);

// "gdp" or "rdp". Refuses "pld" with the reason, and everything else.
FilterKind filter_kind(std::string_view text);

}  // namespace ration
