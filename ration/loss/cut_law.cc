#include "ration/loss/cut_law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ration/base/error.h"
#include "ration/loss/log_ratio.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/near_one.h"
#include "ration/numeric/phase_sums.h"

namespace ration {
namespace {

constexpr double kMostNodes = 5e4;

// Keep 8 bits, so that step * n is an exact double.
double shorten(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::floor(mantissa * 256) / 256, exponent);
}

// log of the relative error of the trapezoid rule, 2 M / (exp(2 pi a / h) - 1).
double log_rule_error(double log_modulus, double a, double step) {
  const double decay = 2 * std::numbers::pi * a / step * (1 - 1e-14);
  return std::log(2.0) + log_modulus - decay - std::log1p(-std::exp(-decay)) + 1e-9;
}

struct Rule {
  double step, angle;  // phi is summed with `step`; `angle` * noise is the a of its error bound
  double decay_angle;  // the same for log_decay, and how far that may turn
};
Rule choose_rule(double noise, const Envelope& whole, const Envelope& extra, double reach,
                 double digits) {
  constexpr int kAngles = 10;
  const double widest = std::min(1.5, 12 / noise), whole_size = whole.log_integral(0, 0).plain,
               extra_size = extra.log_integral(0, 0).plain;
  Rule best{};
  double decay_step = 0;
  std::vector<std::pair<double, double>> decays;  // angle, the step that it needs
  for (int i = 1; i <= kAngles; ++i) {
    const double angle = widest * std::pow(i / double{kAngles}, 3), a = angle * noise;
    const double in_whole = whole.log_integral(angle, reach).plain;
    const Envelope::Integral in_extra = extra.log_integral(angle, reach);
    const double growth = std::max(in_whole - whole_size, in_extra.plain - extra_size);
    const double step = 2 * std::numbers::pi * a / (digits + 3 + growth);
    if (step > best.step) {
      best.step = step;
      best.angle = angle;
    }
    // log_decay sums a modulus on a line shifted by at most this angle, on lines as far around it.
    const double narrow = std::numbers::pi * a / (digits + 3 + in_extra.spread - extra_size);
    decay_step = std::max(decay_step, narrow);
    decays.emplace_back(0.5 * angle, narrow);
  }
  best.step = shorten(std::min(best.step, decay_step));
  for (const auto& [angle, needed] : decays) {
    if (needed >= best.step) best.decay_angle = angle;
  }
  return best;
}

// One node: loss and log of the whole's integrand without shares, and their errors.
struct CutNode {
  double loss, exponent, share, loss_error, exponent_error;
};
CutNode node_at(const LogRatio<double>& ratio, double noise, double power, double u) {
  const double v = ratio.v(u), loss = ratio.value(u), share = ratio.share(u);
  const double dv = 5 * kRoundoff * (std::abs(u) / noise + 0.5 / (noise * noise));
  // d log(1+x) = share dv, plus the roundings of x relative to 1 + x, or of the larger part.
  const bool large = v + ratio.log_rate() > 0;
  const double rounding =
      large ? std::abs(v) + std::abs(ratio.log_rate()) : std::abs(std::expm1(-loss));
  const double loss_error = share * dv + 6 * kRoundoff * (std::abs(loss) + rounding);
  const double exponent_error =
      std::abs(power) * loss_error + kRoundoff * (2 * u * u + 4 * std::abs(power * loss) + 8);
  return {loss, power * loss - 0.5 * u * u, share, loss_error, exponent_error};
}

// share(L) of a band and its relative error: the argument x of Phi errs by 3 units and by the error
// of the loss, which counts |x| times where Phi falls like exp(-x^2/2); erfc itself errs by a few.
struct Share {
  double value = 1, error = 0;
};
void pass(Share& share, double distance, double width, double loss_error) {
  const double x = distance / width, weight = 1 + std::max(0.0, -x);
  share.value *= 0.5 * std::erfc(-x / std::numbers::sqrt2);
  share.error += kRoundoff * (16 + 4 * weight * weight) + weight * loss_error / width;
}
Share share_at(const Band& band, double loss, double loss_error) {
  Share share;
  if (band.above) pass(share, loss - band.above->at, band.above->width, loss_error);
  if (band.below) pass(share, band.below->at - loss, band.below->width, loss_error);
  return share;
}

// Sums with one rounding: many steps multiply the error of a moment.
class Accumulator {
 public:
  void add(double x) {
    const double sum = sum_ + x;
    rest_ += std::abs(sum_) >= std::abs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + rest_; }

