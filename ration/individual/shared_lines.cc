#include "ration/individual/shared_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "ration/base/people.h"
#include "ration/individual/line_solver.h"
#include "ration/individual/line_table.h"

namespace ration {
namespace {

constexpr int kRungsAnOctave = 3;
constexpr std::size_t kUndecided = std::numeric_limits<std::size_t>::max();

// Ever longer lines, for those whose integrand falls slowly. They lie to the left of the best tilt,
// so that Chernoff's bound near it covers the aliases on the right. Where the law is a narrow peak
// with a rare tail, that tilt is far beyond the tail's own slope at eps, and a line further left is
// short of nothing: aliases on the left are known but for what Chernoff's bound says of them.
struct Effort {
  double tilt;  // relative to the best one
  int points;
  double digits;  // unknown aliases are about exp(-digits) of delta
};
constexpr Effort kEfforts[] = {{0.5, 32, 19}, {0.5, 64, 20}, {0.45, 160, 20}, {0.3, 640, 14}};
constexpr std::size_t kLast = std::size(kEfforts) - 1;

// Noise is added on the last line alone.
double decay_wanted(bool last, double log_delta) { return last ? 7 - log_delta : 0; }

bool within(const Bound& x, double relative) {
  return std::isfinite(x.upper) && (width(x) <= relative * x.upper || width(x) <= 1e-9);
}

// A person at work: their usage and mixture, and their moments around their rung, or at all rungs.
struct Bench {
  Usage usage = {};
  Mixture mixture = {};
  MomentWindow window = {}, removed = {};
  std::vector<double> all_moments = {};
};
Bench& bench() {
  static thread_local Bench mine;
  return mine;
}

}  // namespace

SharedLines::SharedLines(const UsedMechanisms& used, const Mixtures& mixtures, Direction direction,
                         Delta delta, const SharedLines* removing)
    : used_(used),
      mixtures_(mixtures),
      direction_(direction),
      log_delta_(std::log(delta)),
      removing_(removing),
      ladder_(used.mechanisms(), direction, kRungsAnOctave) {}

// Looks for everybody's best rung, and extends the ladder while somebody stands at its end. One
// octave more above gives the aliases their further tilt.
void SharedLines::find_rungs() {
  rungs_.resize(used_.people());
  reach_.resize(used_.people());
  const auto look = [&](std::size_t person) {
    Bench& at = bench();
    used_.usage(person, Rounding::up, at.usage);
    at.all_moments.resize(ladder_.room());
    ladder_.moments_up(at.usage, at.all_moments);
    rungs_[person] = at.usage.empty() ? 1 : best_rung(ladder_, at.all_moments, 0, log_delta_).rung;
    const double z = ladder_.tilt(0), variance = 2 * at.all_moments[0] / (z * (z + 1));
    reach_[person] =
        at.usage.empty() ? 0 : static_cast<float>(std::sqrt(2 * (2 - log_delta_) / variance));
  };
  in_parallel_by_dozens(used_.people(), look);
  const auto somebody_at = [&](std::size_t rung) {
    return std::find(rungs_.begin(), rungs_.end(), rung) != rungs_.end();
  };
  while (somebody_at(0) && ladder_.extend_down()) {
    for (auto& rung : rungs_) rung = rung == 0 ? kUndecided : rung + kRungsAnOctave;
    in_parallel_by_dozens(used_.people(), [&](std::size_t p) {
      if (rungs_[p] == kUndecided) look(p);
    });
  }
  const auto highest = [&] { return *std::max_element(rungs_.begin(), rungs_.end()); };
  while (highest() + kRungsAnOctave >= ladder_.size() && ladder_.extend_up()) {
    in_parallel_by_dozens(used_.people(), [&](std::size_t p) {
      if (rungs_[p] + kRungsAnOctave >= ladder_.size() - kRungsAnOctave) look(p);
    });
  }
}

// People of three rungs share a line.
std::size_t SharedLines::line_rung(std::size_t person) const {
  return std::min((rungs_[person] + 1) / 3 * 3, ladder_.size() - 1);
}

// Which laws the people of each rung use, at either end of the rounding.
void SharedLines::find_needed() {
  needed_.assign(ladder_.size(), std::vector<unsigned char>(mixtures_.laws().size()));
  constexpr std::size_t kChunk = 1024;
  in_parallel((used_.people() + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    std::vector<std::vector<unsigned char>> mine(needed_.size());
    const std::size_t end = std::min(used_.people(), (chunk + 1) * kChunk);
    for (std::size_t p = chunk * kChunk; p < end; ++p) {
      std::vector<unsigned char>& laws = mine[line_rung(p)];
      laws.resize(mixtures_.laws().size());
      mixtures_.mark(p, laws);
    }
#pragma omp critical(ration_needed)
    for (std::size_t rung = 0; rung < mine.size(); ++rung) {
      for (std::size_t law = 0; law < mine[rung].size(); ++law) {
        if (mine[rung][law] != 0) needed_[rung][law] = 1;
      }
    }
  });
}

LineShape SharedLines::shape(std::size_t rung, std::size_t effort) const {
  const auto& [factor, points, digits] = kEfforts[effort];
  const double best = ladder_.tilt(rung), tilt = factor * best;
  if (effort < kLast)
    return {.tilt = tilt, .period = (digits - log_delta_) / tilt, .points = points};
  const double right = (digits - log_delta_) / (best - tilt);
  const double left = (digits - 3 * log_delta_) / (best + tilt + 1);
  return {.tilt = tilt, .period = std::max(left, right), .points = points};
}

const LineTable& SharedLines::line_at(std::size_t rung, std::size_t effort) {
  const auto found = lines_.find({rung, effort});
  if (found != lines_.end()) return found->second;
  return lines_
      .emplace(std::pair(rung, effort), LineTable(mixtures_.laws(), direction_, shape(rung, effort),
                                                  used_.steps(), needed_[rung]))
      .first->second;
}

std::size_t SharedLines::first_effort(std::size_t person) const {
  std::size_t effort = 0;
  while (effort < kLast) {
    const LineShape s = shape(line_rung(person), effort);
    if (2 * std::numbers::pi * s.points / s.period >= static_cast<double>(reach_[person])) break;
    ++effort;
  }
  return effort;
}

// One person's eps, or, where the other direction is known to spend more, that it is not larger.
Bound SharedLines::on_line(const LineTable& table, bool last, std::size_t person, Rounding rounding,
                           const Bound& known) const {
  Bench& at = bench();
  mixtures_.mixture(person, rounding, table.blunt(), at.mixture);
  if (at.mixture.empty()) return exactly(0);
  used_.usage(person, Rounding::up, at.usage);
  at.window.first = ladder_.window_at(rungs_[person]);
  ladder_.moments_in_window(at.usage, at.window.first, at.window.moments);
  const TiltLadder& removing = removing_ != nullptr ? removing_->ladder_ : ladder_;
  at.removed = at.window;
  if (removing_ != nullptr) {
    at.removed.first = removing.window_at(removing.nearest(ladder_.tilt(rungs_[person])));
    removing.moments_in_window(at.usage, at.removed.first, at.removed.moments);
  }
  const LineSolver solver(
      table, at.mixture,
      {.ladder = ladder_, .window = at.window, .removing = removing, .removed = at.removed},
      log_delta_, decay_wanted(last, log_delta_));
  if (solver.at_most(known.upper)) return {.lower = 0, .upper = known.upper};
  return solver.epsilon();
}

std::vector<std::size_t> SharedLines::raise(Rounding rounding, std::span<Bound> epsilon,
                                            const Progress& progress) {
  if (used_.people() == 0) return {};
  if (rungs_.empty()) {
    find_rungs();
    find_needed();
  }
  // Everybody's line, by rung and effort; those who are not served go to the next one.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> groups;
  for (std::size_t p = 0; p < rungs_.size(); ++p)
    groups[{line_rung(p), first_effort(p)}].push_back(p);
  const double most = std::numeric_limits<double>::infinity();
  std::vector<Bound> found(used_.people(), {.lower = 0, .upper = most});
  std::vector<std::size_t> wide;
  while (!groups.empty()) {
    const std::size_t rung = groups.begin()->first.first, effort = groups.begin()->first.second;
    const std::vector<std::size_t> people = std::move(groups.begin()->second);
    groups.erase(groups.begin());
    const LineTable& table = line_at(rung, effort);
    in_parallel_by_dozens(people.size(), [&](std::size_t i) {
      const std::size_t p = people[i];
      const Bound now = on_line(table, effort == kLast, p, rounding, epsilon[p]);
      found[p] = intersect(found[p], now);
    });
    std::size_t served = people.size();
    for (const std::size_t p : people) {
      if (within(found[p], kSharp) || found[p].upper <= epsilon[p].upper) continue;
      if (effort == kLast && within(found[p], kWide)) continue;
      (effort == kLast ? wide : groups[{rung, effort + 1}]).push_back(p);
      served -= effort == kLast ? 0 : 1;
    }
    if (progress) progress(served);
  }
  for (std::size_t p = 0; p < used_.people(); ++p) epsilon[p] = max(epsilon[p], found[p]);
  return wide;
}

}  // namespace ration
