#include "paper/experiments.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "paper/clinical_experiment.h"
#include "paper/gdp_vs_rdp.h"
#include "paper/mnist_experiment.h"
#include "paper/tight_filter.h"
#include "ration/base/error.h"
#include "ration/dataset/load_dataset.h"
#include "ration/file/open_file.h"

namespace ration::paper {
namespace {

constexpr const char* kFashionMnist = "/usr/share/datasets/fashion-mnist";
// Whose files they are cannot be seen from them.
constexpr const char* kOwnFiles = "the paper's data, if these files hold them";

TightFilterSettings tight_filter_settings(const Reproduction& asked) {
  return asked.quick ? TightFilterSettings::quick() : TightFilterSettings::full();
}

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

ExperimentData mnist_data(const std::optional<std::filesystem::path>& folder) {
  if (folder) return {.data = load_dataset(idx_source_in(*folder)), .standing = kOwnFiles};
  if (!is_folder(kFashionMnist)) {
    throw Error(
        fmt::format("{} is missing: install the package dataset-fashion-mnist, or give "
                    "--mnist DIR with the four IDX files of MNIST",
                    kFashionMnist));
  }
  Dataset data = load_dataset(idx_source_in(kFashionMnist));
  data.description = fmt::format("Fashion-MNIST, {}", data.description);
  return {.data = std::move(data), .standing = "a stand-in for MNIST"};
}

ExperimentData clinical_data(const std::optional<std::filesystem::path>& folder) {
  if (!folder) {
    return {.data = load_dataset(CohortSource{}), .standing = "a stand-in for MIMIC-III"};
  }
  return {.data = load_dataset(NpySource{.train_features = *folder / "train_X.npy",
                                         .train_labels = *folder / "train_y.npy",
                                         .test_features = *folder / "test_X.npy",
                                         .test_labels = *folder / "test_y.npy"}),
          .standing = kOwnFiles};
}

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
    case Experiment::tight_filter:
      return {.experiment = experiment,
              .data = "none: certified bounds, and a small game",
              .expected = expected_time(experiment, asked),
              .figures = [settings = tight_filter_settings(asked)](const OnFraction& on_fraction) {
                return tight_filter_figures(settings, on_fraction);
              }};
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
    case Experiment::tight_filter:
      return expected_time(tight_filter_settings(asked));
  }
  return {};
}

}  // namespace ration::paper
