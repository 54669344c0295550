#include "ration/individual/line_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/loss/rdp.h"
#include "ration/loss/tilted_law.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

constexpr double kPi = std::numbers::pi;

// What a row holds: these; real, then imaginary parts of log phi at the points; and bounds of their
// errors, one for each octave of points, for errors grow as phi falls.
enum Entry : std::size_t { kMomentLow, kMomentUp, kCentre, kCentreSize, kDecay, kPhi };
std::size_t octave(std::size_t point) {
  return static_cast<std::size_t>(std::bit_width(point)) - 1;
}
std::size_t row_width(std::size_t points) { return kPhi + 2 * points + octave(points) + 1; }

// Beyond so many steps the absolute error of the law's own moment would show.
constexpr double kManySteps = 1e6;

// Nodes times points of a mechanism, beyond which it is given up.
constexpr double kMostWork = 1e8;

// A mechanism that nobody uses, or whose law takes too much work. Nothing is proved of those who
// use it all the same, for sums and comparisons with it are not numbers; others are served.
void give_up(std::span<double> row) {
  std::fill(row.begin(), row.end(), std::numeric_limits<double>::quiet_NaN());
}

// Sharper than the law's own, where it does not take too many nodes.
Bound sharp_moment(const SubsampledGaussian& m, Direction direction, const TiltedLaw& law) {
  const auto sharp = if_in_reach([&] { return rdp::log_moment(m, law.tilt, direction); });
  return sharp.value_or(law.log_moment);
}

// Relative rounding of a sum of rows of one sign.
double rounding_of(const Usage& usage) { return (static_cast<double>(usage.used) + 4) * kRoundoff; }

}  // namespace

LineTable::LineTable(std::span<const SubsampledGaussian> mechanisms, Direction direction,
                     const LineShape& shape, double steps, std::span<const unsigned char> used)
    : shape_(shape),
      step_(2 * kPi / shape.period),
      rows_(mechanisms.size(), row_width(static_cast<std::size_t>(shape.points))) {
  const auto points = static_cast<std::size_t>(shape.points);
  const double reach = step_ * static_cast<double>(points);
  for (std::size_t m = 1; m <= points; ++m) {
    const std::complex<double> z(shape.tilt, step_ * static_cast<double>(m));
    weight_.push_back(1.0 / (z * (z + 1.0)));
  }
  const LawOptions options = {
      .tilt = shape.tilt, .reach = reach * (1 + 1e-12), .digits = 30 + std::log(steps)};
  in_parallel(mechanisms.size(), [&](std::size_t c) {
    const std::span<double> row = rows_.row(c);
    const double nodes = 6 * reach / mechanisms[c].noise;  // so that they resolve exp(i t L)
    if (used[c] == 0 || nodes * static_cast<double>(points) > kMostWork) return give_up(row);
    const auto found = if_in_reach([&] { return tilted_law(mechanisms[c], direction, options); });
    if (!found) return give_up(row);  // too many nodes
    const TiltedLaw& law = *found;
    LogPhi phi = {.sum = std::vector<std::complex<double>>(points + 1),
                  .error = std::vector<double>(points + 1)};
    add_log_phi(law, 1, step_, phi);
    const Bound moment =
        steps < kManySteps ? law.log_moment : sharp_moment(mechanisms[c], direction, law);
    for (std::size_t m = 1; m <= points; ++m) {
      row[kPhi + m - 1] = phi.sum[m].real();
      row[kPhi + points + m - 1] = phi.sum[m].imag();
      // With what adding up this row loses, whatever the signs.
      const double adding =
          (static_cast<double>(mechanisms.size()) + 4) * kRoundoff * std::abs(phi.sum[m]);
      double& error = row[kPhi + 2 * points + octave(m)];
      error = std::max(error, phi.error[m] + adding);
    }
    row[kMomentLow] = std::max(0.0, moment.lower);
    row[kMomentUp] = moment.upper;
    row[kCentre] = law.centre;
    row[kCentreSize] = std::abs(law.centre);
    row[kDecay] = log_decay(law, reach);
  });
}

