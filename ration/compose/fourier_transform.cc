#include "ration/compose/fourier_transform.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ration/numeric/directed.h"
#include "ration/numeric/fft.h"

namespace ration::fourier {
namespace {

// Without the offset, to be exact.
double loss_of(const Pld& law, std::size_t i) {
  return (law.first + static_cast<double>(i)) * law.step;
}

// A loss's place on the circle.
std::size_t place(double index, std::size_t size) {
  const auto n = static_cast<double>(size);
  return static_cast<std::size_t>(index - n * std::floor(index / n));
}

// The largest weight of max(0, 1 - exp(eps - x)) exp(-tilt (x - eps)), and of anything on the way
// to it, is 1: errors of masses pass into delta / exp(log_scale - tilt eps) undiminished at most.
double scale_of(double log_scale, double tilt, double epsilon) {
  return std::exp(log_scale - tilt * epsilon);
}
double relative_error_of_scale(double log_scale, double log_scale_error, double tilt,
                               double epsilon) {
  return std::expm1(log_scale_error +
                    4 * kRoundoff * (1 + std::abs(log_scale) + std::abs(tilt * epsilon)));
}

// Calls use(i, tilted, excess) for the losses x of the window above eps: exp(-tilt (x - eps)) and
// 1 - exp(eps - x), whose product is the weight. Both are multiplied up and computed anew every
// kAnew losses; `excess` errs by kWeightError absolutely, `tilted` by weight_error relatively.
constexpr double kWeightError = 300 * kRoundoff;
template <class Use>
void for_each_weight(const Window& window, double epsilon, const Use& use) {
  constexpr std::size_t kAnew = 64;
  const auto size = static_cast<double>(window.size);
  const double above = std::floor(epsilon / window.step) + 1 - window.first;
  const auto from = static_cast<std::size_t>(std::clamp(above, 0.0, size));
  const double tilted_step = std::exp(-window.tilt * window.step);
  const double fade_step = std::exp(-window.step);
  double tilted = 0, fade = 0;
  for (std::size_t i = from; i < window.size; ++i) {
    if ((i - from) % kAnew == 0) {
      const double x = (window.first + static_cast<double>(i)) * window.step - epsilon;
      tilted = std::exp(-window.tilt * x);
      fade = std::exp(-x);
    }
    use(i, tilted, 1 - fade);
    tilted *= tilted_step;
    fade *= fade_step;
  }
}
double weight_error(const Window& window, double epsilon) {
  const double length = window.step * (static_cast<double>(window.size) + std::abs(window.first));
  return kWeightError + 4 * kRoundoff * (1 + window.tilt) * (length + std::abs(epsilon));
}

// log of a sum of exponentials, none of which may be a double.
class LogSum {
 public:
  void add(double exponent) {
    if (exponent > largest_) {
      sum_ = sum_ * std::exp(largest_ - exponent) + 1;
      largest_ = exponent;
    } else {
      sum_ += std::exp(exponent - largest_);
    }
  }
  double value() const { return largest_ + std::log(sum_); }

 private:
  double largest_ = -std::numeric_limits<double>::infinity(), sum_ = 0;
};

}  // namespace

Transform transform_of(const Pld& law, const Window& window) {
  Transform result;
  std::vector<double> tilted(law.mass.size());
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < law.mass.size(); ++i) {
    if (law.mass[i] == 0) continue;
    tilted[i] = std::log(law.mass[i]) + window.tilt * loss_of(law, i);
    largest = std::max(largest, tilted[i]);
  }
  double sum = 0;
  for (std::size_t i = 0; i < law.mass.size(); ++i) {
    if (law.mass[i] > 0) sum += std::exp(tilted[i] - largest);
  }
  result.scale = largest + std::log(sum);

