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

// What a pair's margin holds: of log |phi| beyond the last point, and of the log-moments at the
// points, by groups of these, eight an octave: per unit of lambda (1 - lambda), how far a mixture
// may be from the weighted mean of the two.
enum Margin : std::size_t { kBeyond, kApart };
std::size_t group(std::size_t point) {
  if (point < 16) return point;
  const std::size_t o = octave(point);
  return 16 + 8 * (o - 4) + (point >> (o - 3)) - 8;
}
std::size_t margin_width(std::size_t points) { return kApart + group(points) + 1; }

// |log(1 + lambda x) - lambda log(1 + x)| <= lambda (1 - lambda) / 2 |x|^2 / (1 - |x|)^2: it is 0
// at both ends, and its second derivative in lambda is -x^2 / (1 + lambda x)^2.
double apart(double x) { return 0.5 * x * x / ((1 - x) * (1 - x)); }
constexpr double kBlunt = 0.3;

// Beyond so many steps the absolute error of the law's own moment would show.
constexpr double kManySteps = 1e6;

// Of the moments of all steps together, for speed.
constexpr double kAllowed = 2e-6;

// Nodes times points of a mechanism, beyond which it is given up.
constexpr double kMostWork = 1e8;

// A law that nobody uses, or that takes too much work. Nothing is proved of those who use it all
// the same, for sums and comparisons with it are not numbers; others are served.
void give_up(std::span<double> row) {
  std::fill(row.begin(), row.end(), std::numeric_limits<double>::quiet_NaN());
}

// Sharper than the law's own, where it does not take too many nodes.
Bound sharp_moment(const SubsampledGaussian& m, Direction direction, const TiltedLaw& law) {
  const auto sharp = if_in_reach([&] { return rdp::log_moment(m, law.tilt, direction); });
  return sharp.value_or(law.log_moment);
}

// Relative rounding of a sum of rows of one sign.
double rounding_of(std::size_t rows) { return (static_cast<double>(rows) + 8) * kRoundoff; }

}  // namespace

LineTable::LineTable(const Laws& laws, Direction direction, const LineShape& shape, double steps,
                     std::span<const unsigned char> used)
    : shape_(shape),
      step_(2 * kPi / shape.period),
      rows_(laws.size(), row_width(static_cast<std::size_t>(shape.points))),
      margins_(laws.pairs.size(), margin_width(static_cast<std::size_t>(shape.points))),
      blunt_(laws.pairs.size()) {
  for (int m = 1; m <= shape.points; ++m) {
    const std::complex<double> z(shape.tilt, step_ * m);
    weight_.push_back(1.0 / (z * (z + 1.0)));
  }
  in_parallel(laws.size(), [&](std::size_t law) {
    if (used[law] == 0) return give_up(rows_.row(law));
    fill_law(law, laws, direction, steps);
  });
  for (std::size_t p = 0; p < laws.pairs.size(); ++p) {
    const LawPair& pair = laws.pairs[p];
    if (used[pair.top] != 0 && used[pair.base] != 0) fill_pair(p, pair);
  }
}

void LineTable::fill_law(std::size_t at, const Laws& laws, Direction direction, double steps) {
  const std::span<double> row = rows_.row(at);
  const auto points = static_cast<std::size_t>(shape_.points);
  const double reach = step_ * static_cast<double>(points);
  const LawOptions options = {
      .tilt = shape_.tilt, .reach = reach * (1 + 1e-12), .digits = 30 + std::log(steps)};
  const auto mechanisms = laws.mechanisms;
  const bool beyond = at >= mechanisms.size();
  const SubsampledGaussian& m =
      beyond ? laws.extrapolated[at - mechanisms.size()].near() : mechanisms[at];
  const double nodes = 6 * reach / m.noise;  // so that they resolve exp(i t L)
  if (nodes * static_cast<double>(points) > kMostWork) return give_up(row);
  const auto found = if_in_reach([&] {
    return beyond ? tilted_law(laws.extrapolated[at - mechanisms.size()], direction, options)
                  : tilted_law(m, direction, options);
  });
  if (!found) return give_up(row);  // too many nodes
  const TiltedLaw& law = *found;
  LogPhi phi = {.sum = std::vector<std::complex<double>>(points + 1),
                .error = std::vector<double>(points + 1)};
  add_log_phi(law, 1, step_, phi, kAllowed / steps);
  const Bound moment =
      steps < kManySteps || beyond ? law.log_moment : sharp_moment(m, direction, law);
  for (std::size_t i = 1; i <= points; ++i) {
    row[kPhi + i - 1] = phi.sum[i].real();
    row[kPhi + points + i - 1] = phi.sum[i].imag();
    // With what adding up this row loses, whatever the signs.
    const double adding = (static_cast<double>(laws.size()) + 8) * kRoundoff * std::abs(phi.sum[i]);
    double& error = row[kPhi + 2 * points + octave(i)];
    error = std::max(error, phi.error[i] + adding);
  }
  row[kMomentLow] = std::max(0.0, moment.lower);
  row[kMomentUp] = moment.upper;
  row[kCentre] = law.centre;
  row[kCentreSize] = std::abs(law.centre);
  row[kDecay] = log_decay(law, reach);
}