LineTable::Person::Person(const LineTable& table, const Usage& usage, double near_epsilon)
    : table_(table), base_(near_epsilon) {
  const auto& [tilt, period, count] = table.shape_;
  const auto points = static_cast<std::size_t>(count);
  const double step = table.step_, reach = step * static_cast<double>(points);
  static thread_local std::vector<double> sums;
  sums.resize(table.rows_.stride());
  table.rows_.sum(usage.mechanisms(), usage.counts(), 0, sums);

  // Steps without sampling: the loss is normal with mean spend (tilt + 1/2) and variance spend.
  const double rounding = rounding_of(usage), spend = usage.spend;
  const double spend_moment = spend * (tilt * (tilt + 1) / 2);
  moment_low_ = (sums[kMomentLow] + spend_moment) * (1 - rounding - 8 * kRoundoff);
  moment_up_ = (sums[kMomentUp] + spend_moment) * (1 + rounding + 8 * kRoundoff);
  centre_ = sums[kCentre] + spend * (tilt + 0.5);
  const double centre_size = sums[kCentreSize] + spend * (tilt + 0.5);
  const double centre_error = (rounding + 6 * kRoundoff) * 1.01 * centre_size;
  const double decay = (sums[kDecay] - spend * (reach * reach / 2)) * (1 - 1e-12);
  tail_ = std::exp(decay) / (kPi * reach) * (1 + 1e-9);

  // Re and Im of log phi + i t (centre - base), then the terms themselves.
  const double offset = centre_ - base_;
  const double* real = sums.data() + kPhi;
  const double* imaginary = real + points;
  const double* errors = imaginary + points;
  error_ = 0;
  terms_.resize(points);
  first_ = 0.5 / (tilt * (tilt + 1));
  size_ = first_;
  for (std::size_t m = 0; m < points; ++m) {
    const double t = step * static_cast<double>(m + 1);
    const double exponent = real[m] - spend * (t * t / 2), phase = imaginary[m] + t * offset;
    const double size = std::exp(exponent);
    const double x = size * std::cos(phase), y = size * std::sin(phase);
    const double a = table.weight_[m].real(), b = table.weight_[m].imag();
    terms_[m] = {x * a - y * b, x * b + y * a};
    const double modulus = size * (std::abs(a) + std::abs(b));
    // Of the sums of rows; of centre - base, times t; of exponent, phase, exp, cos, sin and weight.
    const double relative =
        errors[octave(m + 1)] * (1 + rounding) + t * centre_error +
        kRoundoff * (40 + 8 * (std::abs(exponent) + std::abs(imaginary[m])) +
                     t * (4 * centre_size + 4 * std::abs(base_) + 4 * std::abs(offset)));
    size_ += modulus;
    error_ += modulus * (relative < 0.02 ? 1.02 * relative : std::expm1(1.02 * relative));
  }
}

LineTable::Person::Sum LineTable::Person::sum(double epsilon) const {
  // Terms turn by exp(-i t (eps - base)), by repeated multiplication: 10 u a step is plenty.
  const double shift = epsilon - base_, angle = table_.step_ * shift;
  const double c = std::cos(angle), s = -std::sin(angle);
  double x = 1, y = 0, value = first_, slope = 0;
  for (std::size_t m = 0; m < terms_.size(); ++m) {
    const double turned = x * c - y * s;
    y = x * s + y * c;
    x = turned;
    const double re = terms_[m].real(), im = terms_[m].imag();
    value += re * x - im * y;
    slope += table_.step_ * static_cast<double>(m + 1) * (re * y + im * x);
  }
  const auto points = static_cast<double>(terms_.size());
  const double relative =
      kRoundoff * (16 + 14 * points + 4 * points * std::abs(angle) +
                   4 * points * table_.step_ * (std::abs(epsilon) + std::abs(base_)));
  return {.value = value, .slope = slope, .error = 1.02 * (error_ + relative * size_)};
}

LineTable::Person::Estimate LineTable::Person::estimate(double epsilon) const {
  const Sum s = sum(epsilon);
  const double value = std::max(s.value, 1e-300), tilt = table_.shape_.tilt;
  return {.log_delta = moment_up_ - tilt * epsilon + std::log(value * table_.step_ / kPi),
          .slope = std::min(-tilt + s.slope / value, -1e-12)};
}

bool LineTable::Person::at_most(double epsilon, double log_delta) const {
  // The sum over all points is delta plus aliases, which are not negative.
  const Sum s = sum(epsilon);
  const double whole = (table_.step_ / kPi * (s.value + s.error) + tail_) * (1 + 8 * kRoundoff);
  if (!(whole > 0)) return false;
  const double scale = moment_up_ - table_.shape_.tilt * epsilon, log_whole = std::log(whole);
  const double slop =
      4 * kRoundoff *
      (2 + moment_up_ + table_.shape_.tilt * epsilon + std::abs(log_whole) + std::abs(log_delta));
  return scale + log_whole + slop <= log_delta;
}