 private:
  double sum_ = 0, rest_ = 0;
};

}  // namespace

CutLaw cut_law(const SubsampledGaussian& m, const CutLawOptions& options) {
  const double power = 1 + options.tilt;
  const Envelope whole(m, {power, options.whole, options.digits + 6, options.reach});
  const Envelope extra(m, {power, options.extra, options.digits + 6, options.reach});
  const Rule rule = choose_rule(m.noise, whole, extra, options.reach, options.digits);
  const double step = rule.step, offset = whole.top();
  const double first = std::floor(std::min(whole.from(), extra.from()) / step);
  const double last = std::ceil(std::max(whole.to(), extra.to()) / step);
  if (!(last - first <= kMostNodes)) {
    throw OutOfReach("contour cannot certify this plan: its losses need too many nodes");
  }

  CutLaw law{};
  law.noise = m.noise;
  law.power = power;
  law.has_base = options.has_base;
  const LogRatio<double> ratio(m);
  Accumulator sum, extra_sum;
  double loss_error = 0, weight_error = 0, extra_weight_error = 0, extra_loss_error = 0;
  std::vector<double> errors;
  for (double n = first; n <= last; ++n) {
    const double u = n * step;
    const CutNode node = node_at(ratio, m.noise, power, u);
    const Share in_whole = share_at(options.whole, node.loss, node.loss_error);
    const Share in_extra = share_at(options.extra, node.loss, node.loss_error);
    const double density = std::exp(node.exponent - offset);
    const double weight = density * in_whole.value, part = density * in_extra.value;
    const double error = node.exponent_error + 2 * kRoundoff * std::abs(offset);
    law.loss.push_back(node.loss);
    law.weight.push_back(weight);
    law.extra.push_back(part);
    law.share.push_back(node.share);
    law.density.push_back(density);
    errors.push_back(error + in_whole.error);
    sum.add(weight);
    extra_sum.add(part);
    loss_error += weight * node.loss_error;
    extra_loss_error += part * node.loss_error;
    weight_error += weight * errors.back();
    extra_weight_error += part * (error + in_extra.error);
  }
  const double total = sum.value(), extra_total = extra_sum.value();
  if (!(total > 1e-280 && extra_total > 1e-280 && std::isfinite(total))) {
    throw OutOfReach("contour cannot certify this plan: its losses are too far apart");
  }
  const auto count = static_cast<double>(law.loss.size());

  // Quadrature and nodes left out, relative to each part. `missing` nodes carry sum * step.
  const auto left_out = [&](const Envelope& envelope, double part) {
    const double a = rule.angle * m.noise;
    const double quadrature =
        log_rule_error(envelope.log_integral(rule.angle, options.reach).plain, a, step) -
        std::log(step);
    const double outside = envelope.log_outside(step);
    return (std::exp(quadrature - offset) + std::exp(outside - offset)) / part * kSafety;
  };
  const double whole_left = left_out(whole, total), extra_left = left_out(extra, extra_total);
  const double relative = kSafety * (whole_left + weight_error / total + 8 * kRoundoff);
  const double moment = offset + std::log(total * step / 2.5066282746310005);
  law.log_moment =
      widen(exactly(moment),
            kSafety * relative + 4 * kRoundoff * (2 + std::abs(offset) + std::abs(moment)));
  if (!(relative < 0.01 && extra_left < 0.01)) {
    throw OutOfReach("contour cannot certify this plan: its losses cannot be summed");
  }

  double mean = 0, absolute = 0, extra_absolute = 0, weighted = 0;
  for (std::size_t n = 0; n < law.loss.size(); ++n) mean += law.weight[n] / total * law.loss[n];
  for (std::size_t n = 0; n < law.loss.size(); ++n) {
    law.loss[n] -= mean;
    law.weight[n] /= total;
    law.extra[n] /= total;
    law.density[n] /= total;
    law.variance += law.weight[n] * law.loss[n] * law.loss[n];
    absolute += law.weight[n] * std::abs(law.loss[n]);
    extra_absolute += law.extra[n] * std::abs(law.loss[n]);
    weighted += law.weight[n] * errors[n] * std::abs(law.loss[n]);
  }
  law.centre = mean;
  law.extra_weight = extra_total / total;
  // Of the whole, phi - 1 = sum w (exp(itl) - 1): errors of the losses; of the weights, each of
  // which counts with |exp(itl) - phi| <= t |l| + t E|l|; of rotating and adding up.
  law.whole_linear = kSafety * (loss_error / total + weighted + weight_error / total * absolute +
                                kRoundoff * std::abs(mean) + (count + 100) * kRoundoff * absolute);
  law.whole_fixed = kSafety * 2 * whole_left;
  // Of the extra part, extra(0) + sum w (exp(itl) - 1): its weights count in full, and so does the
  // normalisation by the whole.
  law.extra_linear =
      kSafety * (extra_loss_error / total + kRoundoff * std::abs(mean) * law.extra_weight +
                 (count + 100) * kRoundoff * extra_absolute);
  law.extra_fixed = kSafety * (extra_weight_error / total +
                               law.extra_weight * (extra_left + relative + 16 * kRoundoff));
  law.band = options.extra;
  law.widest_angle = rule.decay_angle;
  law.scale_error = kSafety * (relative + extra_left + extra_weight_error / extra_total);
  // Losses are put together again from their centre; a cut sees them in units of its width.
  for (const auto& cut : {law.band.above, law.band.below}) {
    if (cut) law.shift_error += 1e-13 * (10 + (std::abs(cut->at) + std::abs(mean)) / cut->width);
  }
  const double modulus = extra.log_integral(2 * rule.decay_angle, 0).spread;
  law.decay_error = kSafety *
                    (std::exp(log_rule_error(modulus, rule.decay_angle * m.noise, step) -
                              std::log(step) - offset) +
                     std::exp(extra.log_outside(step, rule.decay_angle) - offset)) /
                    total;
  return law;
}

