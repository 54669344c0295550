#include "ration/individual/everybody.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "ration/individual/line_table.h"
#include "ration/individual/parallel.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

constexpr int kRungs = 3;  // per octave
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

// How far an enclosure may be from the root, relative, tried in this order.
constexpr double kWidths[] = {1e-9, 1e-8, 1e-7, 4e-7};

bool sharp(const Bound& x) { return width(x) <= 1e-6 * x.upper || width(x) <= 1e-12; }

// The rung with the least Renyi bound of eps, from moments at the rungs from `first` on; rounded
// up.
struct Best {
  std::size_t rung;
  double epsilon;
};
Best best_rung(const Ladder& ladder, std::span<const double> moments, std::size_t first,
               double log_delta) {
  Best best{first, std::numeric_limits<double>::infinity()};
  for (std::size_t i = first; i < std::min(ladder.size(), first + moments.size()); ++i) {
    const double k = moments[i - first];
    const double c = ladder.conversion(i), slop = 8 * kRoundoff * (k - c - log_delta);
    const double epsilon = (k + c - log_delta + slop) / ladder.tilt(i);
    if (epsilon < best.epsilon) best = {i, epsilon};
  }
  return best;
}

// A person at work: their usage, and their moments around their rung.
struct Bench {
  Usage usage = {};
  std::size_t first = 0;
  std::array<double, Ladder::kWindow> moments = {};
  std::vector<double> all_moments = {};
};
Bench& bench() {
  static thread_local Bench mine;
  return mine;
}

// One person on one line, with what the aliases need of the ladder.
class Solver {
 public:
  Solver(const LineTable& table, const Bench& at, const Ladder& ladder, double log_delta)
      : table_(table),
        at_(at),
        ladder_(ladder),
        log_delta_(log_delta),
        chernoff_(std::max(0.0, best_rung(ladder, at.moments, at.first, log_delta).epsilon)),
        line_(table, at.usage, 0.95 * chernoff_) {}

  // A Bound of eps, as narrow as this line proves.
  Bound epsilon() const {
    const double root = estimate();
    Bound found = {.lower = 0, .upper = chernoff_};
    if (!std::isfinite(root)) return found;
    for (const double width : kWidths) {
      if (found.upper == chernoff_ && at_most(above(root, width))) found.upper = above(root, width);
      if (found.lower == 0 && at_least(below(root, width))) found.lower = below(root, width);
    }
    if (found.upper == chernoff_) found.upper = least_proved({.lower = root, .upper = chernoff_});
    if (found.lower == 0) found.lower = most_proved({.lower = 0, .upper = root});
    return found;
  }
  bool at_most(double epsilon) const { return line_.at_most(epsilon, log_delta_); }

 private:
  static double above(double x, double width) { return x * (1 + width) + 2e-13; }
  static double below(double x, double width) { return std::max(0.0, x * (1 - width) - 2e-13); }

  // The root in plain doubles. log delta is concave, so Newton's steps stay on this side.
  double estimate() const {
    double epsilon = chernoff_;
    for (int i = 0; i < 30; ++i) {
      const auto e = line_.estimate(epsilon);
      const double next = std::max(0.0, epsilon + (log_delta_ - e.log_delta) / e.slope);
      const bool done = std::abs(next - epsilon) <= 1e-13 * next;
      epsilon = next;
      if (done) break;
    }
    return epsilon;
  }
  // Where the errors hide the root: how near to it the proof still holds.
  double least_proved(Bound range) const {
    for (int i = 0; i < 12; ++i) {
      const double middle = midpoint(range);
      (at_most(middle) ? range.upper : range.lower) = middle;
    }
    return range.upper;
  }
  double most_proved(Bound range) const {
    for (int i = 0; i < 12; ++i) {
      const double middle = midpoint(range);
      (at_least(middle) ? range.lower : range.upper) = middle;
    }
    return range.lower;
  }
  bool at_least(double epsilon) const {
    return line_.at_least(epsilon, log_delta_, log_alias(epsilon));
  }

  // log of a bound of sum_{n != 0} exp(tilt x_n) delta(eps + x_n), x_n = n period: on the left
  // delta <= 1, on the right by Chernoff's bound at whichever rung further up is best.
  double log_alias(double epsilon) const {
    const double tilt = table_.shape().tilt, period = table_.shape().period * (1 - 1e-14);
    const double left = -tilt * period - std::log1p(-std::exp(-tilt * period));
    double right = std::numeric_limits<double>::infinity(), decay = 1;
    const std::size_t last = std::min(ladder_.size(), at_.first + at_.moments.size());
    for (std::size_t i = at_.first; i < last; ++i) {
      const double z = ladder_.tilt(i), further = (z - tilt) * period;
      const double k = at_.moments[i - at_.first];
      const double size = k - z * epsilon - further + 1e-14 * (k + z * epsilon + std::abs(further));
      if (further <= 0.5 || size >= right) continue;
      right = size;
      decay = further;
    }
    right -= std::log1p(-std::exp(-decay));
    return std::max(left, right) + std::log1p(std::exp(-std::abs(left - right))) + 1e-12;
  }

  const LineTable& table_;
  const Bench& at_;
  const Ladder& ladder_;
  double log_delta_, chernoff_;
  LineTable::Person line_;
};

}  // namespace

SharedLines::SharedLines(std::span<const SubsampledGaussian> columns, Direction direction,
                         Delta delta)
    : columns_(columns.begin(), columns.end()),
      direction_(direction),
      log_delta_(std::log(delta)),
      ladder_(columns, direction, kRungs) {}

