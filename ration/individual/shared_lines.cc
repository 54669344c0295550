#include "ration/individual/shared_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ration/base/people.h"
#include "ration/individual/line_table.h"

namespace ration {
namespace {

constexpr int kRungsAnOctave = 3;
constexpr std::size_t kUndecided = std::numeric_limits<std::size_t>::max();

// Ever longer and denser lines for those whom the shorter ones do not serve. They lie to the left
// of the best tilt, so that Chernoff's bound near it covers the aliases on the right.
struct Effort {
  double tilt;  // relative to the best one
  int points;
  double digits;  // aliases on the left are below exp(-digits) of delta
};
constexpr Effort kEfforts[] = {{0.55, 32, 19}, {0.5, 64, 24}, {0.4, 160, 28}, {0.3, 500, 34}};

// A long line takes seconds to build, which a few people are not worth.
constexpr int kMostPointsForFew = 160;
bool worthwhile(const Effort& effort, std::size_t people) {
  return effort.points <= kMostPointsForFew || people >= 50;
}

bool sharp(const Bound& x) { return width(x) <= 1e-6 * x.upper || width(x) <= 1e-12; }

// A person at work: their usage, and their moments around their rung, or at all rungs.
struct Bench {
  Usage usage = {};
  MomentWindow window = {};
  std::vector<double> all_moments = {};
};
Bench& bench() {
  static thread_local Bench mine;
  return mine;
}

}  // namespace

SharedLines::SharedLines(const UsedMechanisms& used, Direction direction, Delta delta)
    : used_(used),
      direction_(direction),
      log_delta_(std::log(delta)),
      ladder_(used.mechanisms(), direction, kRungsAnOctave) {}

// Looks for everybody's best rung, and extends the ladder while somebody stands at its end. One
// octave more above gives the aliases their further tilt.
void SharedLines::find_rungs(Rounding rounding) {
  rungs_.resize(used_.people());
  const auto look = [&](std::size_t person) {
    Bench& at = bench();
    used_.usage(person, rounding, at.usage);
    at.all_moments.resize(ladder_.room());
    ladder_.moments_up(at.usage, at.all_moments);
    rungs_[person] = at.usage.empty() ? 1 : best_rung(ladder_, at.all_moments, 0, log_delta_).rung;
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

// Which mechanisms the people of each rung use, at either end of the rounding.
void SharedLines::find_needed(Rounding rounding) {
  const std::size_t mechanisms = used_.mechanisms().size();
  needed_.assign(ladder_.size(), std::vector<unsigned char>(mechanisms));
  constexpr std::size_t kChunk = 1024;
  in_parallel((used_.people() + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    std::vector<std::vector<unsigned char>> mine(ladder_.size());
    const std::size_t end = std::min(used_.people(), (chunk + 1) * kChunk);
    for (std::size_t p = chunk * kChunk; p < end; ++p) {
      Usage& usage = bench().usage;
      used_.usage(p, rounding, usage);
      mine[rungs_[p]].resize(mechanisms);
      for (std::size_t i = 0; i < usage.used; ++i) mine[rungs_[p]][usage.mechanism[i]] = 1;
    }
#pragma omp critical(ration_needed)
    for (std::size_t rung = 0; rung < mine.size(); ++rung) {
      for (std::size_t c = 0; c < mine[rung].size(); ++c) {
        if (mine[rung][c] == 0) continue;
        needed_[rung][c] = 1;
        if (c + 1 < mechanisms) needed_[rung][c + 1] = 1;
      }
    }
  });
}

const LineTable& SharedLines::line_at(std::size_t rung, std::size_t effort) {
  const auto found = lines_.find({rung, effort});
  if (found != lines_.end()) return found->second;
  const auto& [factor, points, digits] = kEfforts[effort];
  const double tilt = factor * ladder_.tilt(rung);
  const LineShape shape = {.tilt = tilt, .period = (digits - log_delta_) / tilt, .points = points};
  return lines_
      .emplace(std::pair(rung, effort),
               LineTable(used_.mechanisms(), direction_, shape, used_.steps(), needed_[rung]))
      .first->second;
}

// Serves the people of one rung by one line after the other; returns those who are left. `start` is
// the effort to begin with, and becomes the one for the next rung: efforts that serve almost nobody
// are not tried again.
std::vector<std::size_t> SharedLines::serve(std::size_t rung, std::vector<std::size_t> people,
                                            Rounding rounding, std::span<const Bound> known,
                                            std::span<Bound> found, std::size_t& start) {
  std::size_t serving = std::size(kEfforts);
  for (std::size_t e = start; e < std::size(kEfforts) && !people.empty(); ++e) {
    if (e > start && !worthwhile(kEfforts[e], people.size())) break;
    const LineTable& table = line_at(rung, e);
    in_parallel_by_dozens(people.size(), [&](std::size_t i) {
      const std::size_t p = people[i];
      const Bound now = on_line(table, rung, p, rounding, known[p]);
      found[p] = intersect(found[p], now);
    });
    std::vector<std::size_t> rest;
    for (const std::size_t p : people) {
      if (!sharp(found[p]) && found[p].upper > known[p].lower) rest.push_back(p);
    }
    if (10 * rest.size() < 9 * people.size()) serving = std::min(serving, e);
    people = std::move(rest);
  }
  start = serving == 0 ? 0 : serving - 1;
  return people;
}

// One person's eps, or, where the other direction is known to spend more, that it is not larger.
Bound SharedLines::on_line(const LineTable& table, std::size_t rung, std::size_t person,
                           Rounding rounding, const Bound& known) const {
  auto& [usage, window, all_moments] = bench();
  used_.usage(person, rounding, usage);
  if (usage.empty()) return exactly(0);
  window.first = ladder_.window_at(rung);
  ladder_.moments_in_window(usage, window.first, window.moments);
  const LineSolver solver(table, usage, ladder_, window, log_delta_);
  if (solver.at_most(known.lower)) return {.lower = 0, .upper = known.lower};
  return solver.epsilon();
}

std::vector<std::size_t> SharedLines::raise(Rounding rounding, std::span<Bound> epsilon,
                                            const Progress& progress) {
  if (used_.people() == 0) return {};
  if (rungs_.empty()) {
    find_rungs(rounding);
    find_needed(rounding);
  }
  std::vector<std::vector<std::size_t>> groups(ladder_.size());
  for (std::size_t p = 0; p < rungs_.size(); ++p) groups[rungs_[p]].push_back(p);

  const double most = std::numeric_limits<double>::infinity();
  std::vector<Bound> found(used_.people(), {.lower = 0, .upper = most});
  std::vector<std::size_t> wide;
  std::size_t start = 0;
  for (std::size_t rung = 0; rung < groups.size(); ++rung) {
    const std::size_t size = groups[rung].size();
    if (size == 0) continue;
    const auto left = serve(rung, std::move(groups[rung]), rounding, epsilon, found, start);
    wide.insert(wide.end(), left.begin(), left.end());
    if (progress) progress(size);
  }
  for (std::size_t p = 0; p < used_.people(); ++p) epsilon[p] = max(epsilon[p], found[p]);
  return wide;
}

}  // namespace ration
