// The accounts of some people alone, as they are: for who is looked at more closely. Pure function.
#pragma once

#include <cstddef>
#include <span>

#include "ration/individual/accounts.h"

namespace ration {

// In the order of `who`. Refuses people who are not there.
Accounts some_of(const Accounts& accounts, std::span<const std::size_t> who);

}  // namespace ration
