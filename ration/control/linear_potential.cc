#include "ration/control/linear_potential.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "ration/control/moment_batch.h"
#include "ration/control/potential_check.h"
#include "ration/control/potential_kernel.h"
#include "ration/control/step_moments.h"
#include "ration/loss/log_ratio.h"
#include "ration/numeric/directed.h"
#include "ration/numeric/fft.h"

namespace ration {
namespace {

constexpr std::size_t kFewestPoints = 128, kFirstPoints = 512, kMostPoints = 4096;
constexpr double kLevels = 1024;     // while what is left doubles
constexpr double kSmoothing = 5e-4;  // of the first level: a share of the variance of the whole run
constexpr double kAllowed = 0.04;    // of delta, for numerical errors

struct Grid {
  std::size_t points;
  double share;          // a level is as wide as what is left divided by this, at least one step
  bool hopeful = false;  // stop as soon as errors would be too large at the end
};

// What a level is built with: what makes (2) an equality for each entry.
struct Builder {
  MomentBatch moments;
  AlignedDoubles onward;  // for the present width
};

class Recursion {
 public:
  Recursion(const PriceList& list, Direction direction, std::uint64_t steps,
            const PotentialPlace& place, const Grid& grid)
      : list_(list),
        steps_(steps),
        place_(place),
        share_(grid.share),
        hopeful_(grid.hopeful),
        grid_(std::in_place, grid.points) {
    for (const PricedStep& entry : list.entries())
      moments_.emplace_back(entry.step, direction, line());
    std::vector<EntryMoments> all, some;
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      all.push_back(entry_moments(i));
      growth_ = std::max(growth_, std::log(moments_[i].mass_up(1)) / all.back().price);
      if (i < kFirstBuilders || i % kOneBuilderIn == 0) some.push_back(all.back());
    }
    if (place_.certified) {
      each_eight(all, [&](auto eight) { entries_.emplace_back(eight, count()); });
    }
    each_eight(some, [&](auto eight) {
      builders_.push_back({MomentBatch(eight, count()), AlignedDoubles(count() * kBatchRow)});
    });
    resize(grid.points);
  }

  // Up to `steps`, or fewer where there is no hope.
  std::vector<Potential> run() {
    Potential level = begin();
    std::vector<Potential> kept = {level};
    while (level.steps < steps_) {
      level = next(level);
      const bool due = level.steps > kept.back().steps + kept.back().steps / 2048;
      if (due || level.steps == steps_) kept.push_back(level);
      if (hopeful_ && !(level.errors.numerical() * at_the_end(level) <= kAllowed * place_.delta))
        break;
      if (level.coefficients.size() < count()) resize(grid_->points / 2);
    }
    return kept;
  }

 private:
  // Prices in between are looked at, but need not be built with. Next to the clip bound, between
  // one step and a little less than one, it matters most which is the best.
  static constexpr std::size_t kFirstBuilders = 6, kOneBuilderIn = 3;
  static constexpr int kRepairs = 2;
  static constexpr std::size_t kReach = 3;  // points to either side that a repair covers
  static constexpr double kLeastBlur = 2;   // points

  std::size_t count() const { return grid_->points / 2; }
  StepMoments::Line line() const {
    return {.tilt = place_.tilt, .frequency = place_.frequency, .count = count()};
  }
  EntryMoments entry_moments(std::size_t i) const {
    const bool last = i + 1 == moments_.size();
    return {.price = in_steps(list_.entries()[i].price),
            .moments = &moments_[i],
            .in_between = list_.in_between(i),
            .next_price = last ? 0 : in_steps(list_.entries()[i + 1].price),
            .next = last ? nullptr : &moments_[i + 1]};
  }
  static double in_steps(Units price) {
    return static_cast<double>(price) / static_cast<double>(PriceList::kWholeStep);
  }
  template <class Use>
  static void each_eight(std::span<const EntryMoments> all, const Use& use) {
    for (; !all.empty(); all = all.subspan(std::min(all.size(), kEntriesTogether))) {
      use(all.first(std::min(all.size(), kEntriesTogether)));
    }
  }

  // A power of two, so that prices divided by it are exact.
  std::uint64_t width_at(std::uint64_t b) const {
    std::uint64_t width = 1;
    while (2 * static_cast<double>(width) <= static_cast<double>(b) / share_) width *= 2;
    while (width > steps_ - b) width /= 2;
    return b == list_.last_steps() ? 1 : width;  // near_the_end() of the list
  }