LargeMass large_mass(const SubsampledGaussian& m, const LossCut& cut, double log_negligible) {
  constexpr double kDigits = 60;  // |x| <= (1+x) + 1, but may be as small as exp(-20)
  const Envelope one(m, {1, {.above = cut}, kDigits}), zero(m, {0, {.above = cut}, kDigits});
  // The normal density's factor 1/sqrt(2 pi) is below 1.
  const double most = std::max(one.log_integral(0, 0).plain, zero.log_integral(0, 0).plain);
  if (most < std::max(log_negligible, -690.0)) {  // or too small for a double
    const Bound unknown = {.lower = 0, .upper = library_up(std::exp(std::max(most, -700.0)))};
    return {.q = unknown, .surplus = unknown};
  }
  const Rule rule = choose_rule(m.noise, one, zero, 0, kDigits);
  const LogRatio<double> ratio(m);
  const double offset = one.top();
  double q = 0, surplus = 0, q_error = 0, surplus_error = 0, count = 0;
  const double first = std::floor(std::min(one.from(), zero.from()) / rule.step);
  const double last = std::ceil(std::max(one.to(), zero.to()) / rule.step);
  if (!(last - first <= kMostNodes)) {
    throw OutOfReach("contour cannot certify this plan: its losses need too many nodes");
  }
  for (double n = first; n <= last; ++n, ++count) {
    const double u = n * rule.step;
    const CutNode node = node_at(ratio, m.noise, 0, u);
    const Share share = share_at({.above = cut}, node.loss, node.loss_error);
    // x = e^L - 1, both scaled by exp(-offset).
    const double density = std::exp(node.exponent - offset) * share.value;
    const double grown = node.loss < 1
                             ? density * std::expm1(node.loss)
                             : share.value * (std::exp(node.exponent + node.loss - offset) -
                                              std::exp(node.exponent - offset));
    const double error = node.exponent_error + share.error +
                         kRoundoff * (2 * std::abs(offset) + 2 * std::abs(node.loss) + 16);
    q += density;
    surplus += grown;
    q_error += density * error;
    surplus_error += std::abs(grown) * error + 2 * (std::abs(grown) + density) * node.loss_error;
  }
  // What is too small for a double is lost, less than the least double a node.
  const double lost = count * std::numeric_limits<double>::denorm_min();
  const auto left_out = [&](const Envelope& envelope) {
    const double log_quadrature = log_rule_error(envelope.log_integral(rule.angle, 0).plain,
                                                 rule.angle * m.noise, rule.step) -
                                  std::log(rule.step);
    return std::exp(log_quadrature - offset) + std::exp(envelope.log_outside(rule.step) - offset);
  };
  const double zero_left = left_out(zero), one_left = left_out(one);
  q_error = kSafety * (q_error + zero_left + (count + 4) * kRoundoff * q) + 2 * lost;
  surplus_error = kSafety * (surplus_error + zero_left + one_left +
                             (count + 4) * kRoundoff * std::abs(surplus)) +
                  4 * lost;
  // times exp(offset) step / sqrt(2 pi)
  const Bound scale = exp(exactly(offset)) * exactly(rule.step) /
                      Bound{.lower = 2.5066282746310002, .upper = 2.5066282746310007};
  return {.q = scale * Bound{.lower = std::max(0.0, q - q_error), .upper = q + q_error},
          .surplus = scale * widen(exactly(surplus), surplus_error)};
}

