#include "ration/report/everybody_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ration/report/distribution.h"
#include "ration/report/html_text.h"

namespace ration::report {
namespace {

using results::Results;

constexpr double kBins = 60, kMostBins = 240;

double finite_or(double value, double otherwise) {
  return std::isfinite(value) ? value : otherwise;
}

// Up to the promise or beyond; and up to the worst case, unless that would squeeze everybody into a
// corner.
double top_of(const Results& results) {
  const double greatest = finite_or(results.individual->quantiles.back().upper, 0);
  const Bound* const promised = proved_promise(results);
  const double promise = promised ? finite_or(promised->upper, 0) : 0;
  const double worst = results.worst_case ? finite_or(results.worst_case->upper, 0) : 0;
  const double highest = std::max(greatest, promise);
  const double needed = highest > 1e-300 ? highest : 1;
  return worst <= 3 * needed ? std::max(needed, worst) : needed;
}

// The promise is an edge, so that nobody's bar lies across it; unless it is too small to be seen
// beside what people have spent by an approximation.
BinRange range_of(const Results& results) {
  const double top = top_of(results);
  const Bound* const promised = proved_promise(results);
  const double promise = promised ? finite_or(promised->upper, top) : top;
  const double edge = promise * kMostBins > top ? promise : top;
  const double below = std::max(1.0, std::round(kBins * (edge / top)));
  // One more, so that no marker stands on the frame.
  const double bins = std::max(below, std::ceil(top / edge * below)) + 1;
  return {.edge = edge,
          .below = static_cast<std::size_t>(below),
          .bins = static_cast<std::size_t>(bins)};
}

std::vector<Marker> markers(const Results& results, double top) {
  const Bound* const promise = proved_promise(results);
  std::vector<Marker> all;
  const auto add = [&](const char* name, const Bound* epsilon) {
    if (!epsilon || epsilon->upper > top) return;
    all.push_back({fmt::format("{} {}", name, shown_epsilon(epsilon->upper)), epsilon->upper});
  };
  const auto is_promise = [&](const std::optional<Bound>& epsilon) {
    return epsilon && promise && epsilon->upper == promise->upper;
  };
  const bool budget_is_promise = is_promise(results.budget);
  const bool worst_is_promise = results.worst_case_proved && is_promise(results.worst_case);
  add(budget_is_promise  ? "promise, the budget"
      : worst_is_promise ? "promise, the worst case"
                         : "promise",
      promise);
  if (!budget_is_promise && results.budget) add("budget", &*results.budget);
  if (!worst_is_promise && results.worst_case) {
    add(results.worst_case_proved ? "worst case" : "worst case, approximated",
        &*results.worst_case);
  }
  return all;
}

}  // namespace

const Bound* proved_promise(const Results& results) {
  const bool proved = results.epsilon && results.guarantee && results.guarantee->certified;
  return proved && !results.test_run ? &*results.epsilon : nullptr;
}

EverybodyChart everybody_chart(const Results& results) {
  const Bins bins = bins_of(results.individual->epsilons, range_of(results));
  const double top = bins.edges.back();
  HistogramChart chart{};
  chart.frame.title = "Everybody's own ε";
  chart.frame.x = {.title = "ε", .from = 0, .to = top};
  chart.frame.y.title = "people";
  chart.edges = bins.edges;
  chart.histograms.push_back(
      {.name = "people", .heights = {bins.counts.begin(), bins.counts.end()}});
  chart.markers = markers(results, top);
  return {.chart = std::move(chart), .beyond = bins.beyond};
}

}  // namespace ration::report
