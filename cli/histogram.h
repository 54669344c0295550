// How people's eps are spread, as a few bars for a terminal of 80 columns. Private.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ration/base/bound.h"

namespace ration::cli {

// Whether the user's terminal and pager show more than ASCII: what LC_ALL, LC_CTYPE and LANG say.
bool shows_unicode();

enum class Bars { blocks, ascii };

// Ten equal bins from 0 to what is promised, or further if somebody has spent more; a line for
// each, with how many people lie in it by their upper ends. Where anybody lies, there is a bar.
std::string histogram(std::span<const Bound> epsilons, const std::optional<Bound>& promise,
                      Bars bars);

}  // namespace ration::cli
