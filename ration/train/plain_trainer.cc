#include "ration/train/plain_trainer.h"

#include "ration/model/full_batch.h"
#include "ration/model/network.h"
#include "ration/noise/noise.h"
#include "ration/train/training_plan.h"

namespace ration::train {
namespace {

void gather(const People& from, std::span<const std::uint32_t> who, People& into) {
  into.features.rows = 0;
  into.features.columns = from.features.columns;
  into.features.values.clear();
  into.labels.kind = from.labels.kind;
  into.labels.names = from.labels.names;
  into.labels.values.clear();
  into.begins.clear();
  for (const std::uint32_t person : who) {
    if (from.together()) into.begins.push_back(into.features.rows);
    for (std::size_t r = from.first_record(person); r < from.first_record(person + 1); ++r) {
      const auto features = from.features.row(r);
      const auto labels = from.labels.of(r);
      into.features.values.insert(into.features.values.end(), features.begin(), features.end());
      into.labels.values.insert(into.labels.values.end(), labels.begin(), labels.end());
      ++into.features.rows;
    }
  }
  if (from.together()) into.begins.push_back(into.features.rows);
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
