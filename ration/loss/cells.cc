#include "ration/loss/cells.h"

#include <algorithm>
#include <cmath>

#include "ration/base/error.h"
#include "ration/loss/log_ratio.h"
#include "ration/mechanism/mechanism.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/normal.h"

namespace ration {
namespace {

constexpr double kMostCells = 0x1p25;

constexpr Bound kUnknown = {.lower = -kInfinity, .upper = kInfinity};

// Adds outcomes to a cell.
void add_to(Cell& cell, const Bound& p, const Bound& r) {
  cell.p = cell.p + p;
  cell.r = cell.r + r;
  cell.loss = cell.p.lower > 0 && cell.r.lower > 0 ? log(cell.p / cell.r) : kUnknown;
}

// Empty cells whose edges reach from one loss to another.
Cells empty_cells(const Bound& losses, double offset, const CellOptions& options) {
  const double width = options.width;
  if (options.through_zero) offset = 0;
  const double first = 2 * std::floor((losses.lower - offset) / (2 * width));
  const double last = std::max(2 * std::ceil((losses.upper - offset) / (2 * width)), first + 2);
  if (!(last - first <= kMostCells)) {
    out_of_reach("grid", 2 * width, "a coarser one: the losses of one step reach too far for it");
  }
  Cells cells = {.offset = offset, .width = width, .first = first};
  cells.cell.resize(static_cast<std::size_t>(last - first) + 2);
  return cells;
}

double edge(const Cells& cells, std::size_t i) {
  return cells.offset + (cells.first + static_cast<double>(i)) * cells.width;
}

// The law of -L under the other distribution: direction add is the mirror image of remove.
Cells mirrored(Cells cells) {
  std::reverse(cells.cell.begin(), cells.cell.end());
  for (Cell& c : cells.cell) c = {.p = c.r, .r = c.p, .loss = -c.loss};
  cells.offset = -cells.offset;
  cells.first = -(cells.first + static_cast<double>(cells.cell.size()) - 2);
  return cells;
}

// z with P(Z > z) <= tail.
double far_out(double tail) { return std::sqrt(std::max(0.0, -2 * std::log(2 * tail))); }

// Normal noise in the variable u of log_ratio.h: Q = N(0,1), P = (1-q) N(0,1) + q N(1/s,1).
class NormalNoise {
 public:
  explicit NormalNoise(const SubsampledGaussian& m)
      : ratio_(m), estimate_(m), noise_(m.noise), rate_(m.rate) {}

  Bound losses(Direction direction, double tail) const {
    const bool remove = direction == Direction::remove;
    const double reach = far_out(tail);
    const double high =
        remove ? std::max(reach, 1 / noise_ + far_out(std::min(0.5, tail / rate_))) : reach;
    const double low = remove && rate_ == 1 ? 1 / noise_ - reach : -reach;
    return {.lower = loss(low), .upper = loss(high)};
  }

  Cells cells(Direction direction, const CellOptions& options) const {
    Cells cells = empty_cells(losses(direction, options.tail), offset(options.width), options);
    double from = -kInfinity;
    for (std::size_t i = 0; i < cells.cell.size(); ++i) {
      const double to = i + 1 < cells.cell.size() ? place(edge(cells, i)) : kInfinity;
      if (std::isfinite(to)) {
        const Bound at = certified_loss(to) - edge(cells, i);
        cells.edge_error = std::max({cells.edge_error, at.upper, -at.lower});
      }
      if (to > from) cells.cell[i] = between(from, to);
      from = std::max(from, to);
    }
    return cells;
  }

 private:
  double loss(double u) const { return rate_ == 1 ? estimate_.v(u) : estimate_.value(u); }
  Bound certified_loss(double u) const { return rate_ == 1 ? ratio_.v(u) : ratio_.value(u); }
  // At a small rate most losses lie within a cell of the least one, log(1-q): their joint loss.
  double offset(double width) const {
    if (rate_ == 1) return 0;
    const Cell bulk = between(-kInfinity, place(std::log1p(-rate_) + width));
    return bulk.p.lower > 0.01 && std::isfinite(bulk.loss.lower) ? midpoint(bulk.loss) : 0;
  }
  // Where the loss is l, from q (e^v - 1) = e^l - 1; below log(1-q) it never is. Low and high
  // losses are taken out of the logarithm, where the 1 would swallow them.
  double place(double l) const {
    const double rest = (1 - rate_) * std::exp(-l);  // (1-q) / e^l
    const bool far = l < -0.5 || l > 30;
    const double v = rate_ == 1  ? l
                     : rest >= 1 ? -kInfinity
                     : far       ? l + std::log1p(-rest) - std::log(rate_)
                                 : std::log1p(std::max(-1.0, std::expm1(l) / rate_));
    return noise_ * v + 0.5 / noise_;
  }
  Cell between(double from, double to) const {
    const Bound q = exactly(rate_), without = normal_between(from, to, exactly(0)),
                sampled = normal_between(from, to, ratio_.inverse_noise());
    if (without.lower <= 0 || sampled.lower <= 0) {
      // Too unlikely for a double: the loss lies between those of the ends, where it rises.
      const bool finite = std::isfinite(from) && std::isfinite(to);
      const Bound ends =
          finite ? Bound{.lower = certified_loss(from).lower, .upper = certified_loss(to).upper}
                 : kUnknown;
      return {.p = (1 - q) * without + q * sampled, .r = without, .loss = ends};
    }
    return {.p = (1 - q) * without + q * sampled,
            .r = without,
            .loss = rate_ == 1 ? log(sampled / without) : log1p(q * (sampled / without - 1))};
  }

