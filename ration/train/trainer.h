// Private training, one step at a time: norms, admit, charge, clip, sum, noise, step. DP-GD at rate
// 1, DP-SGD below. Nothing that is visible depends on who was drawn or who still takes part: the
// denominator is fixed, noise is added also when nobody is there, and no step is skipped.
// For one caller at a time; OpenMP inside, with results that do not depend on the number of
// threads. docs/training.md
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ration/control/books.h"
#include "ration/dataset/dataset.h"
#include "ration/model/network.h"
#include "ration/model/optimiser.h"
#include "ration/noise/secret_stream.h"
#include "ration/train/block_sums.h"
#include "ration/train/checkpoint.h"
#include "ration/train/clipping.h"
#include "ration/train/training_plan.h"

namespace ration::train {

// What was just charged, before it is used: everybody's charges of a step, and whether they are
// those of the step before. A step whose charges cannot be written down is not used.
using OnCharge = std::function<void(std::span<const float> charges, bool same)>;

class Trainer {
 public:
  // The people must outlive the trainer.
  Trainer(const Architecture& architecture, const OptimiserRule& optimiser,
          const TrainingPlan& plan, const People& people, const SecretStream& stream);
  // Goes on from a checkpoint. The stream is a new one: a step that is done again gets new noise.
  Trainer(const Architecture& architecture, const OptimiserRule& optimiser,
          const TrainingPlan& plan, const People& people, const SecretStream& stream,
          TrainingState state, Books books);

  void step(const OnCharge& on_charge = {});

  std::uint64_t steps() const { return step_; }
  std::span<const float> parameters() const { return parameters_; }
  const Network& network() const { return network_; }  // with these parameters
  const Clipping& clipping() const { return clipping_; }
  std::size_t people() const { return people_.count(); }
  std::uint64_t charged_steps() const { return books_.charged_steps(); }
  // Private. Valid until the next step.
  const Books::Settled& settle_books() { return books_.settle(); }
  TrainingState state() const;

  // Private. Everybody's losses as of the last pass over everybody (empty if norms are never
  // computed), and who took part in the last step (or was not held back from it, if there was a
  // draw).
  std::span<const float> losses() const { return losses_; }
  std::span<const std::uint8_t> active() const { return mask_; }

 private:
  void sum_over_everybody(const OnCharge& on_charge);
  // These people, in one block.
  void add_people(BlockSums::Worker& worker, const Books::Settled& books, std::size_t first,
                  std::size_t count);
  void sum_over_sample(const OnCharge& on_charge);
  using Drawn = std::vector<std::uint32_t>::const_iterator;
  Drawn add_block(BlockSums::Worker& worker, Drawn next, Drawn end);
  void refresh_norms();
  void set_charges();
  void add_noise_and_descend();

  const TrainingPlan plan_;
  const People& people_;
  const SecretStream stream_;
  const double lattice_;
  const Clipping clipping_;

  std::uint64_t step_ = 0;
  std::vector<float> parameters_;
  Network network_;
  Optimiser optimiser_;
  Books books_;
  BlockSums sums_;

  // One for each person.
  std::vector<float> norms_, charges_, losses_;
  std::vector<std::uint8_t> mask_;
  std::vector<std::uint32_t> everybody_;  // by number, where people have several records
};

}  // namespace ration::train