bool LineTable::Person::at_least(double epsilon, double log_delta, double log_alias) const {
  const Sum s = sum(epsilon);
  const double main = table_.step_ / kPi * (s.value - s.error);
  const double whole = (main - tail_) * (1 - 16 * kRoundoff);
  if (!(tail_ < 0.5 * main)) return false;
  const double scale = moment_low_ - table_.shape_.tilt * epsilon, log_whole = std::log(whole);
  const double slop =
      4 * kRoundoff *
      (2 + moment_low_ + table_.shape_.tilt * epsilon + std::abs(log_whole) + std::abs(log_delta));
  const double total = scale + log_whole - slop;
  const double alias = std::exp(log_alias - total);  // relative to the sum
  return alias < 0.5 && total + std::log1p(-alias * (1 + 1e-9)) - 1e-15 >= log_delta;
}

namespace {

// How far an enclosure may be from the root, relative, tried in this order.
constexpr double kWidths[] = {1e-8, 1e-7, 4e-7};

double above(double x, double width) { return x * (1 + width) + 2e-13; }
double below(double x, double width) { return std::max(0.0, x * (1 - width) - 2e-13); }

}  // namespace

BestRung best_rung(const TiltLadder& ladder, std::span<const double> moments, std::size_t first,
                   double log_delta) {
  BestRung best{first, std::numeric_limits<double>::infinity()};
  for (std::size_t i = first; i < std::min(ladder.size(), first + moments.size()); ++i) {
    const double k = moments[i - first], c = ladder.conversion(i);
    const double rounding = 1e-14 * (k + std::abs(c) + std::abs(log_delta));
    const double epsilon = (k + c - log_delta + rounding) / ladder.tilt(i);
    if (epsilon < best.epsilon) best = {i, epsilon};
  }
  return best;
}

LineSolver::LineSolver(const LineTable& table, const Usage& usage, const TiltLadder& ladder,
                       const MomentWindow& window, double log_delta)
    : table_(table),
      ladder_(ladder),
      window_(window),
      log_delta_(log_delta),
      renyi_(std::max(0.0, best_rung(ladder, window.moments, window.first, log_delta).epsilon)),
      line_(table, usage, 0.95 * renyi_) {}

Bound LineSolver::epsilon() const {
  const double root = estimate();
  Bound found = {.lower = 0, .upper = renyi_};
  if (!std::isfinite(root)) return found;
  for (const double width : kWidths) {
    if (found.upper == renyi_ && at_most(above(root, width))) found.upper = above(root, width);
    if (found.lower == 0 && at_least(below(root, width))) found.lower = below(root, width);
  }
  if (found.upper == renyi_) found.upper = least_proved({.lower = root, .upper = renyi_});
  if (found.lower == 0) found.lower = most_proved({.lower = 0, .upper = root});
  return found;
}

// The root in plain doubles. log delta is concave, so Newton's steps stay on one side of it; when
// they are small the next one would square that.
double LineSolver::estimate() const {
  double epsilon = renyi_;
  for (int i = 0; i < 30; ++i) {
    const auto e = line_.estimate(epsilon);
    const double next = std::max(0.0, epsilon + (log_delta_ - e.log_delta) / e.slope);
    const bool done = std::abs(next - epsilon) <= 1e-10 * next;
    epsilon = next;
    if (done) break;
  }
  return epsilon;
}

bool LineSolver::at_least(double epsilon) const {
  return line_.at_least(epsilon, log_delta_, log_alias(epsilon));
}

// Where the errors hide the root: how near to it the proof still holds.
double LineSolver::least_proved(Bound range) const {
  for (int i = 0; i < 12; ++i) {
    const double middle = midpoint(range);
    (at_most(middle) ? range.upper : range.lower) = middle;
  }
  return range.upper;
}
double LineSolver::most_proved(Bound range) const {
  for (int i = 0; i < 12; ++i) {
    const double middle = midpoint(range);
    (at_least(middle) ? range.lower : range.upper) = middle;
  }
  return range.lower;
}

// log of a bound of sum_{n != 0} exp(tilt x_n) delta(eps + x_n), x_n = n period: on the left
// delta <= 1, on the right by Chernoff's bound at whichever rung further up is best.
double LineSolver::log_alias(double epsilon) const {
  const double tilt = table_.shape().tilt, period = table_.shape().period * (1 - 1e-14);
  const double left = -tilt * period - std::log1p(-std::exp(-tilt * period));
  double right = std::numeric_limits<double>::infinity(), decay = 1;
  const std::size_t last = std::min(ladder_.size(), window_.first + window_.moments.size());
  for (std::size_t i = window_.first; i < last; ++i) {
    const double z = ladder_.tilt(i), further = (z - tilt) * period;
    const double k = window_.moments[i - window_.first];
    const double size = k - z * epsilon - further + 1e-14 * (k + z * epsilon + std::abs(further));
    if (further <= 0.5 || size >= right) continue;
    right = size;
    decay = further;
  }
  right -= std::log1p(-std::exp(-decay));
  return std::max(left, right) + std::log1p(std::exp(-std::abs(left - right))) + 1e-12;
}

}  // namespace ration
