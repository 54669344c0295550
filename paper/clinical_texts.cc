#include "paper/clinical_texts.h"

#include <fmt/format.h>

#include "paper/paper_groups.h"
#include "ration/report/rounded_text.h"

namespace ration {
namespace {

std::string small_groups(const Groups& groups, std::size_t wanted, const char* where) {
  const GroupMembers members = members_of(groups);
  std::string text;
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    if (members[g].size() == wanted) continue;
    text += fmt::format(" Only {} people are there for '{}' in {}.", members[g].size(),
                        groups.labels[g], where);
  }
  return text;
}

}  // namespace

std::string signed_text(const Estimate& estimate) {
  return fmt::format("{:+.4f} ({:+.4f} to {:+.4f})", estimate.value, estimate.low, estimate.high);
}

std::string clip_text(double clip_multiple) {
  if (clip_multiple == kPaperMultiple) return "the paper's clip bound";
  return fmt::format("{} times the paper's clip bound", clip_multiple);
}

std::string people_text(const ClinicalSetup& setup) {
  return fmt::format("{}: {} people in training, {} in test.{}", setup.data.description,
                     setup.data.train.count(), setup.data.test.count(),
                     setup.settings.test_seed ? " Noise is from a test seed: not private." : "");
}

std::string groups_text(const ClinicalSetup& setup) {
  const ClinicalSettings& settings = setup.settings;
  return fmt::format("Groups of {} in training and {} in test, drawn by a public seed.{}{}",
                     settings.train_group, settings.test_group,
                     small_groups(setup.groups.train, settings.train_group, "training"),
                     small_groups(setup.groups.test, settings.test_group, "test"));
}

std::string training_text(const ClinicalSetup& setup, const ClinicalRun& run) {
  const train::Architecture architecture = clinical_architecture(setup);
  return fmt::format(
      "Network {}-{}-{}, Adam, full batch, {} epochs, noise {:.6g}. Everybody's budget is what {} "
      "epochs cost at the clip bound: epsilon {} at delta {}.",
      architecture.inputs, architecture.hidden[0], architecture.outputs, run.plan.epochs,
      static_cast<double>(run.plan.step.noise), setup.settings.budget_epochs,
      rounded_up(run.budget, 6), static_cast<double>(run.plan.delta));
}

}  // namespace ration
