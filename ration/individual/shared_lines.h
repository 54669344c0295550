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
#include "ration/individual/line_solver.h"
#include "ration/individual/line_table.h"
#include "ration/individual/mixtures.h"
#include "ration/individual/tilt_ladder.h"
#include "ration/individual/used_mechanisms.h"

namespace ration {

class SharedLines {
 public:
  // Refers to all of them, which must outlive it. For Direction::add, `removing` is the lines of
  // the other direction.
  SharedLines(const UsedMechanisms& used, const Mixtures& mixtures, Direction direction,
              Delta delta, const SharedLines* removing = nullptr);

  // May be called once more for the other end of the rounding; rungs and lines are kept. Not for
  // two threads at once. Replaces each known eps (of the other direction; 0 at first) by a Bound of
  // the larger of the two. Returns the people whose Bound is wider than kWide relative and 1e-9;
  // kSharp is what is tried for.
  static constexpr double kSharp = 5e-4, kWide = 0.01;
  std::vector<std::size_t> raise(Rounding rounding, std::span<Bound> epsilon,
                                 const Progress& progress);

 private:
  void find_rungs();
  void find_needed();
  std::size_t line_rung(std::size_t person) const;
  LineShape shape(std::size_t rung, std::size_t effort) const;
  const LineTable& line_at(std::size_t rung, std::size_t effort);
  // The effort that a person begins with.
  std::size_t first_effort(std::size_t person) const;
  Bound on_line(const LineTable& table, bool last, std::size_t person, Rounding rounding,
                const Bound& known) const;

  const UsedMechanisms& used_;
  const Mixtures& mixtures_;
  Direction direction_;
  double log_delta_;
  const SharedLines* removing_;
  TiltLadder ladder_;
  std::vector<std::size_t> rungs_;  // everybody's
  std::vector<float> reach_;        // how far out their integrand still counts, about
  std::vector<std::vector<unsigned char>> needed_;  // per rung: the laws of its people
  std::map<std::pair<std::size_t, std::size_t>, LineTable> lines_;  // by rung and effort
};

}  // namespace ration
