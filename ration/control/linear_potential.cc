#include "ration/control/linear_potential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <numbers>
#include <optional>
#include <utility>

#include "ration/control/potential_kernel.h"
#include "ration/control/step_moments.h"
#include "ration/loss/log_ratio.h"
#include "ration/numeric/directed.h"
#include "ration/numeric/fft.h"
#include "ration/numeric/fft_batch.h"

namespace ration {
namespace {

constexpr std::size_t kFewestPoints = 128, kMostPoints = 2048;
constexpr double kSmooth = 1e-2;      // where so much smoothing of the first level pays
constexpr double kAllowed = 0.06;     // of delta, for errors
constexpr double kMostLevels = 1024;  // while what is left doubles

// Doubles at an address that vector instructions like.
class AlignedDoubles {
 public:
  explicit AlignedDoubles(std::size_t size)
      : data_(static_cast<double*>(::operator new(size * sizeof(double), std::align_val_t(64)))) {
    std::fill(data_.get(), data_.get() + size, 0.0);
  }
  double* get() { return data_.get(); }
  const double* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(double* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<double[], Free> data_;
};

// Eight entries of the list; copies of the first fill the last batch up.
struct EntryBatch {
  PerEntry price{};        // in whole steps
  PerEntry error{};        // of a multiplier, absolute
  PerEntry mass{};         // at least every |M_k|
  AlignedDoubles moments;  // M_k
  AlignedDoubles onward;   // of builders: what makes (2) an equality, for the present width
};

// One level on its way.
struct Level {
  std::vector<std::complex<double>> c;
  PotentialErrors errors;

  // At least the sum of |c_k| over both signs of k.
  double moduli() const { return kSafety * 2 * sum_of_moduli(c.data(), c.size()); }
};

struct Grid {
  std::size_t points;
  double share;             // a level is as wide as what is left divided by this, at least one step
  double smoothing = 5e-4;  // of the first level: a share of the variance of the whole run
};

class Recursion {
 public:
  Recursion(const PriceList& list, Direction direction, std::uint64_t steps,
            const PotentialPlace& place, const Grid& grid)
      : list_(list),
        steps_(steps),
        place_(place),
        share_(grid.share),
        smoothing_(grid.smoothing),
        points_(grid.points),
        worst_(list.worst(), direction, line()) {
    std::vector<const PricedStep*> all, some;
    for (std::size_t i = 0; i < list.entries().size(); ++i) {
      all.push_back(&list.entries()[i]);
      if (i < kFirstBuilders || i % kOneBuilderIn == 0) some.push_back(all.back());
    }
    if (place_.certified) fill(entries_, all, direction);
    fill(builders_, some, direction);
    resize();
  }

  std::vector<Potential> run() {
    std::uint64_t b = list_.last_steps();
    Level level = begin(b);
    std::vector<Potential> kept = {{b, level.c, level.errors}};
    while (b < steps_) {
      const std::uint64_t width = width_at(b);
      level = next(level, b, width);
      b += width;
      const bool due = b > kept.back().steps + kept.back().steps / 512;
      if (due || b == steps_) kept.push_back({b, level.c, level.errors});
      if (level.c.size() < count()) halve();
    }
    return kept;
  }

 private:
  // Prices in between are looked at, but need not be built with. Next to the clip bound, between
  // one step and a little less than one, it matters most which is the best.
  static constexpr std::size_t kFirstBuilders = 6, kOneBuilderIn = 3;
  static constexpr int kRounds = 2;  // in which what (2) asks for is put in

  std::size_t count() const { return points_ / 2; }
  StepMoments::Line line() const {
    return {.tilt = place_.tilt, .frequency = place_.frequency, .count = count()};
  }

  // A power of two, so that prices divided by it are exact.
  std::uint64_t width_at(std::uint64_t b) const {
    std::uint64_t width = 1;
    while (2 * static_cast<double>(width) <= static_cast<double>(b) / share_) width *= 2;
    while (width > steps_ - b) width /= 2;
    return b == list_.last_steps() ? 1 : width;  // near_the_end() of the list
  }