// Looks for everybody's best rung, and extends the ladder while somebody stands at its end. One
// octave more above gives the aliases their further tilt.
void SharedLines::find_rungs(const Everybody& everybody) {
  rungs_.resize(everybody.people);
  const auto look = [&](std::size_t person) {
    Bench& at = bench();
    everybody.usage(person, at.usage);
    at.all_moments.resize(ladder_.room());
    ladder_.moments_up(at.usage, at.all_moments);
    rungs_[person] = at.usage.empty() ? 1 : best_rung(ladder_, at.all_moments, 0, log_delta_).rung;
  };
  in_parallel_by_dozens(everybody.people, look);
  const auto somebody_at = [&](std::size_t rung) {
    return std::find(rungs_.begin(), rungs_.end(), rung) != rungs_.end();
  };
  while (somebody_at(0) && ladder_.extend_down()) {
    for (auto& rung : rungs_) rung = rung == 0 ? kUndecided : rung + kRungs;
    in_parallel_by_dozens(everybody.people, [&](std::size_t p) {
      if (rungs_[p] == kUndecided) look(p);
    });
  }
  const auto highest = [&] { return *std::max_element(rungs_.begin(), rungs_.end()); };
  while (highest() + kRungs >= ladder_.size() && ladder_.extend_up()) {
    in_parallel_by_dozens(everybody.people, [&](std::size_t p) {
      if (rungs_[p] + kRungs >= ladder_.size() - kRungs) look(p);
    });
  }
}

// The line for a group of people: one that is there if it covers their columns, or else a new one.
const LineTable& SharedLines::line_for(const Everybody& everybody,
                                       std::span<const std::size_t> people, double best_tilt,
                                       std::size_t effort) {
  Line& line = lines_[{best_tilt, effort}];
  std::vector<unsigned char> used =
      line.table ? line.used : std::vector<unsigned char>(columns_.size());
  constexpr std::size_t kChunk = 256;
  in_parallel((people.size() + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    std::vector<unsigned char> mine(columns_.size());
    for (const std::size_t p :
         people.subspan(chunk * kChunk).first(std::min(kChunk, people.size() - chunk * kChunk))) {
      everybody.usage(p, bench().usage);
      for (const auto column : std::span(bench().usage.column).first(bench().usage.used)) {
        mine[column] = 1;
      }
    }
#pragma omp critical(ration_used)
    for (std::size_t c = 0; c < used.size(); ++c) used[c] = std::max(used[c], mine[c]);
  });
  if (line.table && used == line.used) return *line.table;
  // The other end of the rounding is going to ask for the next edges.
  for (std::size_t c = columns_.size(); c-- > 1;) {
    if (used[c - 1] != 0) used[c] = 1;
  }
  const auto& [factor, points, digits] = kEfforts[effort];
  const double tilt = factor * best_tilt;
  const LineShape shape = {.tilt = tilt, .period = (digits - log_delta_) / tilt, .points = points};
  line.table.emplace(columns_, direction_, shape, everybody.most_steps, used);
  line.used = std::move(used);
  return *line.table;
}

std::vector<std::size_t> SharedLines::raise(const Everybody& everybody, std::span<Bound> epsilon,
                                            const Progress& progress) {
  if (everybody.people == 0) return {};
  if (rungs_.size() != everybody.people) find_rungs(everybody);
  std::vector<std::vector<std::size_t>> waiting(ladder_.size());
  for (std::size_t p = 0; p < rungs_.size(); ++p) waiting[rungs_[p]].push_back(p);

  const double most = std::numeric_limits<double>::infinity();
  std::vector<Bound> found(everybody.people, {.lower = 0, .upper = most});
  std::vector<std::size_t> wide;
  std::size_t start = 0;  // efforts that served nobody on the rung before are not tried again
  for (std::size_t rung = 0; rung < waiting.size(); ++rung) {
    std::vector<std::size_t>& people = waiting[rung];
    const std::size_t group = people.size();
    std::size_t serving = std::size(kEfforts);
    for (std::size_t e = start; e < std::size(kEfforts) && !people.empty(); ++e) {
      if (e > start && !worthwhile(kEfforts[e], people.size())) break;
      const LineTable& table = line_for(everybody, people, ladder_.tilt(rung), e);
      in_parallel_by_dozens(people.size(), [&](std::size_t i) {
        const std::size_t p = people[i];
        Bench& at = bench();
        everybody.usage(p, at.usage);
        if (at.usage.empty()) {
          found[p] = exactly(0);
          return;
        }
        at.first = ladder_.window_at(rung);
        ladder_.moments_in_window(at.usage, at.first, at.moments);
        const Solver solver(table, at, ladder_, log_delta_);
        const bool idle = solver.at_most(epsilon[p].lower);  // the other direction spends more
        const Bound now = idle ? Bound{.lower = 0, .upper = epsilon[p].lower} : solver.epsilon();
        found[p] = {.lower = std::max(found[p].lower, now.lower),
                    .upper = std::min(found[p].upper, now.upper)};
      });
      std::vector<std::size_t> rest;
      for (const std::size_t p : people) {
        if (!sharp(found[p]) && found[p].upper > epsilon[p].lower) rest.push_back(p);
      }
      if (10 * rest.size() < 9 * people.size()) serving = std::min(serving, e);
      people = std::move(rest);
    }
    if (group > 0) start = serving == 0 ? 0 : serving - 1;
    wide.insert(wide.end(), people.begin(), people.end());
    if (progress && group > 0) progress(group);
  }
  for (std::size_t p = 0; p < everybody.people; ++p) epsilon[p] = max(epsilon[p], found[p]);
  return wide;
}

}  // namespace ration
