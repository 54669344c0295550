#include "ration/model/full_batch.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/model/blocks.h"
#include "ration/model/pass.h"

namespace ration {
namespace {

// The mean gradient is summed in so many parts, each by one thread: the sum is the same for any
// number of threads, and up to so many have work.
constexpr std::size_t kParts = 16;

}  // namespace

namespace {

// Those of load_dataset are like that; others may not be.
void check_records(const People& people) {
  const std::vector<std::size_t>& begins = people.begins;
  bool fit = begins.front() == 0 && begins.back() == people.records();
  for (std::size_t i = 1; i < begins.size(); ++i) {
    fit &= begins[i] > begins[i - 1] && begins[i] - begins[i - 1] <= kBlockPeople;
  }
  if (!fit) {
    throw Error(
        "records that are taken together do not fit: give each person from 1 to 128, one "
        "person after the other");
  }
}

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
  if (people.labels.values.size() != people.records() * width) {
    refuse("number of people with labels", static_cast<double>(people.labels.records()),
           "as many as have features: " + std::to_string(people.records()));
  }
  if (people.together()) check_records(people);
  const auto unknown = [&](std::uint16_t label) { return label >= below; };
  if (std::any_of(people.labels.values.begin(), people.labels.values.end(), unknown)) {
    refuse("a label", "too large", "numbers below " + std::to_string(below));
  }
}

namespace {

void norms_together(const Network& network, const People& people, LossesAndNorms& result) {
  const std::size_t ranges = (people.count() + kRangeTogether - 1) / kRangeTogether;
  with_passes(network.architecture(), kBlockPeople, ranges, [&](Pass& pass, std::size_t range) {
    const std::size_t end = std::min(people.count(), (range + 1) * kRangeTogether);
    std::array<float, kBlockPeople> losses;
    for (std::size_t first = range * kRangeTogether, count = 0; first < end; first += count) {
      count = people_in_block(people, first, end, kBlockPeople);
      const std::size_t begin = people.first_record(first);
      const std::size_t records = people.first_record(first + count) - begin;
      pass.gradients(network, block_of(people, begin, records), losses);
      pass.norms_of_people(std::span(people.begins).subspan(first, count + 1),
                           std::span(result.norms).subspan(first, count));
      means_of_records(people, first, losses, std::span(result.losses).subspan(first, count));
    }
  });
}

}  // namespace

LossesAndNorms gradient_norms(const Network& network, const People& people) {
  check(network.architecture(), people);
  LossesAndNorms result{std::vector<float>(people.count()), std::vector<float>(people.count())};
  if (people.together()) {
    norms_together(network, people, result);
    return result;
  }
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
  const std::size_t count = people.records(), entries = architecture.parameters();
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
      pass.weighted_sum(weights, sums[part], Pass::Onto::sum);
    }
  });
  std::vector<float> mean(entries);
  for (std::size_t i = 0; i < entries && count > 0; ++i) {
    double sum = 0;
    for (const std::vector<float>& part : sums) sum += static_cast<double>(part[i]);
    mean[i] = static_cast<float>(sum / static_cast<double>(people.count()));
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

}  // namespace ration