  std::vector<double> circle(window.size, 0.0);
  double exponent_error = 0;
  LogSum left, right;
  for (std::size_t i = 0; i < law.mass.size(); ++i) {
    if (law.mass[i] == 0) continue;
    const double x = loss_of(law, i), exponent = tilted[i] - result.scale;
    circle[place(law.first + static_cast<double>(i), window.size)] += std::exp(exponent);
    left.add(exponent - window.left * x);
    right.add(exponent + window.right * x);
    exponent_error = std::max(exponent_error, std::abs(tilted[i]) + std::abs(window.tilt * x) + 1);
  }
  // Each mass carries the rounding of its exponent, and its place on the circle that of its sum.
  const auto count = static_cast<double>(law.mass.size());
  const double turns = std::ceil(count / static_cast<double>(window.size));
  const double relative = (8 * (exponent_error + std::abs(result.scale)) + turns + 8) * kRoundoff;
  const double error = 1.01 * (fft_error(window.size) + relative);
  const double farthest =
      std::max(std::abs(loss_of(law, 0)), std::abs(loss_of(law, law.mass.size() - 1)));
  const double slop =
      relative + (count + 8 + 4 * (window.left + window.right) * farthest) * kRoundoff;
  result.log_moment_left = left.value() + 1.01 * slop;
  result.log_moment_right = right.value() + 1.01 * slop;
  result.offset = law.offset;
  result.slack = law.slack;
  result.log_finite = std::log1p(-std::min(law.at_infinity, 1 - kRoundoff));

  const auto values = fft(circle);
  for (const std::complex<double>& f : values) {
    // A value that is lost in its own error is replaced by another, at most three errors away.
    const double modulus = std::sqrt(std::norm(f));
    if (modulus < error) {
      result.log_value.emplace_back(std::log(error), 0);
      result.growth.push_back(std::log(4.0) + 8 * kRoundoff);
    } else {
      result.log_value.emplace_back(std::log(modulus), std::arg(f));
      result.growth.push_back(std::log1p(error / modulus) + 8 * kRoundoff);
    }
  }
  return result;
}

Composer::Composer(const Window& window)
    : window_(window),
      log_value_(window.size / 2 + 1),
      growth_(log_value_.size()),
      size_(log_value_.size()) {}

void Composer::add(const Transform& transform, double count) {
  for (std::size_t j = 0; j < log_value_.size(); ++j) {
    const std::complex<double> term = count * transform.log_value[j];
    log_value_[j] += term;
    growth_[j] += count * transform.growth[j];
    size_[j] += std::abs(term.real()) + std::abs(term.imag());
  }
  log_scale_ += count * transform.scale;
  scale_size_ += count * std::abs(transform.scale);
  offset_ += count * transform.offset;
  offset_size_ += count * std::abs(transform.offset);
  slack_ = add_up(slack_, mul_up(count, transform.slack));
  left_ += count * transform.log_moment_left;
  right_ += count * transform.log_moment_right;
  moment_size_ +=
      count * (std::abs(transform.log_moment_left) + std::abs(transform.log_moment_right));
  log_finite_ += count * transform.log_finite;
  ++entries_;
}

Spectrum Composer::spectrum() const {
  const double roundings = (entries_ + 8) * kRoundoff;
  Spectrum result = {.window = window_,
                     .log_scale = log_scale_,
                     .log_scale_error = roundings * scale_size_,
                     .offset = offset_,
                     .slack = add_up(slack_, 2 * roundings * offset_size_),
                     .at_infinity = -std::expm1(log_finite_)};
  const double below = (window_.first - 1) * window_.step;
  const double above = (window_.first + static_cast<double>(window_.size)) * window_.step;
  const double slop =
      4 * roundings *
      (moment_size_ + std::abs(window_.left * below) + std::abs(window_.right * above));
  result.outside = 1.01 * (std::exp(left_ + window_.left * below + slop) +
                           std::exp(right_ - window_.right * above + slop));
  const std::size_t half = log_value_.size();
  result.value.resize(half);
  result.error.resize(half);
  for (std::size_t j = 0; j < half; ++j) {
    const double modulus = std::exp(log_value_[j].real());
    result.value[j] = std::polar(modulus, log_value_[j].imag());
    const double exponent = growth_[j] + 4 * roundings * (1 + size_[j]);
    result.error[j] = 1.01 * (exponent < 1 ? modulus * std::expm1(exponent)
                                           : std::exp(log_value_[j].real() + exponent));
  }
  return result;
}

