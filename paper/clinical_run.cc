#include "paper/clinical_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "paper/clinical_groups.h"
#include "paper/statistics.h"
#include "ration/base/bound.h"
#include "ration/results/run_records.h"
#include "ration/train/trainer.h"
#include "ration/train/training_plan.h"

namespace ration::paper {
namespace {

class Watched {
 public:
  Watched(const ClinicalSetup& setup, ClinicalRun& run) : setup_(setup), run_(run) {
    run_.epochs.resize(run.plan.epochs);
  }

  // At the end of an epoch, counted from 1.
  void look(std::uint64_t epoch, train::Trainer& trainer, const Network& network) {
    ClinicalEpoch& row = run_.epochs[epoch - 1];
    Predictions test = predictions(network, setup_.data.test);
    row.test_auc = evaluate(test, setup_.data.test).everybody.score.value();
    row.test_losses = results::means_of(test.losses, setup_.groups.test);
    row.active = results::sums_of(trainer.active(), setup_.groups.train)[0];

    const IndividualPrivacy everybody = train::everybody_of(
        trainer.settle_books().accounts, run_.plan, train::promise_of(run_.plan, trainer.steps()));
    std::vector<double> epsilons = upper_ends_of(everybody.epsilon);
    row.mean_epsilons = results::means_of(std::span<const double>(epsilons), setup_.groups.train);
    if (ClinicalMoment* const moment = moment_at(epoch)) {
      moment->epsilons = std::move(epsilons);
      moment->test = std::move(test);
    }
  }

  void set_train_losses(std::uint64_t epoch, std::span<const float> losses) {
    run_.epochs[epoch - 1].train_losses = results::means_of(losses, setup_.groups.train);
    if (ClinicalMoment* const moment = moment_at(epoch)) {
      moment->train_losses.assign(losses.begin(), losses.end());
    }
  }

 private:
  ClinicalMoment* moment_at(std::uint64_t epoch) {
    if (epoch == setup_.settings.budget_epochs) return &run_.before;
    return epoch == run_.plan.epochs ? &run_.after : nullptr;
  }

  const ClinicalSetup& setup_;
  ClinicalRun& run_;
};

std::string small_groups(const Groups& groups, std::size_t wanted, const char* where) {
  const GroupMembers members = members_of(groups);
  std::string text;
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    if (members[g].size() == wanted) continue;
    text += fmt::format(" There are only {} people for '{}' in {}.", members[g].size(),
                        groups.labels[g], where);
  }
  return text;
}

}  // namespace

std::span<const ClinicalRun> runs_at(std::span<const ClinicalRun> runs, double clip_multiple) {
  const auto is_there = [&](const ClinicalRun& run) { return run.clip_multiple == clip_multiple; };
  const auto first = std::find_if(runs.begin(), runs.end(), is_there);
  return {first, std::find_if_not(first, runs.end(), is_there)};
}

Architecture clinical_architecture(const ClinicalSetup& setup) {
  const People& people = setup.data.train;
  const std::size_t inputs = people.features.columns, outputs = people.labels.count();
  return {.inputs = inputs,
          .outputs = outputs,
          .hidden = {setup.settings.hidden.value_or((inputs + outputs) / 2)},
          .activation = Activation::relu,
          .loss = Loss::binary};
}

ClinicalRun clinical_run(const ClinicalSetup& setup, const ClinicalTarget& target,
                         double clip_multiple, const SecretStream& stream,
                         const std::function<void()>& on_epoch) {
  ClinicalRun run = {.plan = clinical_plan(setup.settings, target, clip_multiple),
                     .clip_multiple = clip_multiple,
                     .budget = 0,
                     .epochs = {},
                     .before = {},
                     .after = {}};
  run.budget = train::promise_of(run.plan, run.plan.steps()).epsilon.upper;
  const Architecture architecture = clinical_architecture(setup);
  train::Trainer trainer(architecture, kClinicalOptimiser, run.plan, setup.data.train, stream);
  Network network(architecture, trainer.parameters());
  Watched watched(setup, run);
  for (std::uint64_t epoch = 1; epoch <= run.plan.epochs; ++epoch) {
    trainer.step();
    // A step computes losses before it moves: they are those at the end of the epoch before.
    if (epoch > 1) watched.set_train_losses(epoch - 1, trainer.losses());
    network.set(trainer.parameters());
    watched.look(epoch, trainer, network);
    if (on_epoch) on_epoch();
  }
  watched.set_train_losses(run.plan.epochs, predictions(network, setup.data.train).losses);
  return run;
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
  const Architecture architecture = clinical_architecture(setup);
  return fmt::format(
      "Network {}-{}-{}, Adam, full batch, {} epochs, noise {:.6g}. Everybody's budget is "
      "what {} "
      "epochs cost at the clip bound: epsilon {} at delta {}.",
      architecture.inputs, architecture.hidden[0], architecture.outputs, run.plan.epochs,
      static_cast<double>(run.plan.step.noise), setup.settings.budget_epochs,
      rounded_up(run.budget, 6), static_cast<double>(run.plan.delta));
}

}  // namespace ration::paper