  // R = s M / (1 - (1 - s) M), a geometric number of steps.
  void set_width(std::uint64_t width) {
    if (width == width_) return;
    width_ = width;
    blur_ = kLeastBlur * 2 * std::numbers::pi / static_cast<double>(grid_->points);
    for (auto& [batch, onward] : builders_) {
      const PerEntry share = batch.shares(width);
      for (std::size_t i = 0; i < kEntriesTogether; ++i) {
        const double* m = MomentBatch::at(batch.moments, i);
        double* r = MomentBatch::at(onward, i);
        double constant = 1;
        for (std::size_t k = 0; k < count(); ++k, m += kBatchRow, r += kBatchRow) {
          const std::complex<double> moment(m[0], m[kFftLanes]);
          const std::complex<double> geometric =
              share[i] * moment / (1.0 - (1 - share[i]) * moment);
          r[0] = geometric.real();
          r[kFftLanes] = geometric.imag();
          // What (1) makes of a wave: a repair must not let it grow more than what is constant.
          const double wave = std::abs(1.0 + (moment - 1.0) / share[i]);
          if (k == 0) constant = wave;
          if (wave > constant) {
            blur_ =
                std::max(blur_, std::sqrt(2 * std::log(wave / constant)) / static_cast<double>(k));
          }
        }
      }
    }
  }

  void resize(std::size_t points) {
    grid_.emplace(points);
    most_.emplace(points * kFftLanes);
    values_.assign(points, 0);
  }

  // The first level: as many steps at the clip bound. Its coefficients are known: with
  // z = tilt - i k frequency and window = 2 pi / frequency,
  //     c_k = E exp(z L)^b / (window z (z + 1)).
  // One step of a Gaussian mechanism with a tiny mu is added. It can only raise a potential
  // (lemma 2), and makes the coefficients fall.
  Potential begin() const {
    const StepMoments& worst = moments_.front();
    Potential level{.steps = list_.last_steps()};
    level.coefficients.resize(count());
    const auto steps = static_cast<double>(level.steps);
    const double last = place_.frequency * static_cast<double>(count());
    constexpr double kFall = 4.5;  // exp(-4.5^2 / 2) = 4e-5
    const double total = static_cast<double>(steps_) * worst.variance();
    const double mu = std::max(kFall / last, std::sqrt(kSmoothing * total)), half = 0.5 * mu * mu;
    const double window_inverse = place_.frequency / (2 * std::numbers::pi);
    double bent = 0;  // what errors do to G'' - G', times exp(tilt y)
    for (std::size_t k = 0; k < count(); ++k) {
      const std::complex<double> z(place_.tilt, -place_.frequency * static_cast<double>(k));
      const StepMoments::Value m = worst.power(k, steps);
      const std::complex<double> smooth = std::exp(half * (z + z * z));
      const std::complex<double> factor = window_inverse * smooth / (z * (z + 1.0));
      level.coefficients[k] = factor * m.value;
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
    level.coefficients[0] = level.coefficients[0].real();
    // Beyond, |c_k| <= mass exp(half (tilt + tilt^2 - t^2)) / (window t^2), t = k frequency; the
    // sum of 1 / k^2 from n on is below 1 / (n - 1/2).
    const double bend = half * (place_.tilt + place_.tilt * place_.tilt - last * last);
    level.errors.cut = kSafety * 2 * window_inverse * worst.mass_up(steps) * std::exp(bend) /
                       (place_.frequency * place_.frequency * (static_cast<double>(count()) - 0.5));
    // With all its coefficients the level is a sum of functions that are convex in exp(y). Beyond,
    // |z (z + 1) c_k| <= mass exp(half (tilt + tilt^2 - t^2)) / window, and the sum of exp(-half
    // t^2) is at most exp(-half last^2) (1 + 1 / (mu^2 last frequency)).
    bent += kSafety * 2 * window_inverse * worst.mass_up(steps) * std::exp(bend) *
            (1 + 1 / (mu * mu * last * place_.frequency));
    raise_for_convexity(level.errors, bent, place_);
    return level;
  }

  // The next level: built by the geometric numbers of steps, which make (2) an equality for one
  // entry, and repaired where the conditions miss something. Whatever comes out,
  // errors_of_level() says what it takes.
  Potential next(const Potential& lower) {
    const std::uint64_t width = width_at(lower.steps);
    set_width(width);
    Potential upper{.steps = lower.steps + width};
    upper.coefficients.resize(count());
    add_blurred(
        largest(-kInfinity, [&](Builder& builder) { mix(Mix::product, lower, upper, builder); }),
        lower, upper);
    if (!place_.certified) return upper;
    for (int round = 0; round < kRepairs; ++round) repair(lower, upper);
    upper.errors = errors_of_level(lower, upper, entries_, place_, *grid_);
    if (is_fine(lower, upper)) {
      drop(upper, count() / 2);
      upper.errors = errors_of_level(lower, upper, entries_, place_, *grid_);
      upper.coefficients.resize(count() / 2);
    }
    return upper;
  }

  // What the conditions miss lies in few places, and would cost much if E made up for it
  // everywhere: it is added where it lies, and a little around, so smoothly that no kink can grow.
  void repair(const Potential& lower, Potential& upper) {
    const std::vector<double>& missing = largest(0, [&](Builder& builder) {
      mix(Mix::low, lower, upper, builder);
      raise();
      mix(Mix::between, lower, upper, builder);
    });
    const std::size_t n = missing.size();
    std::vector<double> covered(n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i <= 2 * kReach; ++i) {
        covered[j] = std::max(covered[j], missing[(j + n + i - kReach) % n]);
      }
    }
    const std::vector<std::complex<double>> added = coefficients_of(covered);
    for (std::size_t k = 0; k < added.size(); ++k) upper.coefficients[k] += added[k] * blur_at(k);
  }
  void add_blurred(const std::vector<double>& values, const Potential& lower, Potential& upper) {
    const std::vector<std::complex<double>> all = coefficients_of(values);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::complex<double>& x = lower.coefficients[k];
      upper.coefficients[k] = x + (all[k] - x) * blur_at(k);
    }
  }
  double blur_at(std::size_t k) const {
    const double x = blur_ * static_cast<double>(k);
    return std::exp(-0.5 * x * x);
  }

