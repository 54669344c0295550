// Log-moments of every mechanism at tilts that grow by a constant factor, so that everybody's best
// tilt is found by looking. Grows on demand; reading is for any number of threads.
// docs/math/individual.md
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "ration/individual/row_table.h"
#include "ration/individual/used_mechanisms.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

class TiltLadder {
 public:
  // `rungs` per octave.
  TiltLadder(std::span<const SubsampledGaussian> mechanisms, Direction direction, int rungs);
  // At these tilts alone: it does not grow.
  TiltLadder(std::span<const SubsampledGaussian> mechanisms, Direction direction,
             std::vector<double> tilts);

  // Rungs are numbered from 0 at the smallest tilt that is there.
  std::size_t size() const { return tilts_.size(); }
  double tilt(std::size_t rung) const { return tilts_[rung]; }
  // The first rung that is not below this tilt, or the last one.
  std::size_t nearest(double tilt) const {
    const auto at = std::lower_bound(tilts_.begin(), tilts_.end(), tilt * (1 - 1e-9));
    return std::min(static_cast<std::size_t>(at - tilts_.begin()), size() - 1);
  }
  // c(z) of Canonne, Kamath and Steinke's eps = (K(z) + c(z) - log delta) / z.
  double conversion(std::size_t rung) const { return conversions_[rung]; }

  // Adds an octave below or above; false where the accountants see no further.
  bool extend_down();
  bool extend_up();

  // Upper and lower bounds of a person's K(tilt), at every rung (`out` has room() numbers), or at
  // the kWindow rungs around one, from window_at(rung) on.
  std::size_t room() const { return upper_.stride(); }
  void moments_up(const Usage& usage, std::span<double> out) const;
  void moments_down(const Usage& usage, std::span<double> out) const;

  static constexpr std::size_t kWindow = RowTable::kBlock;
  std::size_t window_at(std::size_t rung) const;
  void moments_in_window(const Usage& usage, std::size_t first, std::span<double> out) const;

 private:
  void rebuild(int first, int last);
  void fill(std::vector<double> tilts, std::size_t known_from);
  void finish_up(const Usage& usage, std::size_t first, std::span<double> out) const;

  std::vector<SubsampledGaussian> mechanisms_;
  Direction direction_;
  int rungs_, first_ = 0, last_ = -1;  // no rungs per octave: as they were given
  std::vector<double> tilts_, conversions_;
  RowTable upper_{0, 0}, lower_{0, 0};
};

}  // namespace ration
