#include "paper/tight_filter.h"

namespace ration::paper {

TightFilterSettings TightFilterSettings::full() {
  return {.settings = {{{.noise = 2, .rate = 0.005}, 10000, 1e-6, 1.005, 1.005},
                       {{.noise = 1, .rate = 0.01}, 1000, 1e-5, 1.03, 1.045},
                       {{.noise = 1.0777, .rate = 0.02}, 700, 1e-5, 1.03, 1.04},
                       {{.noise = 0.8, .rate = 0.001}, 20000, 1e-6, 1.04, 1.045},
                       {{.noise = 5, .rate = 0.1}, 1000, 1e-5, 1.012, 1.012}}};
}
TightFilterSettings TightFilterSettings::quick() {
  TightFilterSettings some = full();
  some.settings.erase(some.settings.begin() + 3);
  some.settings.erase(some.settings.begin());
  some.per_doubling = 1;
  some.game_steps = {3, 6};
  some.paths = 400'000;
  return some;
}

namespace {

// Measured: what the two figures take of the time.
constexpr double kStepsShare = 0.2;

}  // namespace

std::chrono::seconds expected_time(const TightFilterSettings& settings) {
  return std::chrono::seconds(settings.settings.size() > 3 ? 75 : 8);
}

std::vector<Figure> tight_filter_figures(const TightFilterSettings& settings,
                                         const OnFraction& on_fraction) {
  const auto part = [&](double from, double share) -> OnFraction {
    return [=](double done) {
      if (on_fraction) on_fraction(from + share * done);
    };
  };
  return {tight_filter_steps_figure(settings, part(0, kStepsShare)),
          tight_filter_adversary_figure(settings, part(kStepsShare, 1 - kStepsShare))};
}

}  // namespace ration::paper
