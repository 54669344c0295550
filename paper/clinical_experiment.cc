#include "paper/clinical_experiment.h"

#include "paper/clinical_figures.h"
#include "paper/clinical_run.h"
#include "paper/paper_groups.h"
#include "ration/base/error.h"

namespace ration {
namespace {

// Runs one after the other: each has noise of its own.
class Runs {
 public:
  Runs(const ClinicalSetup& setup, const OnFraction& on_fraction)
      : setup_(setup), on_fraction_(on_fraction) {}

  // All with this target's noise, by clip bound.
  std::vector<ClinicalRun> of(const ClinicalTarget& target) {
    std::vector<ClinicalRun> all;
    for (const double multiple : kClipMultiples) {
      for (std::size_t i = 0; i < setup_.settings.runs_of(target, multiple); ++i) {
        all.push_back(next(target, multiple));
      }
    }
    return all;
  }

 private:
  ClinicalRun next(const ClinicalTarget& target, double clip_multiple) {
    const auto& seed = setup_.settings.test_seed;
    const train::SecretStream stream = seed ? train::SecretStream::of_seed(*seed + started_)
                                            : train::SecretStream::of_the_system();
    ++started_;
    return clinical_run(setup_, target, clip_multiple, stream, [&] {
      ++epochs_;
      const std::uint64_t all = setup_.settings.runs() * setup_.settings.epochs;
      if (on_fraction_) on_fraction_(static_cast<double>(epochs_) / static_cast<double>(all));
    });
  }

  const ClinicalSetup& setup_;
  const OnFraction& on_fraction_;
  std::uint64_t started_ = 0, epochs_ = 0;
};

ClinicalGroups groups_of(const Dataset& data, const ClinicalSettings& settings) {
  check(settings);
  if (data.test.count() == 0) refuse("test people", "none", "data with people to test with");
  return {
      .train = paper_groups(data.train.labels, {settings.train_group, kClinicalSeed, train_groups}),
      .test = paper_groups(data.test.labels, {settings.test_group, kClinicalSeed, test_groups})};
}

}  // namespace

void check(const Dataset& data, const ClinicalSettings& settings) { groups_of(data, settings); }

std::vector<Figure> clinical_figures(const Dataset& data, const ClinicalSettings& settings,
                                     const OnFraction& on_fraction) {
  const ClinicalGroups groups = groups_of(data, settings);
  const ClinicalSetup setup = {.data = data, .groups = groups, .settings = settings};

  Runs runs(setup, on_fraction);
  std::vector<Figure> figures, clipping, histograms;
  for (const ClinicalTarget& target : kClinicalTargets) {
    const std::vector<ClinicalRun> all = runs.of(target);
    clipping.push_back(clipping_figure(setup, target, all));
    const bool is_paper_noise = target.noise.has_value();
    if (!is_paper_noise) continue;
    figures.push_back(groups_figure(setup, runs_at(all, kPaperMultiple)));
    for (const double multiple : {kPaperMultiple, kLargestMultiple}) {
      histograms.push_back(histograms_figure(setup, runs_at(all, multiple)));
    }
  }
  for (std::vector<Figure>* part : {&clipping, &histograms}) {
    for (Figure& figure : *part) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace ration
