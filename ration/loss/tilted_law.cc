#include "ration/loss/tilted_law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ration/base/error.h"
#include "ration/loss/moment.h"
#include "ration/loss/node_walk.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/near_one.h"
#include "ration/numeric/phase_sums.h"
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
// An extrapolated law's factor is at most most(0) / least() times itself on the line, and grows by
// exp(spread a^2) at most on lines Im u = +-a.
Spacing spacing(const SubsampledGaussian& m, const Extrapolated* beyond, Direction direction,
                const LawOptions& options) {
  const double power = direction == Direction::remove ? 0 : options.tilt;
  const double spread = beyond != nullptr ? beyond->spread() : 0;
  const double factor = beyond != nullptr ? beyond->most(0) / beyond->least() : 1;
  const StripGrowth growth = {.scale = m.noise,
                              .cosine_power = power,
                              .slope = options.reach / m.noise * (1 + 1e-14),
                              .curvature = 1 + 2 * spread + 1e-14};
  const double digits = options.digits + std::log(factor);
  StripRule rule = choose_rule(growth, digits);

  // log_decay: on Im u = +-b around a line that was itself shifted by at most b, b/s <= pi/4, the
  // modulus grows by exp(b^2/2 + b^2/2) at most, and for add by cos(b/s)^-tilt.
  Spacing best{};
  double best_step = 0;
  const double widest = std::min(0.25 * std::numbers::pi, 12 / m.noise);
  for (int i = 1; i <= 32; ++i) {
    const double angle = widest * i * i / (32.0 * 32.0), b = angle * m.noise;
    const double growth_b = b * b * (1 + 4 * spread) - power * std::log(std::cos(angle));
    const double step = 2 * std::numbers::pi * b / (digits + growth_b + 1);
    if (step <= best_step) continue;
    best_step = step;
    best.widest_angle = angle;
  }
  rule.step = std::min(rule.step, std::exp2(std::floor(std::log2(best_step))));
  best.step = rule.step;
  best.phi_error = rule_error(rule, growth) * factor;
  best.decay_error = std::exp(-options.digits);
  return best;
}