RoughMoments rough_moments(const SubsampledGaussian& m, double tilt, const Band& whole,
                           const Band& extra) {
  constexpr double kNodes = 200;
  const LogRatio<double> ratio(m);
  const auto place = [&](double loss) {
    return m.noise * std::log1p(std::expm1(loss) / m.rate) + 0.5 / m.noise;
  };
  double from = -8, to = 8 + 1 / m.noise;
  if (tilt < -1) {  // the highest point of -u^2/2 + power L, by bisection of its slope
    double low = (1 + tilt) / m.noise, high = 0;
    for (int i = 0; i < 50; ++i) {
      const double u = 0.5 * (low + high);
      (-u + (1 + tilt) * ratio.share(u) / m.noise > 0 ? low : high) = u;
    }
    const double spread = 1 / std::sqrt(1 - low / m.noise);  // of the law around it
    from = low - 8;                                          // to the left it widens
    to = low + 8 * std::max(spread, extra.above ? 1.0 : spread);
  }
  if (extra.above) to = std::max(to, place(extra.above->at) + 8);
  if (whole.below) to = place(whole.below->at + 5 * whole.below->width);
  to = std::min(to, 60.0);
  const double step = (to - from) / kNodes;
  std::vector<double> exponents, losses, shares;
  for (double u = from; u <= to; u += step) {
    const double loss = ratio.value(u);
    const auto share = [&](const Band& band) { return share_at(band, loss, 0).value; };
    const double whole_share = share(whole);
    if (whole_share == 0) break;
    exponents.push_back((1 + tilt) * loss - 0.5 * u * u + std::log(whole_share));
    losses.push_back(loss);
    shares.push_back(share(extra) / whole_share);
  }
  if (exponents.empty()) throw OutOfReach("contour cannot certify this plan: no losses to weigh");
  const double top = *std::max_element(exponents.begin(), exponents.end());
  double sum = 0, mean = 0, square_mean = 0, part = 0;
  for (std::size_t n = 0; n < losses.size(); ++n) {
    const double weight = std::exp(exponents[n] - top);
    sum += weight;
    mean += weight * losses[n];
    square_mean += weight * losses[n] * losses[n];
    part += weight * shares[n];
  }
  mean /= sum;
  return {.k = top + std::log(sum * step / 2.5066282746310005),
          .mean = mean,
          .variance = std::max(0.0, square_mean / sum - mean * mean),
          .extra = part / sum};
}

CutRotation::CutRotation(const CutLaw& law, double step, std::size_t points, double allowance)
    : law_(law), step_(step) {
  const double error = phase_sum_error(law.loss.size(), points) + 2 * kRoundoff;
  if (error <= allowance) {
    error_ = error;
    whole_ = phase_sums(law.loss, law.weight, step, points);
    if (law.has_base) extra_ = phase_sums(law.loss, law.extra, step, points);
    return;
  }
  for (const double loss : law.loss) {
    const std::complex<double> turn = expm1_i(step * loss);
    turn_real_.push_back(turn.real());
    turn_imaginary_.push_back(turn.imag());
  }
  real_.assign(law.loss.size(), 0);
  imaginary_ = real_;
}

