// One run of the clinical experiment: private training with the individual GDP filter, looked at
// after every epoch, and closely at two moments: when people can first be left out, and at the end.
// On all cores. All of it is private, but for what is said of the test people.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "paper/clinical_settings.h"
#include "ration/dataset/dataset.h"
#include "ration/train/architecture.h"
#include "ration/train/metrics.h"
#include "ration/train/secret_stream.h"

namespace ration {

// Of both kinds of people, by the list that paper_groups.h has.
struct ClinicalGroups {
  Groups train, test;
};

// Of one epoch, as its parameters are at its end. Of each list the first is of everybody, then
// come the groups as Groups::labels has them.
struct ClinicalEpoch {
  double test_auc;
  std::uint64_t active;
  std::vector<double> train_losses, test_losses, mean_epsilons;
};

// Of everybody, one after the other.
struct ClinicalMoment {
  std::vector<double> epsilons;  // upper ends
  std::vector<float> train_losses;
  train::Predictions test;
};

struct ClinicalRun {
  train::TrainingPlan plan;
  double clip_multiple;
  double budget;  // what everybody was promised, as epsilon
  std::vector<ClinicalEpoch> epochs;
  ClinicalMoment before, after;  // of filtering: after the budget's epochs, and after all
};

// Of runs with the same noise, in which those with the same clip bound come one after the other:
// those with this one.
std::span<const ClinicalRun> runs_at(std::span<const ClinicalRun> runs, double clip_multiple);

// The people must outlive the call.
struct ClinicalSetup {
  const Dataset& data;
  const ClinicalGroups& groups;
  const ClinicalSettings& settings;
};
train::Architecture clinical_architecture(const ClinicalSetup& setup);

ClinicalRun clinical_run(const ClinicalSetup& setup, const ClinicalTarget& target,
                         double clip_multiple, const train::SecretStream& stream,
                         const std::function<void()>& on_epoch = {});

}  // namespace ration