  void fill(std::vector<EntryBatch>& to, const std::vector<const PricedStep*>& all,
            Direction direction) {
    for (std::size_t from = 0; from < all.size(); from += kEntriesTogether) {
      EntryBatch batch{.moments = AlignedDoubles(count() * kBatchRow),
                       .onward = AlignedDoubles(count() * kBatchRow)};
      for (std::size_t i = 0; i < kEntriesTogether; ++i) {
        const PricedStep& entry = *all[from + i < all.size() ? from + i : from];
        const StepMoments moments(entry.step, direction, line());
        batch.price[i] =
            static_cast<double>(entry.price) / static_cast<double>(PriceList::kWholeStep);
        batch.mass[i] = moments.mass_up(1);
        growth_ = std::max(growth_, std::log(batch.mass[i]) / batch.price[i]);
        double* m = at(batch.moments, i);
        for (std::size_t k = 0; k < count(); ++k, m += kBatchRow) {
          const StepMoments::Value value = moments.power(k, 1);
          m[0] = value.value.real();
          m[kFftLanes] = value.value.imag();
          batch.error[i] = std::max(batch.error[i], value.error);
        }
      }
      to.push_back(std::move(batch));
    }
  }
  // Of entry i at frequency 0.
  static double* at(AlignedDoubles& multipliers, std::size_t i) {
    return multipliers.get() + i % kFftLanes + (i < kFftLanes ? 0 : 2 * kFftLanes);
  }

  static PerEntry shares(const EntryBatch& batch, std::uint64_t width) {
    PerEntry share = batch.price;
    for (double& s : share) s /= static_cast<double>(width);  // exact
    return share;
  }

  // R = s M / (1 - (1 - s) M), a geometric number of steps.
  void set_width(std::uint64_t width) {
    if (width == width_) return;
    width_ = width;
    for (EntryBatch& batch : builders_) {
      const PerEntry share = shares(batch, width);
      for (std::size_t i = 0; i < kEntriesTogether; ++i) {
        const double* m = at(batch.moments, i);
        double* r = at(batch.onward, i);
        for (std::size_t k = 0; k < count(); ++k, m += kBatchRow, r += kBatchRow) {
          const std::complex<double> moment(m[0], m[kFftLanes]);
          const std::complex<double> geometric =
              share[i] * moment / (1.0 - (1 - share[i]) * moment);
          r[0] = geometric.real();
          r[kFftLanes] = geometric.imag();
        }
      }
    }
  }

  // Buffers for the present number of points.
  void resize() {
    transform_ = std::make_unique<FftBatch>(points_);
    data_ = std::make_unique<AlignedDoubles>(points_ * 2 * kFftLanes);
    most_ = std::make_unique<AlignedDoubles>(points_ * kFftLanes);
    values_.assign(points_, 0);
  }
  void halve() {
    points_ /= 2;
    resize();
  }

