#include "paper/mnist_experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>

#include "paper/mnist_figures.h"
#include "paper/mnist_run.h"

namespace ration {
namespace {

constexpr double kTraining = 0.9;  // share of the time

std::string network_in_words(const MnistSettings& settings) {
  if (settings.hidden.empty()) return "a linear model";
  return fmt::format("a network with hidden layers of {} (ReLU)",
                     fmt::join(settings.hidden, " and "));
}

// Data, settings and sizes.
std::string run_in_words(const Dataset& data, const MnistSettings& settings, const MnistRun& run) {
  std::string words = fmt::format(
      "{}: {} people to train on, {}, plain SGD at a learning rate of {}. DP-SGD with Poisson "
      "samples at rate {}, {} steps, noise {} and clip bound {}. {} people drawn at random are "
      "followed: their norms are computed at every step, and they pay at every step, drawn or not.",
      data.description, data.train.count(), network_in_words(settings), settings.learning_rate,
      double{settings.step.rate}, run.plan.steps(), double{settings.step.noise},
      double{settings.step.clip}, settings.followed);
  if (run.accuracy) words += fmt::format(" Test accuracy {:.1f}%.", 100 * *run.accuracy);
  if (settings.test_seed) words += " A test run with a known seed: nothing in it is private.";
  return words;
}

}  // namespace

MnistSettings MnistSettings::full() { return {.followed = 1000, .hidden = {128}}; }
MnistSettings MnistSettings::quick() { return {.followed = 500, .hidden = {32}}; }

std::vector<Figure> mnist_figures(const Dataset& data, const MnistSettings& settings,
                                  const OnFraction& on_fraction) {
  const auto report = [&](double fraction) {
    if (on_fraction) on_fraction(fraction);
  };
  const MnistRun run = run_mnist(data, settings, [&](double done) { report(kTraining * done); });
  const std::string here = run_in_words(data, settings, run);
  std::vector<Figure> figures;
  figures.push_back(figure_of_chosen(run, here));
  for (const double delta : {1e-6, 1e-5}) {
    report(kTraining + (1 - kTraining) * static_cast<double>(figures.size()) / 3);
    figures.push_back(figure_of_everybody(run, delta, here));
  }
  report(1);
  return figures;
}

// From measured times of one core. Steps of a few hundred people are not worth many cores, and the
// accounts are mostly one person's curve, which is worked out on one.
std::chrono::seconds expected_time(const MnistSettings& settings) {
  const auto steps = static_cast<double>(mnist_plan(settings, 1e-6).steps());
  const auto followed = static_cast<double>(settings.followed);
  const double width = std::accumulate(settings.hidden.begin(), settings.hidden.end(), 10.0);
  const double step = 1e-3 + 2.4e-5 * width, following_one = 3.5e-8 * width, accounts = 12;
  const double cores = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  const double work = steps * (step + following_one * followed);
  return std::chrono::seconds(std::llround(work / cores + accounts));
}

}  // namespace ration
