#include "ration/control/least_potential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <numbers>
#include <span>

#include "ration/base/error.h"
#include "ration/control/potential_kernel.h"
#include "ration/control/ticket_moments.h"
#include "ration/loss/log_ratio.h"
#include "ration/numeric/directed.h"
#include "ration/numeric/fft.h"
#include "ration/numeric/fft_batch.h"

namespace ration {
namespace {

constexpr std::size_t kFewestPoints = 64, kMostPoints = std::size_t{1} << 16;

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

// Tickets, eight at a time, by increasing price; copies of the first fill it up.
struct TicketBatch {
  std::array<std::uint32_t, kTicketsTogether> units{};
  std::array<double, kTicketsTogether> error{};  // of a multiplier, absolute
  std::array<double, kTicketsTogether> mass{};   // at least every |M_k|
  AlignedDoubles multipliers;
};

// One V_b on its way.
struct Level {
  std::vector<std::complex<double>> c;
  double moduli = 0;  // at least the sum of |c_k| over both signs of k
  PotentialErrors errors;
};
void measure(Level& level) {
  level.moduli = kSafety * 2 * sum_of_moduli(level.c.data(), level.c.size());
}

// The larger of what errors become on the way to the next level.
void carry(PotentialErrors& to, const PotentialErrors& from, double mass) {
  const auto larger = [mass](double a, double b) { return std::max(a, mul_up(mass, b)); };
  to = {.quadrature = larger(to.quadrature, from.quadrature),
        .rounding = larger(to.rounding, from.rounding),
        .between = larger(to.between, from.between),
        .cut = larger(to.cut, from.cut)};
}

class Recursion {
 public:
  Recursion(const PriceList& list, Direction direction, std::uint64_t budget,
            const PotentialPlace& place, std::size_t points)
      : list_(list),
        budget_(budget),
        place_(place),
        points_(points),
        worst_(list.lot().step, direction, line()),
        levels_(list.dearest() + 1) {
    std::vector<const Ticket*> tickets;
    for (const Ticket& ticket : list.tickets()) tickets.push_back(&ticket);
    std::stable_sort(tickets.begin(), tickets.end(),
                     [](const Ticket* a, const Ticket* b) { return a->units < b->units; });
    for (std::size_t i = 0; i < tickets.size(); i += kTicketsTogether) {
      const std::size_t size = std::min(kTicketsTogether, tickets.size() - i);
      add_batch(std::span(tickets).subspan(i, size), direction);
    }
    cheapest_ = tickets.front()->units;
    resize();
  }

  // Nothing if the first levels show that the points are too few.
  std::vector<Potential> run() {
    const std::uint64_t end = list_.near_the_end();
    const std::uint64_t dearest = list_.dearest();
    for (std::uint64_t b = end > dearest ? end - dearest : 0; b < end; ++b) begin(b);
    std::vector<Potential> kept;
    for (std::uint64_t b = end; b <= budget_; ++b) {
      if (b < cheapest_) {
        begin(b);  // nothing can be paid
      } else if (!step(b)) {
        return {};
      }
      const bool due = kept.empty() || b > kept.back().units + kept.back().units / 512;
      if (due || b == budget_) kept.push_back({b, at(b).c, at(b).errors});
      if (due) maybe_halve(b);
    }
    return kept;
  }

 private:
  std::size_t count() const { return points_ / 2; }
  StepMoments::Line line() const {
    return {.tilt = place_.tilt, .frequency = place_.frequency, .count = count()};
  }
  Level& at(std::uint64_t b) { return levels_[b % levels_.size()]; }

  void add_batch(std::span<const Ticket* const> tickets, Direction direction) {
    TicketBatch batch{.multipliers = AlignedDoubles(count() * kBatchRow)};
    for (std::size_t i = 0; i < kTicketsTogether; ++i) {
      const bool copy = i >= tickets.size();
      const Ticket& ticket = *tickets[copy ? 0 : i];
      double* to = batch.multipliers.get() + i % kFftLanes + (i < kFftLanes ? 0 : 2 * kFftLanes);
      batch.units[i] = ticket.units;
      if (copy) {
        batch.error[i] = batch.error[0];
        batch.mass[i] = batch.mass[0];
        for (std::size_t k = 0; k < count(); ++k, to += kBatchRow) {
          const double* from = batch.multipliers.get() + k * kBatchRow;
          to[0] = from[0];
          to[kFftLanes] = from[kFftLanes];
        }
        continue;
      }
      const StepMoments moments(ticket.step, direction, line());
      const auto steps = static_cast<double>(ticket.steps);
      for (std::size_t k = 0; k < count(); ++k, to += kBatchRow) {
        const StepMoments::Value m = moments.power(k, steps);
        to[0] = m.value.real();
        to[kFftLanes] = m.value.imag();
        batch.error[i] = std::max(batch.error[i], m.error);
      }
      batch.mass[i] = moments.mass_up(steps);
      growth_ = std::max(growth_, std::log(batch.mass[i]) / ticket.units);
    }
    batches_.push_back(std::move(batch));
  }