  // The first level: as many steps at the clip bound. Its coefficients are known: with
  // z = tilt - i k frequency and window = 2 pi / frequency,
  //     c_k = E exp(z L)^b / (window z (z + 1)).
  // One step of a Gaussian mechanism with a tiny mu is added. It can only raise a potential
  // (lemma 2), and makes the coefficients fall.
  Level begin(std::uint64_t b) {
    Level level;
    level.c.resize(count());
    const auto steps = static_cast<double>(b);
    const double last = place_.frequency * static_cast<double>(count());
    constexpr double kFall = 4.5;  // exp(-4.5^2 / 2) = 4e-5
    const double total = static_cast<double>(steps_) * worst_.variance();
    const double mu = std::max(kFall / last, std::sqrt(smoothing_ * total)), half = 0.5 * mu * mu;
    const double window_inverse = place_.frequency / (2 * std::numbers::pi);
    double bent = 0;  // what errors do to G'' - G', times exp(tilt y)
    for (std::size_t k = 0; k < count(); ++k) {
      const std::complex<double> z(place_.tilt, -place_.frequency * static_cast<double>(k));
      const StepMoments::Value m = worst_.power(k, steps);
      const std::complex<double> smooth = std::exp(half * (z + z * z));
      const std::complex<double> factor = window_inverse * smooth / (z * (z + 1.0));
      level.c[k] = factor * m.value;
      const double both = k == 0 ? 1 : 2, size = std::abs(factor);
      // The exponent half (z + z^2) carries a few units of its parts.
      const double parts = half * (std::abs(z) + std::norm(z));
      const double quadrature = kSafety * both * size * m.error;
      const double rounding =
          kSafety * both * size * std::abs(m.value) * kRoundoff * (32 + 16 * parts);
      level.errors.quadrature += quadrature;
      level.errors.rounding += rounding;
      bent += std::abs(z * (z + 1.0)) * (quadrature + rounding);
    }
    level.c[0] = level.c[0].real();
    // Beyond, |c_k| <= mass exp(half (tilt + tilt^2 - t^2)) / (window t^2), t = k frequency; the
    // sum of 1 / k^2 from n on is below 1 / (n - 1/2).
    const double bend = half * (place_.tilt + place_.tilt * place_.tilt - last * last);
    level.errors.cut = kSafety * 2 * window_inverse * worst_.mass_up(steps) * std::exp(bend) /
                       (place_.frequency * place_.frequency * (static_cast<double>(count()) - 0.5));
    // With all its coefficients the level is a sum of functions that are convex in exp(y). Beyond,
    // |z (z + 1) c_k| <= mass exp(half (tilt + tilt^2 - t^2)) / window, and the sum of exp(-half
    // t^2) is at most exp(-half last^2) (1 + 1 / (mu^2 last frequency)).
    bent += kSafety * 2 * window_inverse * worst_.mass_up(steps) * std::exp(bend) *
            (1 + 1 / (mu * mu * last * place_.frequency));
    raise_for_convexity(level, bent);
    return level;
  }

  // The next level: built by the geometric numbers of steps, which make (2) an equality for one
  // entry, raised by what (2) asks for. Whatever comes out, look_at() says what it takes.
  Level next(const Level& lower, std::uint64_t b, std::uint64_t width) {
    set_width(width);
    double* most = most_->get();
    std::fill(most, most + points_ * kFftLanes, -std::numeric_limits<double>::infinity());
    Level upper;
    for (int round = 0; round <= kRounds; ++round) {
      for (const EntryBatch& batch : builders_) {
        const bool first = round == 0;
        mixtures(first ? Mix::product : Mix::onward,
                 {lower.c.data(), upper.c.data(), lower.c.size()},
                 first ? batch.onward.get() : batch.moments.get(), shares(batch, width), points_,
                 data_->get());
        transform_->inverse(data_->get());
        raise_to(data_->get(), points_, most);
      }
      upper.c = coefficients_of_most();
    }
    if (!place_.certified) return upper;
    const std::size_t half = count() / 2;
    const double dropped =
        kSafety * 2 * sum_of_moduli(upper.c.data() + half, upper.c.size() - half);
    const double left = static_cast<double>(steps_ - b);
    const bool needless = dropped < 1e-4 * place_.delta * std::exp(place_.tilt * place_.epsilon) *
                                        std::exp(-growth_ * left) * static_cast<double>(width) /
                                        static_cast<double>(b);
    if (needless && points_ > kFewestPoints) {
      std::fill(upper.c.begin() + static_cast<std::ptrdiff_t>(half), upper.c.end(), 0.0);
    }
    look_at(lower, upper, width);
    if (needless && points_ > kFewestPoints) upper.c.resize(half);
    return upper;
  }

  std::vector<std::complex<double>> coefficients_of_most() {
    for (std::size_t j = 0; j < points_; ++j) {
      const double* at_j = most_->get() + kFftLanes * transform_->place()[j];
      values_[j] = *std::max_element(at_j, at_j + kFftLanes);
    }
    auto transform = fft(values_);
    for (auto& c : transform) c /= static_cast<double>(points_);
    transform.pop_back();
    transform.front() = transform.front().real();
    return transform;
  }

