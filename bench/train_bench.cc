// Training with privacy and without: an epoch over everybody of the clinical network 714-369-25,
// 29,250 people, beside OpenBLAS's product of large matrices in the same run; and steps over
// samples. Flops count the products only: 2 x rows x depth x columns each.

#include <benchmark/benchmark.h>
#include <omp.h>

#include <random>
#include <vector>

#include "ration/model/full_batch.h"
#include "ration/model/metrics.h"
#include "ration/model/optimiser.h"
#include "ration/train/plain_trainer.h"
#include "ration/train/trainer.h"

extern "C" {
void sgemm_(const char* left, const char* right, const int* rows, const int* columns,
            const int* depth, const float* alpha, const float* a, const int* a_stride,
            const float* b, const int* b_stride, const float* beta, float* c, const int* c_stride);
void openblas_set_num_threads(int threads);
}

namespace ration::train {
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

TrainingPlan plan_of(double rate, std::uint64_t refresh) {
  const Step step = {.noise = 10, .clip = 0.5, .rate = rate};
  return {.step = step,
          .delta = 1e-5,
          .epochs = 1000,
          .refresh = refresh,
          .filter = FilterPlan{.currency = currency_named(rate < 1 ? "rdp" : "gdp"),
                               .budget = StepsBudget{.step = step, .steps = 1e5}}};
}

// A full batch without privacy, and with everybody's norm, filter, accounts, lattice and noise.
void PlainEpoch(benchmark::State& state) {
  PlainTrainer trainer(kClinical, AdamRule{.rate = 0.001}, 1, cohort(),
                       SecretStream::of_the_system());
  trainer.step();
  for (auto _ : state) trainer.step();
  set_flops(state, epoch_flops());
}
BENCHMARK(PlainEpoch)->Unit(benchmark::kMillisecond)->UseRealTime();

void PrivateEpoch(benchmark::State& state) {
  Trainer trainer(kClinical, AdamRule{.rate = 0.001}, plan_of(1, 1), cohort(),
                  SecretStream::of_the_system());
  trainer.step();
  for (auto _ : state) trainer.step();
  set_flops(state, epoch_flops());
}
BENCHMARK(PrivateEpoch)->Unit(benchmark::kMillisecond)->UseRealTime();

// Steps over Poisson samples of the paper's MNIST run, 300 of 60,000 people, without privacy and
// with held norms: an iteration is 400 steps, of which one refreshes everybody's norm.
constexpr std::uint64_t kRefresh = 400;
const Architecture kImages{.inputs = 784, .outputs = 10, .hidden = {128}};
const People& images() {
  static const People people = [] {
    People p{.features = {60'000, 784, random_floats(std::size_t{60'000} * 784, 1.7F)},
             .labels = {LabelKind::one, std::vector<std::string>(10, "label"), {}}};
    std::mt19937 generator(2);
    for (std::size_t i = 0; i < 60'000; ++i) {
      p.labels.values.push_back(static_cast<std::uint16_t>(generator() % 10));
    }
    return p;
  }();
  return people;
}

void PlainSamples(benchmark::State& state) {
  PlainTrainer trainer(kImages, SgdRule{.rate = 0.001}, 0.005, images(),
                       SecretStream::of_the_system());
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < kRefresh; ++i) trainer.step();
  }
}
BENCHMARK(PlainSamples)->Unit(benchmark::kMillisecond)->UseRealTime();

void PrivateSamples(benchmark::State& state) {
  Trainer trainer(kImages, SgdRule{.rate = 0.001}, plan_of(0.005, kRefresh), images(),
                  SecretStream::of_the_system());
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < kRefresh; ++i) trainer.step();
  }
}
BENCHMARK(PrivateSamples)->Unit(benchmark::kMillisecond)->UseRealTime();

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
}  // namespace ration::train