// Counts are not whole numbers in a mixture, so that 2 pi in a logarithm counts: what lies between
// two laws' logarithms has to be that of the ratio of their moments, near 1, with its argument near
// 0. Each law is the later one of one pair, which precedes those in which it is the earlier one.
void LineTable::align(const LawPair& pair) {
  const std::size_t later = std::max(pair.top, pair.base), earlier = std::min(pair.top, pair.base);
  const auto row = rows_.row(later), to = rows_.row(earlier);
  const auto points = static_cast<std::size_t>(shape_.points);
  const double laws = static_cast<double>(rows_.rows());
  std::vector<double> lost(octave(points) + 1);
  for (std::size_t m = 1; m <= points; ++m) {
    double& imaginary = row[kPhi + points + m - 1];
    const double t = step_ * static_cast<double>(m);
    const double apart = t * (row[kCentre] - to[kCentre]) + imaginary - to[kPhi + points + m - 1];
    const double shift = 2 * kPi * std::round(apart / (2 * kPi));
    if (shift == 0 || !std::isfinite(shift)) continue;
    imaginary -= shift;
    double& most = lost[octave(m)];
    most = std::max(most, (laws + 16) * kRoundoff * (std::abs(imaginary) + std::abs(shift)));
  }
  for (std::size_t o = 0; o < lost.size(); ++o) row[kPhi + 2 * points + o] += lost[o];
}

// x + 1 is the ratio of the two laws' moments.
void LineTable::fill_pair(std::size_t at, const LawPair& pair) {
  if (pair.top == pair.base) return;
  align(pair);
  const auto top = rows_.row(pair.top), base = rows_.row(pair.base);
  const std::span<double> margin = margins_.row(at);
  const auto points = static_cast<std::size_t>(shape_.points);
  const double height =
      0.5 * (top[kMomentLow] + top[kMomentUp] - base[kMomentLow] - base[kMomentUp]);
  const double height_error = top[kMomentUp] - top[kMomentLow] + base[kMomentUp] - base[kMomentLow];
  const double turn = top[kCentre] - base[kCentre];
  const double turn_error = 4 * kRoundoff * (top[kCentreSize] + base[kCentreSize]);
  double largest = 0;
  for (std::size_t m = 0; m <= points; ++m) {
    const double t = step_ * static_cast<double>(m);
    double real = height, imaginary = t * turn, error = height_error + t * turn_error;
    if (m > 0) {
      real += top[kPhi + m - 1] - base[kPhi + m - 1];
      imaginary += top[kPhi + points + m - 1] - base[kPhi + points + m - 1];
      const std::size_t of = kPhi + 2 * points + octave(m);
      error += top[of] + base[of];
    }
    const double x =
        std::hypot(std::expm1(real), 2 * std::exp(0.5 * real) * std::sin(0.5 * imaginary));
    const double most = x * (1 + 1e-12) + 2 * error;
    if (!(most < kBlunt && std::abs(imaginary) < 1)) {
      blunt_[at] = 1;
      return;
    }
    largest = apart(most) * (1 + 1e-12);
    double& entry = margin[kApart + group(m)];
    entry = std::max(entry, largest);
  }
  // log((1-l) e^b + l e^t) <= (1-l) b + l t + l (1-l) / 2 expm1(|t - b|)^2
  const double far =
      std::expm1(std::abs(height) + height_error + std::abs(top[kDecay] - base[kDecay]));
  margin[kBeyond] = 0.5 * far * far * (1 + 1e-12);
}

