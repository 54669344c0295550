#include "ration/loss/pld.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/numeric/directed.h"
#include "ration/numeric/interval.h"

namespace ration {
namespace {

// Twelve bits, so that the multiples up to 2^41 are exact.
double of_few_bits(double step) {
  int exponent = 0;
  const double mantissa = std::frexp(step, &exponent);
  return std::ldexp(std::floor(mantissa * 4096) / 4096, exponent);
}

Pld empty_pld(const Cells& cells) {
  Pld pld = {.offset = cells.offset,
             .step = 2 * cells.width,
             .first = cells.first / 2,
             .mass = std::vector<double>((cells.cell.size() - 2) / 2 + 1, 0.0)};
  // Multiples of the step are exact, their sums with the offset are not.
  const double last = pld.first + static_cast<double>(pld.mass.size());
  const double farthest = std::max(std::abs(pld.first), std::abs(last)) * pld.step;
  if (pld.offset != 0) pld.slack = 2 * kRoundoff * (farthest + std::abs(pld.offset));
  return pld;
}

// Connects the dots of the hockey-stick curve: what is likely p at loss l, between the grid points
// a < b, goes to both such that the mean of exp(-loss) is kept,
//     mass at b = p (1 - e^(a-l)) / (1 - e^(a-b)),
// which is the least version above the truth with losses on the grid. Rounded up: mass that moves
// to the upper end, or is added, only adds to delta. A cell that ends edge_error too late counts as
// if it ended in time, which moves p edge_error / (1 - e^(a-b)) at most to the upper end.
Pld dominating(const Cells& cells) {
  Pld pld = empty_pld(cells);
  const Bound whole = expm1(exactly(-pld.step));
  const double astray = 2 * cells.edge_error / -std::expm1(-pld.step);
  pld.mass.front() = cells.cell.front().p.upper;
  for (std::size_t i = 1; i + 1 < cells.cell.size(); ++i) {
    const auto& [p, r, loss] = cells.cell[i];
    if (p.upper == 0) continue;
    const std::size_t bin = (i - 1) / 2;
    const double below = pld.offset + (pld.first + static_cast<double>(bin)) * pld.step;
    const double share = std::isfinite(loss.upper) ? (expm1(below - loss) / whole).upper : 1;
    const double above = mul_up(p.upper, std::clamp(add_up(share, astray), 0.0, 1.0));
    pld.mass[bin] = add_up(pld.mass[bin], std::max(0.0, sub_up(p.upper, above)));
    pld.mass[bin + 1] = add_up(pld.mass[bin + 1], above);
  }
  pld.at_infinity = add_up(cells.cell.back().p.upper, cells.infinite.upper);
  pld.slack = add_up(pld.slack, cells.edge_error);
  return pld;
}

// Outcomes thrown together are a function of the mechanism's output and tell less. Walking up or
// down, cells are gathered, the last one in part, until their joint loss is that of the grid point
// t:
//     sum p (e^(t-l) - 1) = 0.
// In the picture of the hockey-stick curve these are supporting lines that meet on the grid.
class Gathering {
 public:
  enum class Walk { up, down };
  Gathering(Walk walk, Pld& pld) : walk_(walk), pld_(pld) {}

  void add(Bound p, const Bound& loss) {
    while (p.lower > 0) {
      if (p_.lower == 0) start((midpoint(loss) - pld_.offset) / pld_.step);
      const Bound missing = p * expm1(at_ - loss);
      const double share = -midpoint(missing_) / midpoint(missing);
      if (share > 0 && share < 1) {
        gather(p * share, missing * share);
        close();
        p = p * (1 - exactly(share));
      } else {
        gather(p, missing);
        if (std::abs(midpoint(missing_)) <= 1e-15 * midpoint(p_)) close();
        return;
      }
    }
  }
  // What is left has the joint loss t - log(1 + missing/p): rounded down to the grid. Returns how
  // much of the mean loss that costs at most.
  double finish() {
    const double left = p_.lower;
    if (left > 0) put(index_ - std::max(0.0, std::ceil(short_of_grid() / pld_.step)));
    return left * pld_.step;
  }
  double most_short() const { return short_; }