  // E of the upper level, so that (1) and (2) hold for every entry, everywhere, and the level is
  // convex. With s the entry's share of the level, m its mass, and v what its conditions miss,
  // divided by s:
  //     E' >= (1 + (m - 1) / s) E + v,   q E' >= m E + v,   q = 1 - (1 - s) (m - 1) / s.
  void look_at(const Level& lower, Level& upper, std::uint64_t width) {
    const double x = lower.moduli(), y = upper.moduli();
    const double h = 2 * std::numbers::pi / static_cast<double>(points_);
    const double per_modulus = 2 * fft_batch_error(points_) + 32 * kRoundoff;
    double growth = 1;
    PotentialErrors most;
    for (const EntryBatch& batch : entries_) {
      const PerEntry share = shares(batch, width);
      for (const Mix mix : {Mix::low, Mix::high}) {
        const PerEntry curvature = mixtures(mix, {lower.c.data(), upper.c.data(), lower.c.size()},
                                            batch.moments.get(), share, points_, data_->get());
        transform_->inverse(data_->get());
        const PerEntry missing = maxima(data_->get(), points_);
        for (std::size_t i = 0; i < kEntriesTogether; ++i) {
          const double s = share[i], m = batch.mass[i];
          const double above_one = div_up(sub_up(m, 1), s);
          const double q = sub_down(1, mul_up(1 - s, above_one));
          const bool low = mix == Mix::low;
          const double inverse = low ? 1 : q > 0 ? div_up(1, q) : kInfinity;
          growth = std::max(growth, low ? add_up(1, above_one) : mul_up(m, inverse));
          const double size = low ? x * (m + 1) / s + x + y : y * (m + 1) / s + m * (x + y);
          const double moved = low ? x / s : y / s + x + y;
          most.quadrature = std::max(most.quadrature, kSafety * batch.error[i] * moved * inverse);
          most.rounding = std::max(most.rounding, kSafety * per_modulus * size * inverse);
          most.between = std::max(most.between, kSafety * 2 * curvature[i] * h * h / 8 * inverse);
          most.slack = std::max(most.slack, kSafety * missing[i] * inverse);
        }
      }
    }
    const auto carried = [growth](double before, double added) {
      return add_up(mul_up(growth, before), added);
    };
    upper.errors = {.quadrature = carried(lower.errors.quadrature, most.quadrature),
                    .rounding = carried(lower.errors.rounding, most.rounding),
                    .between = carried(lower.errors.between, most.between),
                    .cut = carried(lower.errors.cut, 0),
                    .slack = carried(lower.errors.slack, most.slack)};
    make_convex(upper);
  }

  // G is convex in exp(y) where G'' - G' >= 0, that is where the polynomial with coefficients
  // z (z + 1) c_k, z = tilt - i k frequency, is at least -tilt (tilt + 1) E.
  void make_convex(Level& level) const {
    constexpr std::size_t kFiner = 16;
    const std::size_t n = kFiner * points_;
    std::vector<std::complex<double>> bend(n / 2 + 1);
    double moduli = 0, curvature = 0;
    for (std::size_t k = 0; k < level.c.size(); ++k) {
      const std::complex<double> z(place_.tilt, -place_.frequency * static_cast<double>(k));
      bend[k] = z * (z + 1.0) * level.c[k];
      const double size = 2 * std::abs(bend[k]);
      moduli += size;
      curvature += static_cast<double>(k) * static_cast<double>(k) * size;
      bend[k] *= static_cast<double>(n);
    }
    bend[0] = bend[0].real();
    const std::vector<double> values = inverse_fft(bend);
    const double h = 2 * std::numbers::pi / static_cast<double>(n);
    const double missing =
        -*std::min_element(values.begin(), values.end()) +
        kSafety * (curvature * h * h / 8 + (fft_error(n) + 16 * kRoundoff) * moduli);
    raise_for_convexity(level, missing);
  }
  void raise_for_convexity(Level& level, double missing) const {
    const double enough = kSafety * missing / (place_.tilt * (place_.tilt + 1));
    const double there = level.errors.sum() * (1 - 8 * kRoundoff);
    if (enough > there) level.errors.slack += kSafety * (enough - there);
  }

