// Everybody's tight eps at one delta, in one direction, by lines that are shared: a person's line
// is the one at the rung of the ladder that suits them best. Every Bound holds; those that are not
// sharp are listed. docs/math/individual.md
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/individual/line_table.h"
#include "ration/individual/tilt_ladder.h"
#include "ration/individual/used_mechanisms.h"

namespace ration {

class SharedLines {
 public:
  // Refers to `used`, which must outlive it.
  SharedLines(const UsedMechanisms& used, Direction direction, Delta delta);

  // May be called once more for the other end of the rounding, where a person's mechanisms are the
  // next ones; rungs and lines are kept. Not for two threads at once. Replaces each known eps (of
  // the other direction; 0 at first) by a Bound of the larger of the two. Returns the people whose
  // Bound is wider than 1e-6 relative and 1e-12: those with few steps and rare losses.
  std::vector<std::size_t> raise(Rounding rounding, std::span<Bound> epsilon,
                                 const Progress& progress);

 private:
  void find_rungs(Rounding rounding);
  void find_needed(Rounding rounding);
  const LineTable& line_at(std::size_t rung, std::size_t effort);
  std::vector<std::size_t> serve(std::size_t rung, std::vector<std::size_t> people,
                                 Rounding rounding, std::span<const Bound> known,
                                 std::span<Bound> found, std::size_t& start);
  Bound on_line(const LineTable& table, std::size_t rung, std::size_t person, Rounding rounding,
                const Bound& known) const;

  const UsedMechanisms& used_;
  Direction direction_;
  double log_delta_;
  TiltLadder ladder_;
  std::vector<std::size_t> rungs_;  // of everybody; the other end of the rounding takes the same
  // Per rung: the mechanisms of its people, and the next ones.
  std::vector<std::vector<unsigned char>> needed_;
  std::map<std::pair<std::size_t, std::size_t>, LineTable> lines_;  // by rung and effort
};

}  // namespace ration
