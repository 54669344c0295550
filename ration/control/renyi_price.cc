#include "ration/control/renyi_price.h"

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
// Bits of a double below its first 8 after the point: 256 cells an octave.
constexpr int kDropped = 44;
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

RenyiPrice::RenyiPrice(const Step& step, std::span<const Order> orders)
    : Price(orders.size()), step_(step), spend_(step), orders_(orders.begin(), orders.end()) {
  if (step.rate == 1.0) return;
  cells_ = cells_for(step.noise);
  table_.resize(cells_ * orders_.size());
  filled_.resize(cells_);
  fill(0);
  filled_[0] = 1;
}

// Rounding is monotone and edges are doubles: norm / clip rounded lies below an edge only if it
// does unrounded. So the noise ratio is at least noise / edge.
std::size_t RenyiPrice::cell_of(double norm) const {
  const double part = norm / step_.clip;
  if (part >= 1) return 0;
  return std::min<std::size_t>(kOne - 1 - (std::bit_cast<std::uint64_t>(part) >> kDropped),
                               cells_ - 1);
}

void RenyiPrice::fill(std::size_t cell) {
  const double ratio = cell == 0 ? double{step_.noise} : div_down(step_.noise, upper_edge(cell));
  const SubsampledGaussian share = {.noise = ratio, .rate = step_.rate};
  Units* row = table_.data() + cell * orders_.size();
  for (const Order order : orders_) *row++ = units_up(rdp::divergence(share, order).upper);
}

void RenyiPrice::prepare(const Norms& norms) {
  if (is_ready()) return;
  std::vector<std::uint8_t> wanted(cells_);
  for_blocks_of_people(size_of(norms), [&](std::size_t from, std::size_t count) {
    const auto mark = [&](double norm) {
      const std::atomic_ref<std::uint8_t> flag(wanted[cell_of(norm)]);
      if (flag.load(std::memory_order_relaxed) == 0) flag.store(1, std::memory_order_relaxed);
    };
    std::visit([&](auto block) { std::for_each(block.begin(), block.end(), mark); },
               part_of(norms, from, count));
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

void RenyiPrice::charges(const Norms& norms, Units* out) const {
  std::visit(
      [&](auto block) {
        for (const double norm : block) {
          charge(norm, out);
          out += orders_.size();
        }
      },
      norms);
}

void RenyiPrice::charge(double norm, Units* out) const {
  const std::size_t orders = orders_.size();
  if (norm == 0) {
    std::fill_n(out, orders, Units{0});
  } else if (step_.rate == 1.0) {
    // D_order = order mu^2 / 2
    const Units square = spend_.charge_unchecked(norm);
    for (std::size_t k = 0; k < orders; ++k) {
      out[k] = square == kMostUnits ? kMostUnits : scale_up(square, orders_[k] / 2);
    }
  } else {
    std::copy_n(table_.data() + cell_of(norm) * orders, orders, out);
  }
}

Row RenyiPrice::worst_case() const {
  const DefaultFloatEnvironment environment;
  Row row(orders_.size());
  charge(step_.clip, row.data());
  return row;
}

}  // namespace ration
