// A figure in words: what the paper shows, what came out here, and whether its claims held. Pure
// functions.
#pragma once

#include <string>
#include <string_view>

#include "paper/figure.h"

namespace ration {

std::string_view verdict(bool held);  // "held", "did not hold"

// All claims of it.
bool held(const Figure& figure);

std::string markdown_of(const Figure& figure);

}  // namespace ration
