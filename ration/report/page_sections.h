// The sections of a report page. Each is HTML, or empty if the results say nothing about it or the
// page's readers may not see it. Inside this folder only. Pure functions, but for the figures that
// they add.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ration/report/attack.h"
#include "ration/report/everybody_chart.h"
#include "ration/report/page.h"
#include "ration/report/page_figure.h"

namespace ration::report {

struct PageInput {
  const Results& results;
  const PageOptions& options;
  PageFigures& figures;

  // Nothing on a page for the public, whatever the results hold: sections see private values only
  // through these.
  const IndividualResults* individual() const {
    return options.for_the_public || !results.individual ? nullptr : &*results.individual;
  }
  std::span<const double> train_losses(const ResultsMoment& at) const {
    return unless_public(at.train_loss);
  }
  std::span<const double> mean_epsilons(const ResultsMoment& at) const {
    return unless_public(at.mean_epsilon);
  }
  std::span<const std::uint64_t> active(const ResultsMoment& at) const {
    return unless_public(at.active);
  }
  // How often the most frequent label of the test people would be right. It counts single people's
  // labels, and no model or noise stands before them.
  std::optional<double> majority() const {
    if (options.for_the_public || !results.test) return std::nullopt;
    return results.test->majority;
  }
  const Bound* promise() const { return proved_promise(results); }
  template <class Value>
  std::span<const Value> unless_public(const std::vector<Value>& values) const {
    return options.for_the_public ? std::span<const Value>() : values;
  }
};

inline bool is_run(const Results& results) { return results.kind == Results::Kind::run; }
// Of results that promise something.
inline Attacked attacked(const Results& results) {
  return {.epsilon = results.epsilon->upper, .delta = *results.delta, .gaussian = results.gaussian};
}

std::string banner(const PageInput& page);
std::string guarantee_section(const PageInput& page);
std::string attack_section(PageInput& page);
std::string people_section(PageInput& page);
std::string groups_section(PageInput& page);
std::string time_section(PageInput& page);
std::string person_section(PageInput& page);

// On a page for the public, groups with fewer test people than this are left out: their losses
// would be those of a few people, and their label might belong to one. If fewer than this are left
// out in all, the smallest other group goes too: otherwise what is missing could be worked out from
// the rest and from the overall mean.
inline constexpr std::uint64_t kLeastShown = 10;
std::vector<std::size_t> groups_shown(const PageInput& page);
// The first of them that a chart has room for; where that may be seen, the largest ones.
std::vector<std::size_t> largest_groups(const PageInput& page, std::size_t most);

// Colours that mean the same in every chart of a page.
inline constexpr std::size_t kEverybodysColour = 0, kPromisesColour = 7;
// Of each group; those that are drawn over time have different ones.
inline constexpr std::size_t kOverTime = 5;
std::vector<std::size_t> group_colours(const PageInput& page);

// What a chart draws of many points: at most 500 of them, evenly, the first and the last included.
inline constexpr std::size_t kMostPoints = 500;
// What a chart does not draw.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
template <class Point>
std::vector<Point> points_to_draw(const std::vector<Point>& points) {
  if (points.size() <= kMostPoints) return points;
  std::vector<Point> kept;
  for (std::size_t i = 0; i < kMostPoints; ++i) {
    kept.push_back(points[i * (points.size() - 1) / (kMostPoints - 1)]);
  }
  return kept;
}

}  // namespace ration::report
