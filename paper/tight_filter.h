// What the paper leaves open: a filter for sampled steps that is nearly as good as tight accounting
// of steps that are fixed in advance, and what happens to somebody who takes such accounting for a
// filter. No data are read, and nothing is about people. docs/reproduce.md,
// docs/math/tight_filter.md
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "paper/figure.h"
#include "ration/base/values.h"
#include "ration/mechanism/mechanism.h"

namespace ration::paper {

// Steps at the clip bound, and by how much the eps that the tight filter promises may exceed the
// tight eps of the steps that it admits: to people at the clip bound, and to those at ratios from 2
// to 16.
struct TightFilterSetting {
  SubsampledGaussian step;
  double steps, delta;
  double at_clip_bound, at_ratios;
};

struct TightFilterSettings {
  std::vector<TightFilterSetting> settings;
  std::uint32_t per_doubling = 4;            // ratios
  std::vector<int> game_steps = {3, 6, 12};  // budgets of the game, in steps at the clip bound
  std::uint64_t paths = 4'000'000;

  static TightFilterSettings full();
  static TightFilterSettings quick();
};

std::chrono::seconds expected_time(const TightFilterSettings& settings);

// tight-filter-steps: how many steps are admitted, by noise ratio, under each filter and under
// tight accounting without one. tight-filter-adversary: what an adaptive adversary reaches.
std::vector<Figure> tight_filter_figures(const TightFilterSettings& settings,
                                         const OnFraction& on_fraction = {});

// One of them each.
Figure tight_filter_steps_figure(const TightFilterSettings& settings,
                                 const OnFraction& on_fraction = {});
Figure tight_filter_adversary_figure(const TightFilterSettings& settings,
                                     const OnFraction& on_fraction = {});

}  // namespace ration::paper
