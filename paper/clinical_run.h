// One run of the clinical experiment: private training with the individual GDP filter, looked at
// after every epoch, and closely at two moments: when people can first be left out, and at the end.
// On all cores. All of it is private except what is said about the test people.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "paper/clinical_experiment.h"
#include "ration/dataset/dataset.h"
#include "ration/model/metrics.h"
#include "ration/model/network.h"
#include "ration/noise/secret_stream.h"

namespace ration::paper {

// The groups of the people in training and of those in test (clinical_groups.h).
struct ClinicalGroups {
  Groups train, test;
};

// One epoch, with the parameters at its end. The first entry of each list is for everybody; the
// groups follow in the order of Groups::labels.
struct ClinicalEpoch {
  double test_auc;
  std::uint64_t active;
  std::vector<double> train_losses, test_losses, mean_epsilons;
};

// Everybody's values, one after the other.
struct ClinicalMoment {
  std::vector<double> epsilons;  // upper ends
  std::vector<float> train_losses;
  Predictions test;
};

struct ClinicalRun {
  train::TrainingPlan plan;
  double clip_multiple;
  double budget;  // what everybody was promised, as epsilon
  std::vector<ClinicalEpoch> epochs;
  ClinicalMoment before, after;  // of filtering: after the budget's epochs, and after all
};

// The runs with this clip bound, among runs with the same noise in which those with the same clip
// bound come one after the other.
std::span<const ClinicalRun> runs_at(std::span<const ClinicalRun> runs, double clip_multiple);

// The people must outlive the call.
struct ClinicalSetup {
  const Dataset& data;
  const ClinicalGroups& groups;
  const ClinicalSettings& settings;
};
Architecture clinical_architecture(const ClinicalSetup& setup);

ClinicalRun clinical_run(const ClinicalSetup& setup, const ClinicalTarget& target,
                         double clip_multiple, const SecretStream& stream,
                         const std::function<void()>& on_epoch = {});

// Sentences about what was done here: whose data, and how many people;
std::string people_text(const ClinicalSetup& setup);
// the groups' sizes, and which of them came out smaller than intended;
std::string groups_text(const ClinicalSetup& setup);
// the network, its training and the budget.
std::string training_text(const ClinicalSetup& setup, const ClinicalRun& run);

}  // namespace ration::paper