  void mix(Mix kind, const Potential& lower, const Potential& upper, Builder& builder) {
    MomentBatch& batch = builder.moments;
    const AlignedDoubles& multipliers = kind == Mix::product ? builder.onward : batch.moments;
    mixtures(kind, {lower.coefficients.data(), upper.coefficients.data(), count()},
             {multipliers.get(), batch.falls.get()}, batch.shares(width_), grid_->points,
             grid_->data.get());
    grid_->transform.inverse(grid_->data.get());
  }
  void raise() { raise_to(grid_->data.get(), grid_->points, most_->get()); }

  // At each point the largest value of what `work` leaves in the grid for each builder, at least
  // `least`.
  template <class Work>
  const std::vector<double>& largest(double least, const Work& work) {
    std::fill(most_->get(), most_->get() + grid_->points * kFftLanes, least);
    for (Builder& builder : builders_) {
      work(builder);
      raise();
    }
    for (std::size_t j = 0; j < grid_->points; ++j) {
      const double* at_j = most_->get() + kFftLanes * grid_->transform.place()[j];
      values_[j] = *std::max_element(at_j, at_j + kFftLanes);
    }
    return values_;
  }

  std::vector<std::complex<double>> coefficients_of(const std::vector<double>& values) const {
    auto transform = fft(values);
    for (auto& c : transform) c /= static_cast<double>(values.size());
    transform.pop_back();
    transform.front() = transform.front().real();
    return transform;
  }

  // Are half of the points enough? The upper half of all frequencies must be too small to matter
  // at the end, and what lies between points, of which there is four times as much, too.
  bool is_fine(const Potential& lower, const Potential& upper) const {
    if (grid_->points <= kFewestPoints) return false;
    const std::size_t half = count() / 2;
    const double dropped =
        kSafety * 2 * sum_of_moduli(upper.coefficients.data() + half, count() - half);
    const double between = upper.errors.between - lower.errors.between;
    const double counts = at_the_end(upper) * static_cast<double>(upper.steps) /
                          static_cast<double>(upper.steps - lower.steps);
    return dropped * counts < 1e-4 * place_.delta && 4 * between * counts < 1e-3 * place_.delta;
  }
  // What an error of 1 at this level comes to at the last one, as a part of delta.
  double at_the_end(const Potential& level) const {
    const double grown = growth_ * static_cast<double>(steps_ - level.steps);
    return std::exp(grown - place_.tilt * place_.epsilon);
  }
  static void drop(Potential& level, std::size_t from) {
    std::fill(level.coefficients.begin() + static_cast<std::ptrdiff_t>(from),
              level.coefficients.end(), 0.0);
  }

  const PriceList& list_;
  std::uint64_t steps_;
  PotentialPlace place_;
  double share_;
  bool hopeful_;
  std::optional<PotentialGrid> grid_;
  std::vector<StepMoments> moments_;  // of each entry
  std::vector<MomentBatch> entries_;
  std::vector<Builder> builders_;
  std::uint64_t width_ = 0;
  double blur_ = 0;    // deviation of what is added to a level, over the frequency's unit
  double growth_ = 0;  // of E, a step
  std::optional<AlignedDoubles> most_;
  std::vector<double> values_;
};

}  // namespace

std::vector<Potential> linear_potentials(const PriceList& list, Direction direction,
                                         std::uint64_t steps, const PotentialPlace& place) {
  if (!place.certified)
    return Recursion(list, direction, steps, place, {.points = 256, .share = 96}).run();
  for (std::size_t points = kFirstPoints;; points *= 2) {
    const Grid grid = {.points = points, .share = kLevels, .hopeful = points < kMostPoints};
    std::vector<Potential> found = Recursion(list, direction, steps, place, grid).run();
    if (found.back().steps == steps) return found;
  }
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
