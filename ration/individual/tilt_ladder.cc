#include "ration/individual/tilt_ladder.h"

#include <algorithm>
#include <cmath>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/compose/accountants.h"
#include "ration/compose/saddle.h"
#include "ration/loss/tilted_law.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

constexpr double kLeastTilt = 1e-4;

// Sampling never costs more: K <= z (z+1) / (2 s^2), which is all that is needed where K is huge.
Bound moment(const SubsampledGaussian& m, double z, Direction direction) {
  const double most = z * (z + 1) / (2 * m.noise * m.noise) * (1 + 1e-14);
  constexpr double kHuge = 1e4;  // rarely anybody's best tilt, and there a looser bound holds too
  if (most * m.rate * m.rate > kHuge) return {.lower = 0, .upper = most};
  const LawOptions options = {.tilt = z, .reach = 0, .digits = 30};
  const Bound known = {.lower = 0, .upper = most};
  const auto law = if_in_reach([&] { return tilted_law(m, direction, options); });
  // Too many nodes: others are not to be refused for this mechanism.
  return law ? intersect(known, law->log_moment) : known;
}

}  // namespace

TiltLadder::TiltLadder(std::span<const SubsampledGaussian> mechanisms, Direction direction,
                       int rungs)
    : mechanisms_(mechanisms.begin(), mechanisms.end()), direction_(direction), rungs_(rungs) {
  rebuild(2 * rungs, 5 * rungs);  // tilts from 4 to 32
}

TiltLadder::TiltLadder(std::span<const SubsampledGaussian> mechanisms, Direction direction,
                       std::vector<double> tilts)
    : mechanisms_(mechanisms.begin(), mechanisms.end()), direction_(direction), rungs_(0) {
  fill(std::move(tilts), 0);
}

bool TiltLadder::extend_down() {
  if (rungs_ == 0 || tilts_.front() / 2 < kLeastTilt) return false;
  rebuild(first_ - rungs_, last_);
  return true;
}

bool TiltLadder::extend_up() {
  if (rungs_ == 0 || tilts_.back() * 2 > kFarTilt) return false;
  rebuild(first_, last_ + rungs_);
  return true;
}

void TiltLadder::rebuild(int first, int last) {
  std::vector<double> tilts;
  for (int i = first; i <= last; ++i) tilts.push_back(std::exp2(static_cast<double>(i) / rungs_));
  fill(std::move(tilts), size() == 0 ? 0 : static_cast<std::size_t>(first_ - first));
  first_ = first;
  last_ = last;
}

// Keeps what is there: the rungs so far are those from `known_from` on.
void TiltLadder::fill(std::vector<double> tilts, std::size_t known_from) {
  RowTable upper(mechanisms_.size(), tilts.size()), lower(mechanisms_.size(), tilts.size());
  in_parallel(mechanisms_.size(), [&](std::size_t c) {
    for (std::size_t rung = 0; rung < tilts.size(); ++rung) {
      const std::size_t old = rung - known_from;
      const bool known = rung >= known_from && old < size();
      const Bound k = known ? Bound{.lower = lower_.row(c)[old], .upper = upper_.row(c)[old]}
                            : moment(mechanisms_[c], tilts[rung], direction_);
      lower.row(c)[rung] = k.lower;
      upper.row(c)[rung] = k.upper;
    }
  });
  lower_ = std::move(lower);
  upper_ = std::move(upper);
  tilts_ = std::move(tilts);
  conversions_.clear();
  for (const double z : tilts_) conversions_.push_back(renyi::conversion(z));
}

// Adds the steps without sampling, and what rounding may have taken away.
void TiltLadder::finish_up(const Usage& usage, std::size_t first, std::span<double> out) const {
  const double rounding = 1 + (static_cast<double>(usage.used) + 8) * kRoundoff;
  for (std::size_t i = 0; i < std::min(out.size(), size() - first); ++i) {
    const double z = tilts_[first + i];
    out[i] = next_up((out[i] + usage.spend * (z * (z + 1) / 2)) * rounding);
  }
}

void TiltLadder::moments_up(const Usage& usage, std::span<double> out) const {
  upper_.sum(usage.mechanisms(), usage.counts(), 0, out);
  finish_up(usage, 0, out);
}

// A quarter of the window lies below the rung.
std::size_t TiltLadder::window_at(std::size_t rung) const {
  const std::size_t below = kWindow / 4;
  return std::min(rung < below ? 0 : rung - below, room() - kWindow);
}

void TiltLadder::moments_in_window(const Usage& usage, std::size_t first,
                                   std::span<double> out) const {
  upper_.sum(usage.mechanisms(), usage.counts(), first, out);
  finish_up(usage, first, out);
}

void TiltLadder::moments_down(const Usage& usage, std::span<double> out) const {
  lower_.sum(usage.mechanisms(), usage.counts(), 0, out);
  const double rounding = 1 - (static_cast<double>(usage.used) + 8) * kRoundoff;
  for (std::size_t i = 0; i < size(); ++i) {
    const double z = tilts_[i];
    out[i] = std::max(0.0, next_down((out[i] + usage.spend * (z * (z + 1) / 2)) * rounding));
  }
}

}  // namespace ration