LineTable::Person::Person(const LineTable& table, const Mixture& steps, double near_epsilon,
                          double decay)
    : table_(table), base_(near_epsilon) {
  const auto& [tilt, period, count] = table.shape_;
  const auto points = static_cast<std::size_t>(count);
  const double step = table.step_, reach = step * static_cast<double>(points);
  static thread_local std::vector<double> sums, margins;
  sums.resize(table.rows_.stride());
  table.rows_.sum(steps.law, steps.weight, 0, sums);
  margins.resize(table.margins_.stride());
  table.margins_.sum(steps.pair, steps.unsettled, 0, margins);
  const double rounding = rounding_of(steps.law.size());
  const double margin_up = 1 + 2 * rounding_of(steps.pair.size());

  // Noise is added where the line ends too early. No moment is larger than the one at t = 0,
  // whatever the margins say.
  double log_beyond = std::min(margins[kApart] * margin_up,
                               sums[kDecay] * (1 - 1e-12) + margins[kBeyond] * margin_up);
  const double fall = steps.spend * (reach * reach / 2) * (1 - 1e-12);
  if (fall - log_beyond < decay) added_ = 2 * (decay - fall + log_beyond) / (reach * reach);
  log_beyond -= fall + added_ * (reach * reach / 2) * (1 - 1e-12);
  tail_ = std::exp(log_beyond) / (kPi * reach) * (1 + 1e-9);
  const double less = (1 - AddedNoise::kPart) * added_;
  const double less_moment = less * (tilt * (tilt + 1) / 2);
  if (added_ > 0) {
    whole_tail_ = std::exp(log_beyond) / (kPi * added_ * reach) * (1 + 1e-9);
    part_tail_ = whole_tail_ * std::exp(less * (reach * reach / 2) - less_moment) /
                 AddedNoise::kPart * (1 + 1e-9);
  }

  // Steps without sampling: the loss is normal with mean spend (tilt + 1/2) and variance spend.
  const double spend = steps.spend + added_;
  const double spend_moment = spend * (tilt * (tilt + 1) / 2);
  moment_low_ = (sums[kMomentLow] + spend_moment) * (1 - rounding - 8 * kRoundoff);
  moment_up_ = (sums[kMomentUp] + spend_moment) * (1 + rounding + 8 * kRoundoff);
  centre_ = sums[kCentre] + spend * (tilt + 0.5);
  const double centre_size = sums[kCentreSize] + spend * (tilt + 0.5);
  const double centre_error = (rounding + 6 * kRoundoff) * 1.01 * centre_size;

  // Re and Im of log phi + i t (centre - base), then the terms themselves.
  const double offset = centre_ - base_;
  const double* real = sums.data() + kPhi;
  const double* imaginary = real + points;
  const double* errors = imaginary + points;
  const double part_scale = std::exp(-less_moment);
  const auto begin = [&](Series& series, double first) {
    series.first = series.size = first;
    series.error = first * std::expm1(margins[kApart] * margin_up);
    series.terms.resize(points);
  };
  begin(delta_, 0.5 / (tilt * (tilt + 1)));
  if (added_ > 0) {
    begin(part_, 0.5 * part_scale);
    begin(whole_, 0.5);
  }
  for (std::size_t m = 0; m < points; ++m) {
    const double t = step * static_cast<double>(m + 1);
    const double exponent = real[m] - spend * (t * t / 2), phase = imaginary[m] + t * offset;
    const double size = std::exp(exponent);
    const double x = size * std::cos(phase), y = size * std::sin(phase);
    const double a = table.weight_[m].real(), b = table.weight_[m].imag();
    // Of the sums of rows; of centre - base, times t; of exponent, phase, exp, cos, sin and weight;
    // of mixtures.
    const double relative =
        errors[octave(m + 1)] * (1 + rounding) + t * centre_error +
        kRoundoff * (40 + 8 * (std::abs(exponent) + std::abs(imaginary[m])) +
                     t * (4 * centre_size + 4 * std::abs(base_) + 4 * std::abs(offset))) +
        margins[kApart + group(m + 1)] * margin_up;
    const double off = relative < 0.02 ? 1.02 * relative : std::expm1(1.02 * relative);
    const auto put = [&](Series& series, double re, double im, double modulus) {
      series.terms[m] = {re, im};
      series.size += modulus;
      series.error += modulus * off;
    };
    put(delta_, x * a - y * b, x * b + y * a, size * (std::abs(a) + std::abs(b)));
    if (added_ == 0) continue;
    const double back = less * (t * t / 2), factor = part_scale * std::exp(back);
    const double angle = -t * less * (tilt + 0.5), c = std::cos(angle), s = std::sin(angle);
    const double re = factor * (x * c - y * s), im = factor * (x * s + y * c);
    put(whole_, x, y, size);
    put(part_, re, im, factor * size);
  }
}

