#include "paper/clinical_run.h"

#include <algorithm>

#include "paper/upper_ends.h"
#include "ration/train/everybody.h"
#include "ration/train/records.h"
#include "ration/train/trainer.h"

namespace ration {
namespace {

class Watched {
 public:
  Watched(const ClinicalSetup& setup, ClinicalRun& run) : setup_(setup), run_(run) {
    run_.epochs.resize(run.plan.epochs);
  }

  // At the end of an epoch, counted from 1.
  void look(std::uint64_t epoch, const train::Trainer& trainer, const train::Network& network) {
    ClinicalEpoch& row = run_.epochs[epoch - 1];
    train::Predictions test = train::predictions(network, setup_.data.test);
    row.test_auc = train::evaluate(test, setup_.data.test).everybody.score.value();
    row.test_losses = train::means_of(test.losses, setup_.groups.test);
    row.active = train::sums_of(trainer.active(), setup_.groups.train)[0];

    const IndividualPrivacy everybody = train::everybody_of(
        trainer.ledger().accounts(), run_.plan, train::promise_of(run_.plan, trainer.steps()));
    std::vector<double> epsilons = upper_ends_of(everybody.epsilon);
    row.mean_epsilons = train::means_of(std::span<const double>(epsilons), setup_.groups.train);
    if (ClinicalMoment* const moment = moment_at(epoch)) {
      moment->epsilons = std::move(epsilons);
      moment->test = std::move(test);
    }
  }

  void set_train_losses(std::uint64_t epoch, std::span<const float> losses) {
    run_.epochs[epoch - 1].train_losses = train::means_of(losses, setup_.groups.train);
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

}  // namespace

std::span<const ClinicalRun> runs_at(std::span<const ClinicalRun> runs, double clip_multiple) {
  const auto is_there = [&](const ClinicalRun& run) { return run.clip_multiple == clip_multiple; };
  const auto first = std::find_if(runs.begin(), runs.end(), is_there);
  return {first, std::find_if_not(first, runs.end(), is_there)};
}

train::Architecture clinical_architecture(const ClinicalSetup& setup) {
  const People& people = setup.data.train;
  const std::size_t inputs = people.features.columns, outputs = people.labels.count();
  return {.inputs = inputs,
          .outputs = outputs,
          .hidden = {setup.settings.hidden.value_or((inputs + outputs) / 2)},
          .activation = train::Activation::relu,
          .loss = train::Loss::binary};
}

ClinicalRun clinical_run(const ClinicalSetup& setup, const ClinicalTarget& target,
                         double clip_multiple, const train::SecretStream& stream,
                         const std::function<void()>& on_epoch) {
  ClinicalRun run = {.plan = clinical_plan(setup.settings, target, clip_multiple),
                     .clip_multiple = clip_multiple,
                     .budget = 0,
                     .epochs = {},
                     .before = {},
                     .after = {}};
  run.budget = train::promise_of(run.plan, run.plan.steps()).epsilon.upper;
  const train::Architecture architecture = clinical_architecture(setup);
  train::Trainer trainer(architecture, kClinicalOptimiser, run.plan, setup.data.train, stream);
  train::Network network(architecture, trainer.parameters());
  Watched watched(setup, run);
  for (std::uint64_t epoch = 1; epoch <= run.plan.epochs; ++epoch) {
    trainer.step();
    // A step finds losses before it moves: those of the end of the epoch before.
    if (epoch > 1) watched.set_train_losses(epoch - 1, trainer.losses());
    network.set(trainer.parameters());
    watched.look(epoch, trainer, network);
    if (on_epoch) on_epoch();
  }
  watched.set_train_losses(run.plan.epochs, train::predictions(network, setup.data.train).losses);
  return run;
}

}  // namespace ration