 private:
  // The next grid point in the direction of the walk; a loss on the grid but for rounding is there.
  void start(double place) {
    index_ = walk_ == Walk::up ? std::ceil(place - 1e-9) : std::floor(place + 1e-9);
    at_ = pld_.offset + index_ * pld_.step;
  }
  void gather(const Bound& p, const Bound& missing) {
    p_ = p_ + p;
    missing_ = missing_ + missing;
  }
  double short_of_grid() const { return log1p(missing_ / p_).upper; }
  void close() {
    short_ = std::max(short_, short_of_grid());
    put(index_);
  }
  void put(double index) {
    const auto last = static_cast<double>(pld_.mass.size() - 1);
    const double i = std::min(index - pld_.first, last);
    if (i >= 0) {
      double& mass = pld_.mass[static_cast<std::size_t>(i)];
      mass = std::max(0.0, add_down(mass, p_.lower));
    }
    p_ = missing_ = exactly(0);
  }

  Walk walk_;
  Pld& pld_;
  Bound p_ = exactly(0), missing_ = exactly(0);  // of what was gathered: p, sum p (e^(t-l) - 1)
  double index_ = 0, at_ = 0;                    // the grid point t
  double short_ = 0;                             // the most that a joint loss fell short of it
};

using CellWalk = std::vector<Cell>::const_iterator;

struct Gathered {
  Pld pld;
  double lost;  // of the mean loss, at most
};

// Two walks, from both ends to where they meet, and what is left there is rounded down.
Gathered gathered(const Cells& cells, CellWalk meeting) {
  Pld pld = empty_pld(cells);
  // Far out a double holds few digits of a probability: left out. A loss that is known roughly is
  // rounded down.
  const auto add = [](const Cell& c, Gathering& gathering) {
    if (!(c.p.lower > 0) || width(c.p) > 1e-6 * c.p.upper || !std::isfinite(c.loss.lower)) return;
    gathering.add(c.p, width(c.loss) <= 1e-9 ? c.loss : exactly(c.loss.lower));
  };
  Gathering up(Gathering::Walk::up, pld), down(Gathering::Walk::down, pld);
  for (auto cell = cells.cell.begin() + 1; cell != meeting; ++cell) add(*cell, up);
  for (auto cell = cells.cell.end() - 1; cell != meeting;) add(*--cell, down);
  const double lost = up.finish() + down.finish();
  pld.slack =
      add_up(pld.slack, add_up(cells.edge_error, std::max(up.most_short(), down.most_short())));
  pld.mass.back() = std::max(0.0, add_down(pld.mass.back(), cells.cell.back().p.lower));
  pld.at_infinity = cells.infinite.lower;
  return {.pld = std::move(pld), .lost = lost};
}

// A loss often has an atom at one of its ends, or comes near to one, and a walk should not end
// there. Of three places to meet, both ends and the least likely cell between, the first good one.
Pld dominated(const Cells& cells) {
  const auto first = cells.cell.begin() + 1, last = cells.cell.end() - 1;
  const auto likely = [](const Cell& c) { return c.p.lower > 0; };
  const auto from = std::find_if(first, last, likely);
  const auto to = std::find_if(std::reverse_iterator(last), std::reverse_iterator(from), likely);
  const auto between = std::min_element(
      from, to.base(), [](const Cell& a, const Cell& b) { return a.p.upper < b.p.upper; });
  Gathered best = gathered(cells, last);
  for (const auto& meeting : {first, between}) {
    if (best.lost <= 1e-12 * best.pld.step) break;
    Gathered other = gathered(cells, meeting);
    if (other.lost < best.lost) best = std::move(other);
  }
  return best.pld;
}

}  // namespace

PldBounds pld_of(const Mechanism& mechanism, Direction direction, const PldOptions& options) {
  const DefaultFloatEnvironment environment;
  if (!(options.step >= 1e-12 && options.step <= 1e6)) {
    out_of_reach("grid", options.step, "a number from 1e-12 to 1e6");
  }
  const CellOptions cut = {.width = of_few_bits(options.step) / 2,
                           .tail = options.tail,
                           .through_zero = options.through_zero};
  const Cells cells = cells_of(mechanism, direction, cut);
  return {.upper = dominating(cells), .lower = dominated(cells)};
}

}  // namespace ration