namespace {

// The sum over the whole circle of something even: all but the first and the last count twice.
template <class Term>
double circle_sum(std::size_t half, const Term& term) {
  double sum = 0;
  for (std::size_t j = 1; j + 1 < half; ++j) sum += term(j);
  return 2 * sum + term(0) + term(half - 1);
}

}  // namespace

Weights weights_of(double epsilon, const Window& window) {
  Weights result = {.epsilon = epsilon};
  std::vector<double> circle(window.size, 0.0);
  double sum = 0;
  for_each_weight(window, epsilon, [&](std::size_t i, double tilted, double excess) {
    circle[place(window.first + static_cast<double>(i), window.size)] = tilted * excess;
    sum += tilted;
  });
  result.transform = fft(circle);
  result.transform_error =
      (fft_error(window.size) + 2 * weight_error(window, epsilon)) * 1.01 * sum;
  return result;
}

// sum_i mass_i weight_i = 1/n sum_j F_j conj(W_j).
Evaluation delta(const Spectrum& spectrum, const Weights& weights) {
  const std::size_t half = spectrum.value.size();
  const auto n = static_cast<double>(spectrum.window.size);
  const double value = circle_sum(half, [&](std::size_t j) {
    return (spectrum.value[j] * std::conj(weights.transform[j])).real();
  });
  const double error = circle_sum(half, [&](std::size_t j) {
    const double f = std::sqrt(std::norm(spectrum.value[j])),
                 w = std::sqrt(std::norm(weights.transform[j]));
    return spectrum.error[j] * (w + weights.transform_error) + f * weights.transform_error +
           (n + 8) * kRoundoff * f * w;
  });
  const double scale = scale_of(spectrum.log_scale, spectrum.window.tilt, weights.epsilon);
  const double relative = relative_error_of_scale(spectrum.log_scale, spectrum.log_scale_error,
                                                  spectrum.window.tilt, weights.epsilon);
  return {.value = scale * value / n,
          .wrap = 1.01 * scale * spectrum.outside,
          .rounding = 1.01 * scale * (error + std::abs(value) * relative) / n};
}

ComposedLaw::ComposedLaw(const Spectrum& spectrum)
    : window_(spectrum.window),
      log_scale_(spectrum.log_scale),
      log_scale_error_(spectrum.log_scale_error),
      outside_(spectrum.outside) {
  const std::vector<double> circle = inverse_fft(spectrum.value);
  mass_.resize(window_.size);
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    mass_[i] = circle[place(window_.first + static_cast<double>(i), window_.size)];
  }
  // Both norms of the error: of a spectrum that dies out the first is small, of one that does not
  // (losses on a lattice) the second, by Parseval.
  const double error = fft_error(window_.size), n = static_cast<double>(window_.size);
  const auto at = [&](std::size_t j) {
    return spectrum.error[j] + error * std::sqrt(std::norm(spectrum.value[j]));
  };
  const std::size_t half = spectrum.value.size();
  largest_error_ = 1.01 / n * circle_sum(half, at);
  root_square_error_ =
      1.01 * std::sqrt(circle_sum(half, [&](std::size_t j) { return at(j) * at(j); }) / n);
}

Evaluation ComposedLaw::delta(double epsilon) const {
  double sum = 0, size = 0, weights = 0, squares = 0;
  for_each_weight(window_, epsilon, [&](std::size_t i, double tilted, double excess) {
    sum += mass_[i] * tilted * excess;
    size += std::abs(mass_[i]) * tilted;
    weights += tilted * excess;
    squares += tilted * excess * tilted * excess;
  });
  const double masses = std::min(largest_error_ * weights, root_square_error_ * std::sqrt(squares));
  const double scale = scale_of(log_scale_, window_.tilt, epsilon);
  const double relative =
      relative_error_of_scale(log_scale_, log_scale_error_, window_.tilt, epsilon) +
      2 * weight_error(window_, epsilon) + (static_cast<double>(window_.size) + 8) * kRoundoff;
  return {.value = scale * sum,
          .wrap = 1.01 * scale * outside_,
          .rounding = 1.01 * scale * (masses * (1 + relative) + relative * size)};
}

}  // namespace ration::fourier
