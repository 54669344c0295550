// An epoch over everybody (forwards, backwards, gradient, Adam) of the clinical network 714-369-25,
// 29,250 people, beside OpenBLAS's product of large matrices in the same run. Flops count the
// products only: 2 x rows x depth x columns each. Argument of the epochs: people in a block.

#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <random>
#include <vector>

#include "ration/individual/parallel.h"
#include "ration/train/blocks.h"
#include "ration/train/full_batch.h"
#include "ration/train/metrics.h"
#include "ration/train/optimiser.h"

extern "C" {
void sgemm_(const char* left, const char* right, const int* rows, const int* columns,
            const int* depth, const float* alpha, const float* a, const int* a_stride,
            const float* b, const int* b_stride, const float* beta, float* c, const int* c_stride);
void openblas_set_num_threads(int threads);
}

namespace ration {
namespace {

const Architecture kClinical{.inputs = 714, .outputs = 25, .hidden = {369}, .loss = Loss::binary};
constexpr std::size_t kPeople = 29'250;

std::vector<float> random_floats(std::size_t count, float scale) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-scale, scale);
  std::vector<float> values(count);
  for (float& x : values) x = uniform(generator);
  return values;
}

const People& cohort() {
  static const People people = [] {
    People p{.features = {kPeople, 714, random_floats(kPeople * 714, 1.7F)},
             .labels = {LabelKind::many, std::vector<std::string>(25, "label"), {}}};
    std::mt19937 generator(2);
    for (std::size_t i = 0; i < kPeople * 25; ++i) {
      p.labels.values.push_back(generator() % 6 == 0 ? 1 : 0);
    }
    return p;
  }();
  return people;
}

// Forwards and gradients of both layers, errors through the second one only.
double epoch_flops() { return 2.0 * kPeople * (2.0 * 714 * 369 + 3.0 * 369 * 25); }

void set_flops(benchmark::State& state, double flops) {
  state.counters["flops"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate,
                                               benchmark::Counter::OneK::kIs1000);
}

// What the machine can do: OpenBLAS on its own threads, or single-threaded on each of ours.
void LargeProduct(benchmark::State& state) {
  constexpr int kSize = 2048;
  const int threads = omp_get_num_procs();
  const bool own_threads = state.range(0) != 0;
  openblas_set_num_threads(own_threads ? threads : 1);
  const int products = own_threads ? 1 : threads;
  const std::vector<float> a = random_floats(std::size_t{kSize} * kSize, 1), b = a;
  std::vector<std::vector<float>> c(static_cast<std::size_t>(products), a);
  const float one = 1, zero = 0;
  for (auto _ : state) {
#pragma omp parallel for num_threads(products)
    for (int i = 0; i < products; ++i) {
      sgemm_("N", "N", &kSize, &kSize, &kSize, &one, a.data(), &kSize, b.data(), &kSize, &zero,
             c[static_cast<std::size_t>(i)].data(), &kSize);
    }
  }
  set_flops(state, 2.0 * kSize * kSize * kSize * products);
}
BENCHMARK(LargeProduct)->ArgName("own_threads")->Arg(0)->Arg(1)->UseRealTime();

// As training does without privacy.
void PlainEpoch(benchmark::State& state) {
  std::vector<float> parameters = random_floats(kClinical.parameters(), 0.04F);
  Network network(kClinical, parameters);
  Optimiser adam(AdamRule{.rate = 0.001}, parameters.size());
  cohort();
  for (auto _ : state) {
    adam.step(parameters, mean_gradient(network, cohort()));
    network.set(parameters);
  }
  set_flops(state, epoch_flops());
}
BENCHMARK(PlainEpoch)->Unit(benchmark::kMillisecond)->UseRealTime();

// As private training will: everybody's norm, a weight for each, and the sum of each block added to
// one in double.
void WeightedEpoch(benchmark::State& state) {
  const auto block_people = static_cast<std::size_t>(state.range(0));
  std::vector<float> parameters = random_floats(kClinical.parameters(), 0.04F);
  Network network(kClinical, parameters);
  Optimiser adam(AdamRule{.rate = 0.001}, parameters.size());
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  std::vector<std::vector<double>> sums(threads, std::vector<double>(parameters.size()));
  std::vector<std::vector<float>> block_sums(threads, parameters);
  std::vector<float> losses(kPeople), norms(kPeople), weights(kPeople);
  cohort();
  for (auto _ : state) {
    for (auto& sum : sums) std::fill(sum.begin(), sum.end(), 0.0);
    in_blocks(kClinical, cohort(), block_people,
              [&](Pass& pass, const Pass::Block& block, std::size_t first) {
                const auto thread = static_cast<std::size_t>(omp_get_thread_num());
                pass.gradients(network, block, {losses.data() + first, block.people});
                pass.norms({norms.data() + first, block.people});
                for (std::size_t i = first; i < first + block.people; ++i) {
                  weights[i] = std::min(1.0F, 0.3F / norms[i]);
                }
                pass.weighted_sum({weights.data() + first, block.people}, block_sums[thread]);
                const float* from = block_sums[thread].data();
                double* to = sums[thread].data();
                for (std::size_t k = 0; k < parameters.size(); ++k) to[k] += from[k];
              });
    std::vector<float> mean(parameters.size());
    for (std::size_t k = 0; k < mean.size(); ++k) {
      for (const auto& sum : sums) mean[k] += static_cast<float>(sum[k] / kPeople);
    }
    adam.step(parameters, mean);
    network.set(parameters);
  }
  set_flops(state, epoch_flops());
}
BENCHMARK(WeightedEpoch)
    ->ArgName("block")
    ->Arg(64)
    ->Arg(128)
    ->Arg(256)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// Norms alone, as they are refreshed; and everybody's loss and AUC.
void Norms(benchmark::State& state) {
  const Network network(kClinical, random_floats(kClinical.parameters(), 0.04F));
  cohort();
  for (auto _ : state) benchmark::DoNotOptimize(gradient_norms(network, cohort()));
}
BENCHMARK(Norms)->Unit(benchmark::kMillisecond)->UseRealTime();

void Evaluate(benchmark::State& state) {
  const Network network(kClinical, random_floats(kClinical.parameters(), 0.04F));
  cohort();
  for (auto _ : state) benchmark::DoNotOptimize(evaluate(network, cohort()));
}
BENCHMARK(Evaluate)->Unit(benchmark::kMillisecond)->UseRealTime();

void AdamStep(benchmark::State& state) {
  std::vector<float> parameters = random_floats(kClinical.parameters(), 0.04F);
  const std::vector<float> gradient = parameters;
  Optimiser adam(AdamRule{.rate = 0.001}, parameters.size());
  for (auto _ : state) adam.step(parameters, gradient);
}
BENCHMARK(AdamStep)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ration
