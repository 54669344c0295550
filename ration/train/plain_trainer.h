// Training without privacy, for comparison: the same model and optimiser, whole gradients, no noise
// and no accounts. For one caller at a time; OpenMP inside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ration/base/values.h"
#include "ration/dataset/dataset.h"
#include "ration/model/network.h"
#include "ration/model/optimiser.h"
#include "ration/noise/secret_stream.h"

namespace ration::train {

class PlainTrainer {
 public:
  // At rate 1 everybody takes part in every step, below it a Poisson sample. The people must
  // outlive the trainer.
  PlainTrainer(const Architecture& architecture, const OptimiserRule& optimiser, Rate rate,
               const People& people, const SecretStream& stream);

  void step();

  std::uint64_t steps() const { return step_; }
  std::uint64_t steps_per_epoch() const;
  std::span<const float> parameters() const { return parameters_; }

 private:
  const Rate rate_;
  const People& people_;
  const SecretStream stream_;
  std::uint64_t step_ = 0;
  std::vector<float> parameters_;
  Network network_;
  Optimiser optimiser_;
  People sample_;
};

}  // namespace ration::train