CutRotation::Parts CutRotation::at(std::size_t m) {
  if (!whole_.empty()) {
    return {.surplus = whole_[m] - 1.0, .extra = extra_.empty() ? 0.0 : extra_[m]};
  }
  constexpr std::size_t kFresh = 16;  // how often the turned values are computed anew
  const std::size_t count = real_.size();
  if (m % kFresh == 0) {
    for (std::size_t n = 0; n < count; ++n) {
      const std::complex<double> d = expm1_i(step_ * static_cast<double>(m) * law_.loss[n]);
      real_[n] = d.real();
      imaginary_[n] = d.imag();
    }
  } else {
    for (std::size_t n = 0; n < count; ++n) {
      const double x = real_[n], y = imaginary_[n], p = turn_real_[n], q = turn_imaginary_[n];
      real_[n] = x + p + (x * p - y * q);
      imaginary_[n] = y + q + (x * q + y * p);
    }
  }
  // Two sums each, so that they do not wait for one another.
  std::array<double, 2> real{}, imaginary{}, extra_real{}, extra_imaginary{};
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t k = n % 2;
    real[k] += law_.weight[n] * real_[n];
    imaginary[k] += law_.weight[n] * imaginary_[n];
    extra_real[k] += law_.extra[n] * real_[n];
    extra_imaginary[k] += law_.extra[n] * imaginary_[n];
  }
  return {.surplus = {real[0] + real[1], imaginary[0] + imaginary[1]},
          .extra = {law_.extra_weight + (extra_real[0] + extra_real[1]),
                    extra_imaginary[0] + extra_imaginary[1]}};
}

namespace {

// A bound of |Phi(x + iy)|: Phi(x) and the integral of the density from x to x + iy.
double turned_share(double x, double y) {
  const double density = std::exp(0.5 * (y - x) * (y + x)) * (1 / 2.5066282746310002);
  return 0.5 * std::erfc(-x / std::numbers::sqrt2) + y * density;
}

// log of the bound of |extra(t)| when the line of u is shifted by angle * noise.
double log_decay_at(const CutLaw& law, double t, double angle) {
  const double sine = std::sin(0.5 * angle), sin_angle = std::sin(angle),
               cos_angle = std::cos(angle), a = angle * law.noise;
  double sum = 0, largest = 0;
  for (std::size_t n = 0; n < law.loss.size(); ++n) {
    // 1 + x becomes (1+x) ((1-p) + p exp(i angle)): its modulus and its argument.
    const double p = law.share[n];
    const double modulus = 0.5 * std::log1p(-4 * p * (1 - p) * sine * sine);
    const double argument = std::atan2(p * sin_angle, 1 - p + p * cos_angle);
    const double loss = law.loss[n] + law.centre + modulus;
    const double exponent = law.power * modulus - t * argument;
    double share = 1;
    if (law.band.above) {
      const auto& [at, width] = *law.band.above;
      share *= turned_share((loss - at) / width, argument / width);
    }
    if (law.band.below) {
      const auto& [at, width] = *law.band.below;
      share *= turned_share((at - loss) / width, argument / width);
    }
    sum += law.density[n] * share * std::exp(exponent);
    if (exponent > -40) largest = std::max(largest, std::abs(exponent));
  }
  const auto count = static_cast<double>(law.loss.size());
  // The shares p carry the error of v, at most 1e-13; so do the exponents, relatively.
  const double relative =
      2 * law.scale_error + (count + 50) * kRoundoff + 1e-12 * (1 + largest) + law.shift_error;
  return 0.5 * a * a + std::log(sum * (1 + kSafety * relative) + law.decay_error);
}

}  // namespace

double log_decay(const CutLaw& law, double t) {
  // The best shift is about t times the mean slope of L, as it is for a normal law.
  double slope = 0;
  for (std::size_t n = 0; n < law.share.size(); ++n) slope += law.extra[n] * law.share[n];
  slope /= law.extra_weight * law.noise;
  double curvature = 1;
  if (law.band.above) curvature += square(slope / law.band.above->width);
  if (law.band.below) curvature += square(slope / law.band.below->width);
  const double best = t * slope / law.noise / curvature;
  double least = std::log(law.extra_weight) + 1e-9 + law.scale_error;
  for (const double factor : {1.0, 0.5, 0.2}) {
    const double angle = std::min(factor * best, law.widest_angle);
    least = std::min(least, log_decay_at(law, t, angle));
  }
  return least;
}

}  // namespace ration
