#include "paper/pace.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "ration/dataset/cohort.h"
#include "ration/dataset/load_dataset.h"
#include "ration/model/full_batch.h"
#include "ration/model/network.h"

namespace ration::paper {
namespace {

// Processor seconds of one pass on the machine of the measured times.
constexpr double kThere = 0.033;

double seconds_of_a_pass(const Network& network, const People& people) {
  const auto start = std::chrono::steady_clock::now();
  gradient_norms(network, people);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double pace() {
  const People people =
      load_dataset(CohortSource{.people = 8000, .test_people = 1, .seed = 1}).train;
  const Architecture architecture = {.inputs = people.features.columns,
                                     .outputs = people.labels.count(),
                                     .hidden = {369},
                                     .activation = Activation::relu,
                                     .loss = Loss::binary};
  const Network network(architecture, std::vector<float>(architecture.parameters(), 0.01F));
  double least = seconds_of_a_pass(network, people);  // the first one starts the threads
  for (int i = 0; i < 4; ++i) least = std::min(least, seconds_of_a_pass(network, people));
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  return cores * least / kThere;
}

}  // namespace ration::paper
