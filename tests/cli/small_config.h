// A configuration that trains in a moment, for tests of what is made of a run.
#pragma once

namespace ration {

inline constexpr const char* kSmallConfig = R"([data]
source = "cohort"
people = 60
test_people = 40
[groups]
by = "label"
label = "pneumonia"
[model]
hidden = [4]
[optimiser]
rate = 0.01
[privacy]
mode = "gd"
noise = 10
clip = 0.5
delta = 1e-5
[run]
epochs = 4
checkpoint_seconds = 1000
)";

}  // namespace ration