  // Where the tickets of a batch lead to from b; those that cannot be paid to zero, which is below
  // every potential.
  BatchRows rows_of(const TicketBatch& batch, std::uint64_t b) {
    BatchRows rows{};
    for (std::size_t i = 0; i < kTicketsTogether; ++i) {
      rows[i] = batch.units[i] <= b ? at(b - batch.units[i]).c.data() : zero_.data();
    }
    return rows;
  }

  // Buffers for the present number of points.
  void resize() {
    transform_ = std::make_unique<FftBatch>(points_);
    data_ = std::make_unique<AlignedDoubles>(points_ * 2 * kFftLanes);
    most_ = std::make_unique<AlignedDoubles>(points_ * kFftLanes);
    values_.assign(points_, 0);
    zero_.assign(count(), 0);
  }

  // What may be added to E_b at this level, so that all of it together is as much as is allowed.
  double allowed_at(std::uint64_t b) const {
    const double left = static_cast<double>(budget_ - b);
    const double seen = static_cast<double>(b - list_.near_the_end()) + list_.lot().units;
    const double spread = std::log(static_cast<double>(budget_)) + 1;
    return place_.allowed * std::exp(-growth_ * left) / (seen * spread);
  }

  // V_b near the end: as many whole steps at the clip bound as can be paid. Its coefficients are
  // known: with z = tilt - i k frequency and window = 2 pi / frequency,
  //     c_k = E exp(z L)^steps / (window z (z + 1)).
  // One step of a Gaussian mechanism with a tiny mu is added. It can only raise a potential
  // (lemma 2), and makes the coefficients fall.
  void begin(std::uint64_t b) {
    Level& level = at(b);
    level = {};
    level.c.resize(count());
    const double steps = list_.last_lots() == 0
                             ? 0.0
                             : static_cast<double>(b / list_.lot().units * list_.lot().steps);
    const double last = place_.frequency * static_cast<double>(count());
    constexpr double kFall = 4.5;  // exp(-4.5^2 / 2) = 4e-5
    const double total =
        static_cast<double>(budget_ / list_.lot().units * list_.lot().steps) * worst_.variance();
    constexpr double kShare = 3e-4;  // of the variance of the whole run
    const double mu = std::max(kFall / last, std::sqrt(kShare * total)), half = 0.5 * mu * mu;
    const double window_inverse = place_.frequency / (2 * std::numbers::pi);
    for (std::size_t k = 0; k < count(); ++k) {
      const std::complex<double> z(place_.tilt, -place_.frequency * static_cast<double>(k));
      const StepMoments::Value m =
          steps == 0 ? StepMoments::Value{.value = 1, .error = 0} : worst_.power(k, steps);
      const std::complex<double> smooth = std::exp(half * (z + z * z));
      const std::complex<double> factor = window_inverse * smooth / (z * (z + 1.0));
      level.c[k] = factor * m.value;
      const double both = k == 0 ? 1 : 2, size = std::abs(factor);
      // The exponent half (z + z^2) carries a few units of its parts.
      const double parts = half * (std::abs(z) + std::norm(z));
      level.errors.quadrature += kSafety * both * size * m.error;
      level.errors.rounding +=
          kSafety * both * size * std::abs(m.value) * kRoundoff * (32 + 16 * parts);
    }
    // Beyond, |c_k| <= mass exp(half (tilt + tilt^2 - t^2)) / (window t^2), t = k frequency; the
    // sum of 1 / k^2 from n on is below 1 / (n - 1/2).
    const double mass = steps == 0 ? 1 : worst_.mass_up(steps);
    const double bend = half * (place_.tilt + place_.tilt * place_.tilt - last * last);
    level.errors.cut +=
        kSafety * 2 * window_inverse * mass * std::exp(bend) /
        (place_.frequency * place_.frequency * (static_cast<double>(count()) - 0.5));
    measure(level);
  }

  // V_b as the maximum over all tickets that can be paid, at every point.
  bool step(std::uint64_t b) {
    double* most = most_->get();
    std::fill(most, most + points_ * kFftLanes, -std::numeric_limits<double>::infinity());
    for (const TicketBatch& batch : batches_) {
      if (batch.units[0] > b) break;
      products(rows_of(batch, b), batch.multipliers.get(), count(), points_, data_->get());
      transform_->inverse(data_->get());
      raise_to(data_->get(), points_, most);
    }
    double total = 0;
    for (std::size_t j = 0; j < points_; ++j) {
      const double* at_j = most + kFftLanes * transform_->place()[j];
      values_[j] = *std::max_element(at_j, at_j + kFftLanes);
      total += std::abs(values_[j]);
    }
    auto transform = fft(values_);
    const auto n = static_cast<double>(points_);
    for (auto& c : transform) c /= n;
    const double left_out = std::abs(transform.back());
    transform.pop_back();
    transform.front() = transform.front().real();
    return place_.certified ? account(b, std::move(transform), left_out, total)
                            : (at(b).c = std::move(transform), true);
  }