// What one node contributes, with the errors of its loss and of its weight.
struct TiltedNode {
  double loss, weight, share, loss_error, weight_error;
};
TiltedNode node_at(const Integrand<double>& h, const SubsampledGaussian& m, double u, double top) {
  const double v = h.ratio().v(u), log_rate = h.ratio().log_rate(), rate = m.rate;
  const double dv = 5 * kRoundoff * (std::abs(u) / m.noise + 0.5 / (m.noise * m.noise));
  // d log(1+x) = share dv, plus the roundings of x relative to 1 + x, or of the larger part.
  double log_ratio, share, rounding;
  if (v + log_rate <= 0 && rate <= 0.5) {  // as in LogRatio, with one exponential for all
    const double x = rate * std::expm1(v);
    log_ratio = std::log1p(x);
    share = (x + rate) / (1 + x);
    rounding = std::abs(x / (1 + x));
  } else {
    log_ratio = h.ratio().value(u);
    share = h.ratio().share(u);
    rounding =
        v + log_rate > 0 ? std::abs(v) + std::abs(log_rate) : std::abs(std::expm1(-log_ratio));
  }
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

// Where the modulus of an extrapolated law's factor is known well: k = spread a^2 up to this.
constexpr double kMostSpread = 0.1;

// The density's factor, which errs by roundings of its parameters, of v and of its exponential:
// x exp(-x) <= 1/e, and sqrt(x) exp(-x) <= 0.43. The exponent in G has seven roundings.
void extend(TiltedNode& node, const Extrapolated& beyond, double v, double u) {
  const double s = beyond.near().noise, dv = 5 * kRoundoff * (std::abs(u) + 0.5 / s) / s;
  const double exponent = beyond.spread() / (1 + 2 * beyond.spread()) / (4 * s * s);
  const double error =
      beyond.pull() * ((20 + 8 * exponent) * kRoundoff + 0.9 * std::sqrt(beyond.kappa()) * dv) +
      4 * kRoundoff;
  node.weight *= beyond.factor(v);
  node.weight_error += error / beyond.least();
}

TiltedLaw subsampled_law(const SubsampledGaussian& m, const Extrapolated* beyond,
                         Direction direction, const LawOptions& options) {
  const bool remove = direction == Direction::remove;
  const double z = options.tilt;
  const Integrand<double> h(m, z, direction);
  const double peak = highest_point(h, direction), top = h.exponent(peak);
  const Spacing grid = spacing(m, beyond, direction, options);
  const double reach = std::sqrt(2 * (options.digits + 25));
  TiltedLaw law{.tilt = z, .noise = m.noise, .remove = remove};
  double sum = 0, loss_error = 0, weight_error = 0;
  std::vector<double> errors;
  double omitted = NodeWalk(m, z, direction, Form::direct)
                       .over({.from = remove ? -reach : peak - reach,
                              .to = (remove ? (z + 1) / m.noise : peak) + reach,
                              .step = grid.step,
                              .offset = top,
                              .level = top - options.digits},
                             [&](double u) {
                               TiltedNode node = node_at(h, m, u, top);
                               if (beyond != nullptr) extend(node, *beyond, h.ratio().v(u), u);
                               law.loss.push_back(remove ? node.loss : -node.loss);
                               law.weight.push_back(node.weight);
                               law.share.push_back(node.share);
                               errors.push_back(node.weight_error);
                               sum += node.weight;
                               loss_error += node.weight * node.loss_error;
                               weight_error += node.weight * node.weight_error;
                             });
  const auto count = static_cast<double>(law.loss.size());
  if (beyond != nullptr) omitted *= beyond->most(kMostSpread);

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
  if (beyond != nullptr) {
    law.pull = beyond->pull();
    law.spread = beyond->spread();
    law.least_factor = beyond->least();
    law.widest_angle =
        std::min(law.widest_angle, std::sqrt(kMostSpread / beyond->spread()) / m.noise);
  }
  return law;
}

// d = x + iy = exp(i t loss) - 1 at all nodes, stepped from t to t + step by d <- d r + (r - 1).
// Each step adds roundings of a few units of |d| <= t |loss|; every kFresh steps d is computed
// anew.
class Rotation {
 public:
  Rotation(const TiltedLaw& law, double step)
      : law_(law), step_(step), p_(law.loss.size()), q_(p_), x_(p_), y_(p_) {
    set(step, p_, q_);
  }
  // sum_n weight_n d_n at t = m step; to be called for m = 0, 1, 2, ...
  std::complex<double> at(std::size_t m) {
    constexpr std::size_t kFresh = 16;
    if (m == 0) return 0;
    if (m == 1) {
      x_ = p_;
      y_ = q_;
    } else if (m % kFresh == 0) {
      set(step_ * static_cast<double>(m), x_, y_);
    } else {
      turn();
    }
    return {weighted(x_), weighted(y_)};
  }

 private:
  void set(double t, std::vector<double>& x, std::vector<double>& y) const {
    for (std::size_t n = 0; n < x.size(); ++n) {
      const std::complex<double> d = expm1_i(t * law_.loss[n]);
      x[n] = d.real();
      y[n] = d.imag();
    }
  }
  void turn() {
    double* const x = x_.data();
    double* const y = y_.data();
    const double* const p = p_.data();
    const double* const q = q_.data();
    const std::size_t count = x_.size();
    for (std::size_t n = 0; n < count; ++n) {
      const double real = x[n], imaginary = y[n];
      x[n] = real + p[n] + (real * p[n] - imaginary * q[n]);
      y[n] = imaginary + q[n] + (real * q[n] + imaginary * p[n]);
    }
  }
  // Four sums at a time; what is said about the rounding of sums holds in any order.
  double weighted(const std::vector<double>& d) const {
    double sum[4] = {};
    std::size_t n = 0;
    for (; n + 4 <= d.size(); n += 4) {
      for (std::size_t k = 0; k < 4; ++k) sum[k] += law_.weight[n + k] * d[n + k];
    }
    for (; n < d.size(); ++n) sum[0] += law_.weight[n] * d[n];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  const TiltedLaw& law_;
  double step_;
  std::vector<double> p_, q_, x_, y_;
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
  // On the line the factor of an extrapolated law is at most 1 + this times itself.
  const double k = law.spread * a * a, pulled = law.pull * std::exp(k);
  const double turned =
      2 * k / std::numbers::e * pulled * (1 + pulled / law.least_factor) / law.least_factor;
  const double growth = 0.5 * a * a + turned * (1 + 1e-14);
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
    return subsampled_law(m, nullptr, direction, options);
  }
  TiltedLaw operator()(const WithoutNormalNoise auto&) const {
    refuse_without_normal_noise("contour");
  }
};

}  // namespace

