#include "ration/model/optimiser.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "ration/base/error.h"

namespace ration {
namespace {

void check_rate(double rate) {
  if (!(rate >= 1e-12 && rate <= 1e6)) refuse("learning rate", rate, "a number from 1e-12 to 1e6");
}
void check_share(std::string_view argument, double share) {
  if (!(share >= 0 && share < 1)) refuse(argument, share, "a number from 0 to below 1");
}
void check_decay(double decay) {
  if (!(decay >= 0 && decay <= 1e6)) refuse("weight decay", decay, "a number from 0 to 1e6");
}

void check_rule(const SgdRule& rule) {
  check_rate(rule.rate);
  check_share("momentum", rule.momentum);
  check_decay(rule.weight_decay);
}
void check_rule(const AdamRule& rule) {
  check_rate(rule.rate);
  check_share("beta1", rule.beta1);
  check_share("beta2", rule.beta2);
  if (!(rule.epsilon >= 1e-30 && rule.epsilon <= 1)) {
    refuse("epsilon of Adam", rule.epsilon, "a number from 1e-30 to 1");
  }
  check_decay(rule.weight_decay);
}

std::size_t moments_of(const SgdRule& rule) { return rule.momentum > 0 ? 1 : 0; }
std::size_t moments_of(const AdamRule&) { return 2; }

using Moments = std::vector<std::vector<float>>;

void take_step(const SgdRule& rule, std::uint64_t, Moments& moments, std::span<float> parameters,
               std::span<const float> gradient) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double p = parameters[i];
    double velocity = gradient[i] + rule.weight_decay * p;
    if (!moments.empty()) {
      velocity += rule.momentum * moments[0][i];
      moments[0][i] = static_cast<float>(velocity);
    }
    parameters[i] = static_cast<float>(p - rule.rate * velocity);
  }
}

void take_step(const AdamRule& rule, std::uint64_t step, Moments& moments,
               std::span<float> parameters, std::span<const float> gradient) {
  const auto t = static_cast<double>(step);
  const double rate = rule.rate / (1 - std::pow(rule.beta1, t));
  const double correction = 1 / (1 - std::pow(rule.beta2, t));
  float *means = moments[0].data(), *squares = moments[1].data();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double p = parameters[i], g = gradient[i] + rule.weight_decay * p;
    const double mean = rule.beta1 * means[i] + (1 - rule.beta1) * g;
    const double square = rule.beta2 * squares[i] + (1 - rule.beta2) * g * g;
    means[i] = static_cast<float>(mean);
    squares[i] = static_cast<float>(square);
    parameters[i] =
        static_cast<float>(p - rate * mean / (std::sqrt(square * correction) + rule.epsilon));
  }
}

}  // namespace

void check(const OptimiserRule& rule) {
  std::visit([](const auto& r) { check_rule(r); }, rule);
}

Optimiser::Optimiser(const OptimiserRule& rule, std::size_t parameters)
    : rule_(rule), parameters_(parameters) {
  check(rule);
  const std::size_t count = std::visit([](const auto& r) { return moments_of(r); }, rule);
  moments_.assign(count, std::vector<float>(parameters));
}

void Optimiser::step(std::span<float> parameters, std::span<const float> gradient) {
  if (parameters.size() != parameters_ || gradient.size() != parameters_) {
    refuse("number of parameters", static_cast<double>(parameters.size()),
           "as many as the optimiser was made for, and as large a gradient");
  }
  ++steps_;
  std::visit([&](const auto& r) { take_step(r, steps_, moments_, parameters, gradient); }, rule_);
}

void Optimiser::restore(std::vector<std::vector<float>> moments, std::uint64_t steps) {
  const auto fits = [&](const std::vector<float>& moment) { return moment.size() == parameters_; };
  bool possible =
      moments.size() == moments_.size() && std::all_of(moments.begin(), moments.end(), fits);
  if (possible && std::holds_alternative<AdamRule>(rule_)) {
    possible = std::all_of(moments[1].begin(), moments[1].end(), [](float x) { return !(x < 0); });
  }
  if (!possible) refuse("state of the optimiser", "another one's", "what this one once saved");
  moments_ = std::move(moments);
  steps_ = steps;
}

}  // namespace ration
