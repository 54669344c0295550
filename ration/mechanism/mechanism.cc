#include "ration/mechanism/mechanism.h"

#include <cmath>
#include <string>

#include "ration/base/bound.h"
#include "ration/base/error.h"
#include "ration/numeric/interval.h"

namespace ration {
namespace {

void check(std::string_view column, const std::vector<double>& probabilities) {
  double sum = 0, lost = 0;  // compensated: a million rows may not sum to 1 by rounding
  for (std::size_t row = 0; row < probabilities.size(); ++row) {
    const double p = probabilities[row];
    if (!(p >= 0 && p <= 1)) {
      refuse("probability " + std::string(column) + ", row " + std::to_string(row + 1), p,
             "a number from 0 to 1");
    }
    const double next = sum + (p - lost);
    lost = (next - sum) - (p - lost);
    sum = next;
  }
  if (!(std::abs(sum - 1) <= 1e-12)) {
    refuse("sum of the probabilities " + std::string(column) + ", rows 1 to " +
               std::to_string(probabilities.size()),
           sum, "probabilities that sum to 1 within 1e-12");
  }
}

}  // namespace

DiscretePair::DiscretePair(std::vector<double> with, std::vector<double> without)
    : with_(std::move(with)), without_(std::move(without)) {
  if (with_.size() != without_.size()) {
    const std::size_t row = std::min(with_.size(), without_.size()) + 1;
    refuse("row " + std::to_string(row) + " of the pair", "given for one distribution only",
           "as many probabilities without the person as with");
  }
  if (with_.empty()) refuse("pair", "empty", "at least one row of two probabilities");
  check("with", with_);
  check("without", without_);
}

void refuse_without_normal_noise(std::string_view method) {
  throw Error("method " + std::string(method) +
              " covers normal noise only: choose fourier or rdp for other mechanisms");
}

PlanEntry entry(const NoisySteps& given) {
  if (given.rate == 1.0) return {Gaussian{.noise = given.noise}, given.steps};
  return {SubsampledGaussian{.noise = given.noise, .rate = given.rate}, given.steps};
}

std::string neighbours_in(const Plan& plan) {
  bool pair = false, response = false;
  for (const PlanEntry& e : plan) {
    pair = pair || std::holds_alternative<DiscretePair>(e.mechanism);
    response = response || std::holds_alternative<RandomisedResponse>(e.mechanism);
  }
  if (pair) return "the two columns of the pair";
  return response ? "change one answer" : Guarantee{}.neighbours;
}

std::vector<OutcomePair> outcomes_of(const DiscretePair& pair) {
  std::vector<OutcomePair> outcomes;
  for (std::size_t i = 0; i < pair.with().size(); ++i) {
    outcomes.push_back({.with = exactly(pair.with()[i]), .without = exactly(pair.without()[i])});
  }
  return outcomes;
}

std::vector<OutcomePair> outcomes_of(const RandomisedResponse& response) {
  const Bound truth = exactly(response.truth);
  const Bound other = (1 - truth) / (exactly(response.options) - 1);
  std::vector<OutcomePair> outcomes = {{.with = truth, .without = other},
                                       {.with = other, .without = truth}};
  if (response.options > 2) {
    const Bound rest = other * (exactly(response.options) - 2);
    outcomes.push_back({.with = rest, .without = rest});
  }
  return outcomes;
}

}  // namespace ration
