// Figure 1 of the paper: DP-SGD on images, and what it costs some of the people they belong to.
// Left, one person's delta(eps) beside the Gaussian curve fitted to it; right, everybody's eps by
// several accountants. The people's norms are computed at every step, and they are charged at every
// step, drawn or not; everybody else is clipped and not followed. For one caller at a time; OpenMP
// inside. What comes out is private. docs/reproduce.md
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "paper/figure.h"
#include "ration/dataset/dataset.h"
#include "ration/individual/step.h"

namespace ration::paper {

struct MnistSettings {
  std::size_t followed;             // people, drawn at random
  std::vector<std::size_t> hidden;  // widths of the layers
  double learning_rate = 0.05;      // of SGD without momentum
  Step step = {.noise = 2, .clip = 5, .rate = 300.0 / 60'000};
  std::uint64_t epochs = 50;
  std::uint64_t public_seed = 1;                // of who is followed
  std::optional<std::uint64_t> test_seed = {};  // of noise and draws: not private then

  static MnistSettings full();
  static MnistSettings quick();  // fewer people, and a narrower network
};

// Refuses fewer people than are to be followed.
void check(const Dataset& data, const MnistSettings& settings);

// People have one label each (MNIST, Fashion-MNIST), and pixels from 0 to 1. Refuses what check()
// refuses.
std::vector<Figure> mnist_figures(const Dataset& data, const MnistSettings& settings,
                                  const OnFraction& on_fraction = {});

// About how long it takes on this machine, for 60,000 images of 784 pixels.
std::chrono::seconds expected_time(const MnistSettings& settings);

}  // namespace ration::paper
