#include "ration/control/renyi_rule.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>

#include "ration/base/people.h"
#include "ration/loss/rdp.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

constexpr double kMostNoise = 1e8;  // values.h, NoiseRule
constexpr int kMostOctaves = 24;
constexpr int kDropped =
    44;  // bits of a double below its first 8 after the point: 256 cells an octave
constexpr std::uint64_t kOne = std::bit_cast<std::uint64_t>(1.0) >> kDropped;

// Cell j holds norm / clip below this edge and not below that of cell j + 1; the first includes 1.
double upper_edge(std::size_t cell) { return std::bit_cast<double>((kOne - cell) << kDropped); }

std::size_t cells_for(double noise) {
  int octaves = 0;
  while (octaves < kMostOctaves && 2 * noise <= kMostNoise) {
    noise *= 2;
    ++octaves;
  }
  return static_cast<std::size_t>(256 * octaves) + 1;
}

}  // namespace

RenyiRule::RenyiRule(const Step& step, std::span<const Order> orders)
    : step_(step), spend_(step), orders_(orders.begin(), orders.end()) {
  if (step.rate == 1.0) return;
  cells_ = cells_for(step.noise);
  table_.resize(cells_ * orders_.size());
  filled_.resize(cells_);
  fill(0);
  filled_[0] = 1;
}

// Rounding is monotone and edges are doubles: norm / clip rounded lies below an edge only if it
// does unrounded. So the noise ratio is at least noise / edge.
std::size_t RenyiRule::cell_of(double norm) const {
  const double part = norm / step_.clip;
  if (part >= 1) return 0;
  return std::min<std::size_t>(kOne - 1 - (std::bit_cast<std::uint64_t>(part) >> kDropped),
                               cells_ - 1);
}

void RenyiRule::fill(std::size_t cell) {
  const double ratio = cell == 0 ? double{step_.noise} : div_down(step_.noise, upper_edge(cell));
  const SubsampledGaussian share = {.noise = ratio, .rate = step_.rate};
  Units* row = table_.data() + cell * orders_.size();
  for (const Order order : orders_) *row++ = units_up(rdp::divergence(share, order).upper);
}

template <class Real>
void RenyiRule::prepare_real(std::span<const Real> norms) {
  if (step_.rate == 1.0) return;
  std::vector<std::uint8_t> wanted(cells_);
  for_blocks_of_people(norms.size(), [&](std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) {
      const std::atomic_ref<std::uint8_t> flag(wanted[cell_of(norms[i])]);
      if (flag.load(std::memory_order_relaxed) == 0) flag.store(1, std::memory_order_relaxed);
    }
  });
  std::vector<std::size_t> missing;
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (wanted[cell] != 0 && filled_[cell] == 0) missing.push_back(cell);
  }
  if (missing.empty()) return;  // threads that have nothing to do take time as well
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
  for (const std::size_t cell : missing) {
    try {
      fill(cell);
    } catch (...) {
#pragma omp critical
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  for (const std::size_t cell : missing) filled_[cell] = 1;
}

void RenyiRule::prepare(std::span<const float> norms) { prepare_real(norms); }
void RenyiRule::prepare(std::span<const double> norms) { prepare_real(norms); }

void RenyiRule::charge(double norm, std::span<Units> out) const {
  if (norm == 0) {
    std::fill(out.begin(), out.end(), Units{0});
  } else if (step_.rate == 1.0) {
    // D_order = order mu^2 / 2
    const Units square = spend_.charge_unchecked(norm);
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] = square == kMostUnits ? kMostUnits : scale_up(square, orders_[k] / 2);
    }
  } else {
    std::copy_n(table_.data() + cell_of(norm) * orders_.size(), out.size(), out.data());
  }
}

std::vector<Units> RenyiRule::worst_case() const {
  const DefaultFloatEnvironment environment;
  std::vector<Units> row(orders_.size());
  charge(step_.clip, row);
  return row;
}

RenyiRule& RenyiRules::of(const Step& step, std::span<const Order> orders) {
  constexpr std::size_t kKept = 8;
  const auto found = std::find_if(recent_.begin(), recent_.end(),
                                  [&](const RenyiRule& rule) { return rule.is_for(step); });
  if (found != recent_.end()) {
    std::rotate(found, found + 1, recent_.end());
    return recent_.back();
  }
  if (recent_.size() == kKept) recent_.erase(recent_.begin());
  return recent_.emplace_back(step, orders);
}

}  // namespace ration
