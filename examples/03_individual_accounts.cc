// Lesson 3: an account for every person of a DP-SGD run, from the norms of their gradients.
//
// The usual eps of a training run is that of a person whose gradient is at the clip bound at every
// step. Most people's gradients are smaller, and they lose less. Their norms are all it takes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "examples/print.h"
#include "ration/compose/compose.h"
#include "ration/individual/epsilons.h"

namespace {

using namespace ration;

constexpr std::size_t kPeople = 5000, kSteps = 1000;
constexpr double kDelta = 1e-5;
const Step kStep = {.noise = 1.0, .clip = 1.0, .rate = 0.02};

// No model is trained here. These norms are drawn at random with a fixed seed, in the shape that
// training gives them: most people are learnt soon and their gradients shrink, some never are.
std::vector<float> simulated_norms() {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  std::vector<double> ease(kPeople);
  for (double& x : ease) x = std::pow(uniform(random), 2) * 8;
  std::vector<float> norms;
  norms.reserve(kSteps * kPeople);
  for (std::size_t step = 0; step < kSteps; ++step) {
    const double progress = static_cast<double>(step) / kSteps;
    for (const double x : ease) {
      norms.push_back(static_cast<float>(1.3 * std::exp(-x * progress + 0.1 * normal(random))));
    }
  }
  return norms;
}

std::vector<double> sorted_upper_ends(const IndividualPrivacy& result) {
  std::vector<double> upper;
  for (const Bound& epsilon : result.epsilon) upper.push_back(epsilon.upper);
  std::sort(upper.begin(), upper.end());
  return upper;
}

void print_row(const char* name, const std::vector<double>& sorted, double worst_case) {
  // What this share of the people spent at most.
  const auto quantile = [&](double q) {
    const auto people = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size())));
    return sorted[std::max<std::size_t>(people, 1) - 1];
  };
  fmt::print("  {:<6}", name);
  for (const double q : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    fmt::print("{:>10}", example::up(quantile(q), 3));
  }
  fmt::print("{:>14}\n", example::up(worst_case, 3));
}

}  // namespace

int main() {
  fmt::print("{} people, {} steps of DP-SGD: noise 1, rate 0.02, delta 1e-5.\n", kPeople, kSteps);
  fmt::print("The norms are simulated; what follows would be private if they were not.\n\n");

  // An account counts in which bucket of noise ratios a person's steps fell. Everybody is charged,
  // drawn into the batch or not, for the contribution they would make.
  const std::vector<float> norms = simulated_norms();
  Accounts accounts(kPeople, Buckets::from(kStep.noise));
  accounts.record(kStep, norm_table(norms, kPeople));

  // pld is tight, rdp is what a filter charges by. Both are certified, cover both directions, and
  // say what these norms cost if they were fixed in advance. If they follow from earlier outputs,
  // as in training, what is guaranteed is the worst case, or the budget of a filter (lesson 2).
  const Plan plan = {entry({.noise = kStep.noise, .rate = kStep.rate, .steps = kSteps})};
  const auto pld = sorted_upper_ends(accounts.epsilon(kDelta, {.method = IndividualMethod::pld}));
  const auto rdp = sorted_upper_ends(accounts.epsilon(kDelta, {.method = IndividualMethod::rdp}));
  const double worst_case = compose(plan, kDelta).epsilon.upper;
  const double worst_case_rdp = compose(plan, kDelta, {.method = Method::rdp}).epsilon.upper;
  fmt::print("  eps   {:>10}{:>10}{:>10}{:>10}{:>10}{:>14}\n", "least", "25%", "median", "75%",
             "most", "worst case");
  print_row("pld", pld, worst_case);
  print_row("rdp", rdp, worst_case_rdp);
  fmt::print("  (rdp: a list of orders for everybody, all orders for the worst case)\n");

  constexpr std::size_t kBins = 12;
  std::vector<std::size_t> count(kBins);
  for (const double epsilon : pld) {
    const double bin = epsilon / worst_case * static_cast<double>(kBins);
    ++count[std::min(static_cast<std::size_t>(bin), kBins - 1)];
  }
  const auto most = static_cast<double>(*std::max_element(count.begin(), count.end()));
  fmt::print("\nPeople by their eps under pld, up to the worst case:\n\n");
  for (std::size_t b = 0; b < kBins; ++b) {
    const double end = worst_case * static_cast<double>(b + 1) / static_cast<double>(kBins);
    fmt::print("  below {:>6} {} {}\n", example::up(end, 3),
               example::bar(55 * static_cast<double>(count[b]) / most), count[b]);
  }
  const auto half = std::upper_bound(pld.begin(), pld.end(), worst_case / 2) - pld.begin();
  fmt::print("\n{} of {} people lose at most half of what the worst case says.\n", half, kPeople);
}
