// What an action is refused with, for tests of refusals.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

// The refusal holds each of these texts.
template <class Action>
void expect_refusal(const Action& action, const std::vector<std::string>& texts) {
  const std::string said = refusal(action);
  for (const std::string& text : texts) {
    EXPECT_NE(said.find(text), std::string::npos) << said << " without " << text;
  }
}

}  // namespace ration