  LogRatio<Bound> ratio_;
  LogRatio<double> estimate_;
  double noise_, rate_;
};

// Finitely many outcomes, from their probabilities.
std::vector<OutcomePair> seen_from(Direction direction, std::vector<OutcomePair> outcomes) {
  if (direction == Direction::add) {
    for (OutcomePair& o : outcomes) std::swap(o.with, o.without);
  }
  return outcomes;
}

double loss(const OutcomePair& o) {
  return std::log(midpoint(o.with)) - std::log(midpoint(o.without));
}

Bound losses_of_outcomes(const std::vector<OutcomePair>& outcomes) {
  Bound losses = {.lower = kInfinity, .upper = -kInfinity};
  for (const OutcomePair& o : outcomes) {
    if (o.with.upper > 0 && o.without.upper > 0) losses = hull(losses, exactly(loss(o)));
  }
  return losses.lower > losses.upper ? exactly(0) : losses;
}

Cells cells_of_outcomes(const std::vector<OutcomePair>& outcomes, const CellOptions& options) {
  const Bound losses = losses_of_outcomes(outcomes);
  const auto likeliest = std::max_element(
      outcomes.begin(), outcomes.end(), [](const OutcomePair& a, const OutcomePair& b) {
        return a.without.upper > 0 && b.without.upper > 0 && a.with.upper < b.with.upper;
      });
  const double offset =
      likeliest->without.upper > 0 && likeliest->with.upper > 0 ? loss(*likeliest) : 0;
  Cells cells = empty_cells(losses, offset, options);
  // The logarithms, their difference and its quotient by the width, each rounded.
  cells.edge_error =
      12 * kRoundoff * (1 + std::max(std::abs(losses.lower), std::abs(losses.upper)));
  cells.infinite = exactly(0);
  for (const OutcomePair& o : outcomes) {
    if (o.with.upper == 0) continue;
    if (o.without.upper == 0) {
      cells.infinite = cells.infinite + o.with;
      continue;
    }
    const double index = std::ceil((loss(o) - cells.offset) / options.width) - cells.first;
    Cell& cell = cells.cell[static_cast<std::size_t>(
        std::clamp(index, 1.0, static_cast<double>(cells.cell.size() - 2)))];
    add_to(cell, o.with, o.without);
  }
  return cells;
}

// Between -w and w, w = 1/noise, the loss has the density exp((l - w)/2) / 4; both ends are atoms,
// of probability exp(-w)/2 and 1/2. The other distribution is its mirror image.
Cells cells_of_laplace(const Laplace& m, const CellOptions& options) {
  const Bound most = 1 / exactly(m.noise);
  const double w = midpoint(most);
  Cells cells = empty_cells({.lower = -w, .upper = w}, w, options);
  cells.edge_error = 2 * kRoundoff * (1 + w);
  for (std::size_t i = 1; i + 1 < cells.cell.size(); ++i) {
    const double from = std::max(edge(cells, i - 1), -w), to = std::min(edge(cells, i), w);
    if (!(from < to)) continue;
    const Bound share = expm1((exactly(from) - to) * 0.5) * -0.5;
    cells.cell[i] = {.p = exp((to - most) * 0.5) * share,
                     .r = exp((-from - most) * 0.5) * share,
                     .loss = (exactly(from) + to) * 0.5};
  }
  const auto cell_at = [&](double loss) -> Cell& {
    const double index =
        std::max(1.0, std::ceil((loss - cells.offset) / cells.width) - cells.first);
    return cells.cell[static_cast<std::size_t>(index)];
  };
  const Bound rare = exp(-most) * 0.5;
  add_to(cell_at(-w), rare, exactly(0.5));
  add_to(cell_at(w), exactly(0.5), rare);
  return cells;
}

}  // namespace

Cells cells_of(const Mechanism& mechanism, Direction direction, const CellOptions& options) {
  struct Cut {
    Direction direction;
    const CellOptions& options;
    Cells operator()(const Gaussian& m) const {
      return (*this)(SubsampledGaussian{.noise = m.noise, .rate = 1});
    }
    Cells operator()(const SubsampledGaussian& m) const {
      const Cells cells = NormalNoise(m).cells(direction, options);
      return direction == Direction::remove ? cells : mirrored(cells);
    }
    Cells operator()(const Laplace& m) const { return cells_of_laplace(m, options); }
    Cells operator()(const RandomisedResponse& m) const { return of(outcomes_of(m)); }
    Cells operator()(const DiscretePair& m) const { return of(outcomes_of(m)); }
    Cells of(const std::vector<OutcomePair>& outcomes) const {
      return cells_of_outcomes(seen_from(direction, outcomes), options);
    }
  };
  return std::visit(Cut{direction, options}, mechanism);
}

Bound losses_of(const Mechanism& mechanism, Direction direction, double tail) {
  struct Range {
    Direction direction;
    double tail;
    Bound operator()(const Gaussian& m) const {
      return (*this)(SubsampledGaussian{.noise = m.noise, .rate = 1});
    }
    Bound operator()(const SubsampledGaussian& m) const {
      const Bound losses = NormalNoise(m).losses(direction, tail);
      return direction == Direction::remove ? losses : -losses;
    }
    Bound operator()(const Laplace& m) const {
      return {.lower = -1 / m.noise, .upper = 1 / m.noise};
    }
    Bound operator()(const RandomisedResponse& m) const { return of(outcomes_of(m)); }
    Bound operator()(const DiscretePair& m) const { return of(outcomes_of(m)); }
    Bound of(const std::vector<OutcomePair>& outcomes) const {
      return losses_of_outcomes(seen_from(direction, outcomes));
    }
  };
  return std::visit(Range{direction, tail}, mechanism);
}

}  // namespace ration
