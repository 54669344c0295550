#include "ration/train/plain_trainer.h"

#include "ration/train/full_batch.h"
#include "ration/train/network.h"
#include "ration/train/noise.h"
#include "ration/train/training_plan.h"

namespace ration::train {
namespace {

void gather(const People& from, std::span<const std::uint32_t> who, People& into) {
  into.features.rows = who.size();
  into.features.columns = from.features.columns;
  into.features.values.clear();
  into.labels.kind = from.labels.kind;
  into.labels.names = from.labels.names;
  into.labels.values.clear();
  for (const std::uint32_t person : who) {
    const auto features = from.features.row(person);
    const auto labels = from.labels.of(person);
    into.features.values.insert(into.features.values.end(), features.begin(), features.end());
    into.labels.values.insert(into.labels.values.end(), labels.begin(), labels.end());
  }
}

}  // namespace

PlainTrainer::PlainTrainer(const Architecture& architecture, const OptimiserRule& optimiser,
                           Rate rate, const People& people, const SecretStream& stream)
    : rate_(rate),
      people_(people),
      stream_(stream),
      parameters_(initial_parameters(architecture, stream)),
      network_(architecture, parameters_),
      optimiser_(optimiser, parameters_.size()) {
  check(architecture, people);
}

std::uint64_t PlainTrainer::steps_per_epoch() const { return train::steps_per_epoch(rate_); }

void PlainTrainer::step() {
  const bool everybody = rate_ == 1.0;
  if (!everybody) gather(people_, poisson_sample(people_.count(), rate_, stream_, step_), sample_);
  const People& taking_part = everybody ? people_ : sample_;
  ++step_;
  if (taking_part.count() == 0) return;
  optimiser_.step(parameters_, mean_gradient(network_, taking_part));
  network_.set(parameters_);
}

}  // namespace ration::train