LineTable::Person::Sum LineTable::Person::sum(const Series& series, double epsilon) const {
  // Terms turn by exp(-i t (eps - base)), by repeated multiplication: 14 u a step.
  const double shift = epsilon - base_, angle = table_.step_ * shift;
  const double c = std::cos(angle), s = -std::sin(angle);
  double x = 1, y = 0, value = series.first, slope = 0;
  for (std::size_t m = 0; m < series.terms.size(); ++m) {
    const double turned = x * c - y * s;
    y = x * s + y * c;
    x = turned;
    const double re = series.terms[m].real(), im = series.terms[m].imag();
    value += re * x - im * y;
    slope += table_.step_ * static_cast<double>(m + 1) * (re * y + im * x);
  }
  const auto points = static_cast<double>(series.terms.size());
  const double relative =
      kRoundoff * (16 + 14 * points + 4 * points * std::abs(angle) +
                   4 * points * table_.step_ * (std::abs(epsilon) + std::abs(base_)));
  return {.value = value, .slope = slope, .error = 1.02 * (series.error + relative * series.size)};
}

LineTable::Person::Estimate LineTable::Person::estimate(double epsilon) const {
  const Sum s = sum(delta_, epsilon);
  const double value = std::max(s.value, 1e-300), tilt = table_.shape_.tilt;
  return {.log_sum = moment_up_ - tilt * epsilon + std::log(value * table_.step_ / kPi),
          .slope = std::min(-tilt + s.slope / value, -1e-12),
          .error = (s.error + tail_ * kPi / table_.step_) / value};
}

bool LineTable::Person::at_most(double epsilon, double log_size) const {
  const Sum s = sum(delta_, epsilon);
  const double whole = (table_.step_ / kPi * (s.value + s.error) + tail_) * (1 + 8 * kRoundoff);
  if (!(whole > 0)) return false;
  const double scale = moment_up_ - table_.shape_.tilt * epsilon, log_whole = std::log(whole);
  const double slop = 4 * kRoundoff *
                      (2 + moment_up_ + table_.shape_.tilt * std::abs(epsilon) +
                       std::abs(log_whole) + std::abs(log_size));
  return scale + log_whole + slop <= log_size;
}

bool LineTable::Person::at_least(double epsilon, double log_size) const {
  const Sum s = sum(delta_, epsilon);
  const double main = table_.step_ / kPi * (s.value - s.error);
  const double whole = (main - tail_) * (1 - 16 * kRoundoff);
  if (!(tail_ < 0.5 * main)) return false;
  const double scale = moment_low_ - table_.shape_.tilt * epsilon, log_whole = std::log(whole);
  const double slop = 4 * kRoundoff *
                      (2 + moment_low_ + table_.shape_.tilt * std::abs(epsilon) +
                       std::abs(log_whole) + std::abs(log_size));
  return scale + log_whole - slop >= log_size;
}

LineTable::Person::LogRange LineTable::Person::log_added(double epsilon) const {
  LogRange found = {.low = -std::numeric_limits<double>::infinity(),
                    .high = -std::numeric_limits<double>::infinity()};
  if (added_ == 0) return found;
  const double turn = table_.step_ / kPi, shift = table_.shape_.tilt * epsilon;
  const double slop = 1e-12 * (1 + moment_up_ + shift) + added_ / 8;
  // A density is not negative, whatever a sum says. Of terms beyond doubles, which are what noise
  // that is taken back leaves of small ones, nothing is known.
  const auto density = [&](const Series& series, double tail) {
    const Sum s = sum(series, epsilon);
    const double least = turn * (s.value - s.error) - tail,
                 most = turn * (s.value + s.error) + tail;
    return Bound{.lower = least > 0 ? least : 0.0,
                 .upper = std::isnan(most) ? kInfinity : std::max(0.0, most)};
  };
  const Bound whole = density(whole_, whole_tail_), part = density(part_, part_tail_);
  const double most = std::min(
      2 * whole.upper, AddedNoise::kMostPart * part.upper + AddedNoise::kMostWhole * whole.upper);
  const double least = AddedNoise::kLeast * part.lower;
  found.high = moment_up_ - shift + std::log(added_ / 2 * most) + slop;
  if (least > 0) found.low = moment_low_ - shift + std::log(added_ / 2 * least) - slop;
  return found;
}

}  // namespace ration
