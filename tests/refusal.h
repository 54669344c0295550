// What an action is refused with, for tests of refusals.
#pragma once

#include <string>

#include "ration/base/error.h"

namespace ration {

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  } catch (const OutOfReach& limit) {
    return limit.what();
  }
  return "accepted";
}

}  // namespace ration
