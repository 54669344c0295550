#include "ration/loss/tilted_law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ration/loss/moment.h"
#include "ration/loss/node_walk.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/near_one.h"
#include "ration/numeric/quadrature.h"

namespace ration {
namespace {

// The Gaussian's loss is normal with mean 1/(2 s^2) and variance 1/s^2, and stays so when tilted.
TiltedLaw gaussian_law(const Gaussian& m, const LawOptions& options) {
  const Bound variance = 1 / square(exactly(m.noise));
  const Bound centre = variance * (exactly(options.tilt) + 0.5);
  const Bound moment = variance * (exactly(options.tilt) * (exactly(options.tilt) + 1) * 0.5);
  TiltedLaw law{.tilt = options.tilt,
                .log_moment = moment,
                .centre = midpoint(centre),
                .variance = midpoint(variance)};
  // What phi exp(i t centre) = exp(-variance t^2/2 + i t centre) loses to rounding, relative.
  law.linear_error = width(centre);
  law.fixed_error = width(variance) * 0.5 * options.reach * options.reach;
  return law;
}

// How the nodes are spaced: fine enough for phi up to `reach`, and for log_decay.
struct Spacing {
  double step;
  double phi_error, decay_error, widest_angle;
};
Spacing spacing(const SubsampledGaussian& m, Direction direction, const LawOptions& options) {
  const double power = direction == Direction::remove ? 0 : options.tilt;
  const StripGrowth growth = {.scale = m.noise,
                              .cosine_power = power,
                              .slope = options.reach / m.noise * (1 + 1e-14),
                              .curvature = 1 + 1e-14};
  StripRule rule = choose_rule(growth, options.digits);

  // log_decay: on Im u = +-b around a line that was itself shifted by at most b, b/s <= pi/4, the
  // modulus grows by exp(b^2/2 + b^2/2) at most, and for add by cos(b/s)^-tilt.
  Spacing best{};
  double best_step = 0;
  const double widest = std::min(0.25 * std::numbers::pi, 12 / m.noise);
  for (int i = 1; i <= 32; ++i) {
    const double angle = widest * i * i / (32.0 * 32.0), b = angle * m.noise;
    const double growth_b = b * b - power * std::log(std::cos(angle));
    const double step = 2 * std::numbers::pi * b / (options.digits + growth_b + 1);
    if (step <= best_step) continue;
    best_step = step;
    best.widest_angle = angle;
  }
  rule.step = std::min(rule.step, std::exp2(std::floor(std::log2(best_step))));
  best.step = rule.step;
  best.phi_error = rule_error(rule, growth);
  best.decay_error = std::exp(-options.digits);
  return best;
}

// What one node contributes, with the errors of its loss and of its weight.
struct TiltedNode {
  double loss, weight, share, loss_error, weight_error;
};
TiltedNode node_at(const Integrand<double>& h, const SubsampledGaussian& m, double u, double top) {
  const double v = h.ratio().v(u), log_ratio = h.ratio().value(u), share = h.ratio().share(u);
  const double dv = 5 * kRoundoff * (std::abs(u) / m.noise + 0.5 / (m.noise * m.noise));
  // d log(1+x) = share dv, plus the roundings of x relative to 1 + x, or of the larger part.
  const bool large = v + h.ratio().log_rate() > 0;
  const double rounding =
      large ? std::abs(v) + std::abs(h.ratio().log_rate()) : std::abs(std::expm1(-log_ratio));
  const double loss_error = share * dv + 6 * kRoundoff * (std::abs(log_ratio) + rounding);
  const double exponent = h.power() * log_ratio - 0.5 * u * u;
  const double weight_error =
      std::abs(h.power()) * loss_error +
      kRoundoff * (2 * u * u + 3 * std::abs(h.power() * log_ratio) + 2 * std::abs(top) + 8);
  return {.loss = log_ratio,
          .weight = std::exp(exponent - top),
          .share = share,
          .loss_error = loss_error,
          .weight_error = weight_error};
}

TiltedLaw subsampled_law(const SubsampledGaussian& m, Direction direction,
                         const LawOptions& options) {
  const bool remove = direction == Direction::remove;
  const double z = options.tilt;
  const Integrand<double> h(m, z, direction);
  const double peak = highest_point(h, direction), top = h.exponent(peak);
  const Spacing grid = spacing(m, direction, options);
  const double reach = std::sqrt(2 * (options.digits + 25));
  TiltedLaw law{.tilt = z, .noise = m.noise, .remove = remove};
  double sum = 0, loss_error = 0, weight_error = 0;
  std::vector<double> errors;
  const double omitted = NodeWalk(m, z, direction, Form::direct)
                             .over({.from = remove ? -reach : peak - reach,
                                    .to = (remove ? (z + 1) / m.noise : peak) + reach,
                                    .step = grid.step,
                                    .offset = top,
                                    .level = top - options.digits},
                                   [&](double u) {
                                     const TiltedNode node = node_at(h, m, u, top);
                                     law.loss.push_back(remove ? node.loss : -node.loss);
                                     law.weight.push_back(node.weight);
                                     law.share.push_back(node.share);
                                     errors.push_back(node.weight_error);
                                     sum += node.weight;
                                     loss_error += node.weight * node.loss_error;
                                     weight_error += node.weight * node.weight_error;
                                   });
  const auto count = static_cast<double>(law.loss.size());

  // K = top + log(step sum / sqrt(2 pi)), with the relative errors of the sum.
  const double relative =
      kSafety * (grid.phi_error + (omitted + weight_error) / sum + (count + 4) * kRoundoff);
  const double log_moment = top + std::log(sum * grid.step / 2.5066282746310005);
  law.log_moment = widen(exactly(log_moment),
                         relative + 4 * kRoundoff * (1 + std::abs(top) + std::abs(log_moment)));

  double mean = 0, square_sum = 0, absolute = 0, weighted = 0;
  for (std::size_t i = 0; i < law.loss.size(); ++i) mean += law.weight[i] / sum * law.loss[i];
  for (std::size_t i = 0; i < law.loss.size(); ++i) {
    law.loss[i] -= mean;
    law.weight[i] /= sum;
    square_sum += law.weight[i] * law.loss[i] * law.loss[i];
    absolute += law.weight[i] * std::abs(law.loss[i]);
    weighted += law.weight[i] * errors[i] * std::abs(law.loss[i]);
  }
  law.centre = mean;
  law.variance = square_sum;
  // phi - 1 = sum w (exp(itl) - 1): errors of the losses; of the weights, each of which counts with
  // |exp(itl) - phi| <= t |l| + t E|l|; of rotating and adding up; of their sum, by which all
  // weights are divided.
  law.linear_error =
      kSafety * (loss_error / sum + weighted + weight_error / sum * absolute +
                 kRoundoff * std::abs(mean) + (2 * count + 100) * kRoundoff * absolute);
  law.fixed_error = kSafety * (2 * grid.phi_error + 2 * omitted / sum);
  law.widest_angle = grid.widest_angle;
  law.decay_error = grid.decay_error;
  law.scale_error = relative;
  law.omitted = kSafety * omitted / sum;
  return law;
}

// d = exp(i t loss) - 1 at all nodes, stepped from t to t + step by d <- d r + (r - 1). Each step
// adds roundings of a few units of |d| <= t |loss|; every kFresh steps d is computed anew.
class Rotation {
 public:
  Rotation(const TiltedLaw& law, double step) : law_(law), step_(step) {
    for (const double loss : law.loss) turn_.push_back(expm1_i(step * loss));
    d_.assign(turn_.size(), 0);
  }
  // sum_n weight_n d_n at t = m step; to be called for m = 0, 1, 2, ...
  std::complex<double> at(std::size_t m) {
    constexpr std::size_t kFresh = 16;
    const bool fresh = m % kFresh == 0;
    double real = 0, imaginary = 0;
    for (std::size_t n = 0; n < d_.size(); ++n) {
      if (fresh) {
        d_[n] = expm1_i(step_ * static_cast<double>(m) * law_.loss[n]);
      } else {
        const double x = d_[n].real(), y = d_[n].imag(), p = turn_[n].real(), q = turn_[n].imag();
        d_[n] = {x + p + (x * p - y * q), y + q + (x * q + y * p)};
      }
      real += law_.weight[n] * d_[n].real();
      imaginary += law_.weight[n] * d_[n].imag();
    }
    return {real, imaginary};
  }