  const PriceList& list_;
  std::uint64_t steps_;
  PotentialPlace place_;
  double share_, smoothing_;
  std::size_t points_;
  StepMoments worst_;
  std::vector<EntryBatch> entries_, builders_;
  std::uint64_t width_ = 0;
  double growth_ = 0;  // of E, a step
  std::unique_ptr<FftBatch> transform_;
  std::unique_ptr<AlignedDoubles> data_, most_;
  std::vector<double> values_;
};

}  // namespace

std::vector<Potential> linear_potentials(const PriceList& list, Direction direction,
                                         std::uint64_t steps, const PotentialPlace& place) {
  if (!place.certified)
    return Recursion(list, direction, steps, place, {.points = 256, .share = 96}).run();
  Grid grid = {.points = 512, .share = 256};
  std::vector<Potential> best;
  double least = kInfinity, smoothing = grid.smoothing;
  for (bool both_tried = false;; both_tried = true) {
    std::vector<Potential> found = Recursion(list, direction, steps, place, grid).run();
    const PotentialValue value = value_at(found.back(), place, place.epsilon);
    const bool better = value.delta < 0.98 * least;
    if (best.empty() || value.delta < least) {
      best = std::move(found);
      least = value.delta;
      smoothing = grid.smoothing;
    }
    const bool exact_enough = value.errors.numerical() <= 0.04 * value.delta;
    const bool good = value.errors.sum() <= kAllowed * value.delta || value.delta <= place.delta;
    if (exact_enough && (good || (both_tried && !better))) break;
    grid.smoothing = both_tried ? smoothing : kSmooth;
    if (!both_tried) continue;
    // More points make a computation more exact; narrower levels take slack away.
    grid.points *= exact_enough ? 1 : 2;
    grid.share *= exact_enough ? 2 : 1;
    if (grid.points > kMostPoints || grid.share > kMostLevels) break;
  }
  return best;
}

PotentialValue value_at(const Potential& potential, const PotentialPlace& place, double epsilon) {
  constexpr PotentialValue kNothing = {.delta = 1, .errors = {.rounding = 1}};
  // Beyond that exp(-tilt epsilon) is no longer what its rounding says.
  if (!(std::abs(place.tilt * epsilon) <= 700)) return kNothing;
  const auto count = static_cast<double>(potential.coefficients.size());
  double sum = potential.coefficients[0].real(), rounding = count * std::abs(sum);
  for (std::size_t k = 1; k < potential.coefficients.size(); ++k) {
    const std::complex<double>& c = potential.coefficients[k];
    const double angle = place.frequency * static_cast<double>(k) * epsilon;
    sum += 2 * (c.real() * std::cos(angle) - c.imag() * std::sin(angle));
    rounding += 2 * (std::abs(c.real()) + std::abs(c.imag())) * (count + 8 + 2 * std::abs(angle));
  }
  const double factor =
      std::exp(-place.tilt * epsilon) * (1 + kRoundoff * (8 + 4 * std::abs(place.tilt * epsilon)));
  PotentialErrors errors = potential.errors;
  errors.rounding += kSafety * kRoundoff * rounding;
  for (double* part :
       {&errors.quadrature, &errors.rounding, &errors.between, &errors.cut, &errors.slack}) {
    *part = kSafety * factor * *part;
  }
  const double delta = std::max(0.0, factor * sum) * (1 + 8 * kRoundoff) + errors.sum();
  if (!std::isfinite(sum) || !std::isfinite(delta)) return kNothing;
  return {.delta = delta, .errors = errors};
}

}  // namespace ration
