#include "ration/train/full_batch.h"

#include <algorithm>
#include <string>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/train/blocks.h"
#include "ration/train/pass.h"

namespace ration::train {
namespace {

// The mean gradient is summed in so many parts, each by one thread: the sum is the same for any
// number of threads, and up to so many have work.
constexpr std::size_t kParts = 16;

}  // namespace

void check(const Architecture& architecture, const People& people) {
  check(architecture);
  if (people.features.columns != architecture.inputs) {
    refuse("number of features", static_cast<double>(people.features.columns),
           "as many as the model has inputs: " + std::to_string(architecture.inputs));
  }
  if (people.labels.count() != architecture.outputs) {
    refuse("number of labels", static_cast<double>(people.labels.count()),
           "as many as the model has outputs: " + std::to_string(architecture.outputs));
  }
  const bool one = people.labels.kind == LabelKind::one;
  if (one != (architecture.loss == Loss::softmax)) {
    refuse("loss", name(architecture.loss),
           one ? "softmax, since each person has one label"
               : "binary, since each person has any number of labels");
  }
  const std::size_t width = one ? 1 : architecture.outputs;
  const std::size_t below = one ? architecture.outputs : 2;
  if (people.labels.values.size() != people.count() * width) {
    refuse("number of people with labels", static_cast<double>(people.labels.people()),
           "as many as have features: " + std::to_string(people.count()));
  }
  const auto unknown = [&](std::uint16_t label) { return label >= below; };
  if (std::any_of(people.labels.values.begin(), people.labels.values.end(), unknown)) {
    refuse("a label", "too large", "numbers below " + std::to_string(below));
  }
}

LossesAndNorms gradient_norms(const Network& network, const People& people) {
  check(network.architecture(), people);
  LossesAndNorms result{std::vector<float>(people.count()), std::vector<float>(people.count())};
  in_blocks(network.architecture(), people, kBlockPeople,
            [&](Pass& pass, const Pass::Block& block, std::size_t first) {
              pass.gradients(network, block, {result.losses.data() + first, block.people});
              pass.norms({result.norms.data() + first, block.people});
            });
  return result;
}

std::vector<float> mean_gradient(const Network& network, const People& people) {
  const Architecture& architecture = network.architecture();
  check(architecture, people);
  const std::size_t count = people.count(), entries = architecture.parameters();
  const std::size_t blocks = (count + kBlockPeople - 1) / kBlockPeople;
  const std::size_t parts = std::min(blocks, kParts);
  std::vector<std::vector<float>> sums(parts);
  in_parallel(parts, [&](std::size_t part) {
    sums[part].assign(entries, 0.0F);
    Pass pass(architecture, kBlockPeople);
    std::vector<float> losses(kBlockPeople);
    const std::vector<float> weights(kBlockPeople, 1.0F);
    for (std::size_t block = blocks * part / parts; block < blocks * (part + 1) / parts; ++block) {
      const std::size_t begin = block * kBlockPeople;
      pass.gradients(network, block_of(people, begin, std::min(kBlockPeople, count - begin)),
                     losses);
      pass.add_weighted_sum(weights, sums[part]);
    }
  });
  std::vector<float> mean(entries);
  for (std::size_t i = 0; i < entries && count > 0; ++i) {
    double sum = 0;
    for (const std::vector<float>& part : sums) sum += static_cast<double>(part[i]);
    mean[i] = static_cast<float>(sum / static_cast<double>(count));
  }
  return mean;
}

LossesAndNorms gradient_norms(const Architecture& architecture, std::span<const float> parameters,
                              const People& people) {
  return gradient_norms(Network(architecture, parameters), people);
}
std::vector<float> mean_gradient(const Architecture& architecture,
                                 std::span<const float> parameters, const People& people) {
  return mean_gradient(Network(architecture, parameters), people);
}

}  // namespace ration::train