 private:
  const TiltedLaw& law_;
  double step_;
  std::vector<std::complex<double>> turn_, d_;
};

// log of the bound of |phi(t)| when the line of u is shifted by a = angle * noise.
double log_decay_at(const TiltedLaw& law, double t, double angle) {
  const double a = angle * law.noise, power = law.remove ? 1 + law.tilt : -law.tilt;
  const double sine = std::sin(0.5 * angle), sin_angle = std::sin(angle),
               cos_angle = std::cos(angle);
  double sum = 0;
  for (std::size_t n = 0; n < law.loss.size(); ++n) {
    // 1 + x becomes (1+x) ((1-p) + p exp(i angle)): its modulus and its argument.
    const double p = law.share[n];
    const double modulus = 0.5 * std::log1p(-4 * p * (1 - p) * sine * sine);
    const double argument = std::atan2(p * sin_angle, 1 - p + p * cos_angle);
    sum += law.weight[n] * std::exp(power * modulus - t * argument);
  }
  const double growth = 0.5 * a * a;
  const double shrink = law.remove ? 0 : -law.tilt * std::log(std::cos(0.5 * angle));
  const auto count = static_cast<double>(law.loss.size());
  // The shares p carry dp <= p (1-p) dv, at most 100u where p (1-p) is not negligible.
  const double relative =
      2 * law.scale_error + (count + 50 + 400 * (t * angle + std::abs(power) * angle)) * kRoundoff;
  return growth + std::log(sum * (1 + relative) + law.decay_error + law.omitted * std::exp(shrink));
}

struct Build {
  Direction direction;
  const LawOptions& options;
  TiltedLaw operator()(const Gaussian& m) const { return gaussian_law(m, options); }
  TiltedLaw operator()(const SubsampledGaussian& m) const {
    if (m.rate == 1.0) return gaussian_law({.noise = m.noise}, options);
    return subsampled_law(m, direction, options);
  }
  TiltedLaw operator()(const WithoutNormalNoise auto&) const {
    refuse_without_normal_noise("contour");
  }
};

}  // namespace

TiltedLaw tilted_law(const Mechanism& mechanism, Direction direction, const LawOptions& options) {
  return std::visit(Build{direction, options}, mechanism);
}

namespace {

// Adds count * log(1 + d) and what an absolute error of d does to it.
void add_log1p(const std::complex<double>& d, double absolute, double count, LogPhi& to,
               std::size_t m) {
  const std::complex<double> value = log1p(d);
  const double size = std::exp(value.real());
  const double cancelled = d.real() < -0.5 ? 4 * kRoundoff / size : 0;  // of 1 + d near 0
  if (!(size > absolute)) {
    // The truth is at most twice the error: say `absolute`, wrong by a factor of four with its
    // sign.
    to.sum[m] += std::complex<double>(count * std::log(absolute), 0);
    to.error[m] += count * std::log(4.0);
    return;
  }
  to.sum[m] += count * value;
  to.error[m] +=
      count * kSafety * (std::log1p(absolute / size) + 8 * kRoundoff * std::abs(value) + cancelled);
}

}  // namespace

void add_log_phi(const TiltedLaw& law, double count, double step, LogPhi& to) {
  if (law.loss.empty()) {
    for (std::size_t m = 0; m < to.sum.size(); ++m) {
      const double t = step * static_cast<double>(m), exponent = 0.5 * law.variance * t * t;
      to.sum[m] -= count * exponent;
      to.error[m] += count * (law.fixed_error + law.linear_error * t + 8 * kRoundoff * exponent);
    }
    return;
  }
  Rotation rotation(law, step);
  for (std::size_t m = 0; m < to.sum.size(); ++m) {
    const double absolute = law.fixed_error + law.linear_error * step * static_cast<double>(m);
    add_log1p(rotation.at(m), absolute, count, to, m);
  }
}

double log_decay(const TiltedLaw& law, double t) {
  if (law.loss.empty()) return -0.5 * law.variance * t * t * (1 - 1e-12);
  // The best shift is about t times the mean slope of L, as it is for a normal law.
  double slope = 0;
  for (std::size_t n = 0; n < law.share.size(); ++n) slope += law.weight[n] * law.share[n];
  const double best = t * slope / (law.noise * law.noise);
  return std::min(0.0, log_decay_at(law, t, std::min(best, law.widest_angle)));
}

}  // namespace ration