TiltedLaw tilted_law(const Mechanism& mechanism, Direction direction, const LawOptions& options) {
  return std::visit(Build{direction, options}, mechanism);
}

// The logarithm of the likelihood ratio without sampling is normal with variance 1/s^2, around
// -1/(2 s^2) or 1/(2 s^2): far / near = eta exp(-kappa v^2), eta = s_far/s_near exp((1/s_near^2 -
// 1/s_far^2) / 8), in either component and direction.
Extrapolated::Extrapolated(const SubsampledGaussian& near, Noise far, double times) : near_(near) {
  const double s = near.noise, ratio = far / s;
  if (!(ratio > 1 && ratio * ratio <= 2))
    refuse("noise", far, "above the other one, up to 1.41 times");
  const double wider = (far - s) * (far + s);  // no digits are lost: far - s is exact
  const double eta = ratio * std::exp(wider / (far * far) / (8 * s * s));
  // 1 + c - c eta >= 1/2
  times_ = std::clamp(times, 0.0, eta > 1 ? 0.5 / (eta - 1) : times);
  pull_ = times_ * eta;
  spread_ = 0.5 * wider / (s * s);
  kappa_ = 0.5 * wider;
}

TiltedLaw tilted_law(const Extrapolated& law, Direction direction, const LawOptions& options) {
  return subsampled_law(law.near(), &law, direction, options);
}

namespace {

// Adds count * log(1 + d) and what an absolute error of d does to it.
void add_log1p(const std::complex<double>& d, double absolute, double count, LogPhi& to,
               std::size_t m) {
  const std::complex<double> value = log1p(d);
  const double size = std::exp(value.real());
  const double cancelled = d.real() < -0.5 ? 4 * kRoundoff / size : 0;  // of 1 + d near 0
  if (std::isnan(size)) {                                               // nothing is known
    to.sum[m] = size;
    to.error[m] = kInfinity;
    return;
  }
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

void add_log_phi(const TiltedLaw& law, double count, double step, LogPhi& to, double allowance) {
  if (law.loss.empty()) {
    for (std::size_t m = 0; m < to.sum.size(); ++m) {
      const double t = step * static_cast<double>(m), exponent = 0.5 * law.variance * t * t;
      to.sum[m] -= count * exponent;
      to.error[m] += count * (law.fixed_error + law.linear_error * t + 8 * kRoundoff * exponent);
    }
    return;
  }
  // The weights add up to 1 but for roundings.
  const double fast_error = phase_sum_error(law.loss.size(), to.sum.size()) +
                            (static_cast<double>(law.loss.size()) + 4) * kRoundoff;
  if (fast_error <= allowance) {
    const auto phi = phase_sums(law.loss, law.weight, step, to.sum.size());
    for (std::size_t m = 0; m < to.sum.size(); ++m) {
      const double t = step * static_cast<double>(m);
      add_log1p(phi[m] - 1.0, law.fixed_error + law.linear_error * t + fast_error, count, to, m);
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
