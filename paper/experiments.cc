#include "paper/experiments.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "paper/clinical_experiment.h"
#include "paper/experiment_data.h"
#include "paper/gdp_vs_rdp.h"
#include "paper/mnist_experiment.h"
#include "ration/base/error.h"

namespace ration {
namespace {

template <class Settings>
Settings settings_of(const Reproduction& asked) {
  Settings settings = asked.quick ? Settings::quick() : Settings::full();
  settings.test_seed = asked.test_seed;
  return settings;
}

// An experiment that trains on people.
template <class Settings>
using OnData = std::vector<Figure>(const Dataset&, const Settings&, const OnFraction&);
template <class Settings>
PreparedExperiment trained(Experiment experiment, const Reproduction& asked, ExperimentData from,
                           OnData<Settings>* figures) {
  const auto kept = std::make_shared<const Dataset>(std::move(from.data));
  const auto settings = settings_of<Settings>(asked);
  check(*kept, settings);
  return {.experiment = experiment,
          .data = fmt::format("{}: {}", kept->description, from.standing),
          .expected = expected_time(settings),
          .figures = [=](const OnFraction& on_fraction) {
            return figures(*kept, settings, on_fraction);
          }};
}

}  // namespace

PreparedExperiment prepared(Experiment experiment, const Reproduction& asked) {
  switch (experiment) {
    case Experiment::gdp_vs_rdp:
      return {.experiment = experiment,
              .data = "none: closed formulas",
              .expected = expected_time(experiment, asked),
              .figures = [](const OnFraction&) { return gdp_vs_rdp_figures(); }};
    case Experiment::mnist:
      return trained<MnistSettings>(experiment, asked, mnist_data(asked.mnist), mnist_figures);
    case Experiment::clinical:
      return trained<ClinicalSettings>(experiment, asked, clinical_data(asked.mimic),
                                       clinical_figures);
  }
  return {};
}

std::chrono::seconds expected_time(Experiment experiment, const Reproduction& asked) {
  switch (experiment) {
    case Experiment::gdp_vs_rdp:
      return std::chrono::seconds(1);
    case Experiment::mnist:
      return expected_time(settings_of<MnistSettings>(asked));
    case Experiment::clinical:
      return expected_time(settings_of<ClinicalSettings>(asked));
  }
  return {};
}

}  // namespace ration
