// A configuration that trains in a moment, for tests of a run and of what is made from it.
#pragma once

#include <string>

namespace ration {

struct SmallRun {
  int people = 60, test_people = 40, hidden = 4, checkpoint_seconds = 1000;
  std::string clip = "0.5";
  int epochs = 4;
};

inline std::string small_config(const SmallRun& run = {}) {
  return "[data]\nsource = \"cohort\"\npeople = " + std::to_string(run.people) +
         "\ntest_people = " + std::to_string(run.test_people) + R"(
[groups]
by = "label"
label = "pneumonia"
[model]
hidden = [)" +
         std::to_string(run.hidden) + R"(]
[optimiser]
rate = 0.01
[privacy]
mode = "gd"
noise = 10
clip = )" +
         run.clip +
         R"(
delta = 1e-5
[run]
epochs = )" +
         std::to_string(run.epochs) + R"(
checkpoint_seconds = )" +
         std::to_string(run.checkpoint_seconds) + "\n";
}

}  // namespace ration