  // What this level adds to E_b, and what earlier errors have become.
  bool account(std::uint64_t b, std::vector<std::complex<double>> c, double left_out,
               double total) {
    PotentialErrors errors;
    double curvature = 0, quadrature = 0, products_size = 0;
    for (const TicketBatch& batch : batches_) {
      if (batch.units[0] > b) break;
      const auto distances =
          distances_of_curvature(rows_of(batch, b), batch.multipliers.get(), c.data(), count());
      for (std::size_t i = 0; i < kTicketsTogether && batch.units[i] <= b; ++i) {
        const Level& from = at(b - batch.units[i]);
        carry(errors, from.errors, batch.mass[i]);
        curvature = std::max(curvature, distances[i]);
        quadrature = std::max(quadrature, batch.error[i] * from.moduli);
        products_size = std::max(products_size, batch.mass[i] * from.moduli);
      }
    }
    // Two tickets share a transform; a product rounds by 2 sqrt(2) u, here and in the distances,
    // where h^2 k^2 / 8 is at most pi^2 / 8.
    double rounding = products_size * (2 * fft_batch_error(points_) + 16 * kRoundoff);
    // |d| <= largest at the points + h^2/8 sup |d''|, and h frequency = 2 pi / points.
    const double h = 2 * std::numbers::pi / static_cast<double>(points_);
    const double between = kSafety * 2 * curvature * h * h / 8;
    // Each coefficient of the maximum errs by fft_error times the mean modulus.
    rounding += (fft_error(points_) + 4 * kRoundoff) * total;
    errors.quadrature += kSafety * quadrature;
    errors.rounding += kSafety * rounding;
    errors.between += between;
    errors.cut += kSafety * left_out;
    if (b == list_.near_the_end() && points_ < kMostPoints &&
        (2 * (between + left_out) > allowed_at(b) || errors.cut > 0.1 * place_.allowed)) {
      return false;
    }
    added_ = between + left_out;
    Level& level = at(b);
    level = {.c = std::move(c), .moduli = 0, .errors = errors};
    measure(level);
    return true;
  }

  // The law has widened: half as many points do, if four times the error is allowed.
  void maybe_halve(std::uint64_t b) {
    if (!place_.certified || points_ <= kFewestPoints || 6 * added_ > allowed_at(b)) return;
    const auto dropped = [&](const Level& level) {
      const std::size_t half = level.c.size() / 2;
      return kSafety * 2 * sum_of_moduli(level.c.data() + half, level.c.size() - half);
    };
    double most = 0;
    for (const Level& level : levels_) most = std::max(most, dropped(level));
    if (most > allowed_at(b)) return;
    for (Level& level : levels_) {
      level.errors.cut += dropped(level);
      level.c.resize(level.c.size() / 2);
    }
    points_ /= 2;
    resize();
  }

  const PriceList& list_;
  std::uint64_t budget_;
  PotentialPlace place_;
  std::size_t points_;
  StepMoments worst_;
  std::vector<Level> levels_;  // of the last units, in a ring
  std::vector<TicketBatch> batches_;
  std::uint32_t cheapest_ = 1;
  double growth_ = 0;         // of E, a unit
  double added_ = kInfinity;  // to E by the last level
  std::unique_ptr<FftBatch> transform_;
  std::unique_ptr<AlignedDoubles> data_, most_;
  std::vector<double> values_;
  std::vector<std::complex<double>> zero_;
};

}  // namespace

std::vector<Potential> least_potentials(const PriceList& list, Direction direction,
                                        std::uint64_t budget, const PotentialPlace& place) {
  // A coarse grid shows itself in the first levels, or at the end.
  std::vector<Potential> best;
  for (std::size_t points = place.certified ? 1024 : 512; points <= kMostPoints; points *= 2) {
    std::vector<Potential> found = Recursion(list, direction, budget, place, points).run();
    if (found.empty()) continue;
    const bool better = best.empty() || found.back().errors.sum() < best.back().errors.sum();
    if (better) best = std::move(found);
    if (!place.certified || best.back().errors.sum() <= 1.2 * place.allowed || !better) break;
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
  for (double* part : {&errors.quadrature, &errors.rounding, &errors.between, &errors.cut}) {
    *part = kSafety * factor * *part;
  }
  const double delta = std::max(0.0, factor * sum) * (1 + 8 * kRoundoff) + errors.sum();
  if (!std::isfinite(sum) || !std::isfinite(delta)) return kNothing;
  return {.delta = delta, .errors = errors};
}

}  // namespace ration
