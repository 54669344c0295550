#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "ration/base/error.h"
#include "ration/report/svg_parts.h"
#include "ration/report/svg_sheet.h"

namespace ration::drawing {
namespace {

void check(const HistogramChart& chart) {
  for (const Histogram& histogram : chart.histograms) {
    if (histogram.heights.size() + 1 == chart.edges.size()) continue;
    refuse("histogram '" + histogram.name + "'",
           fmt::format("of {} heights for {} edges", histogram.heights.size(), chart.edges.size()),
           "one height less than there are edges");
  }
  const auto& edges = chart.edges;
  if (std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) != edges.end()) {
    refuse("edges of a histogram", "not in order", "edges that rise");
  }
}

// The outline of what is in the bins; empty ones have none.
std::string outline(const Histogram& histogram, const std::vector<double>& edges, const Scale& x,
                    const Scale& y) {
  const double foot = y.place(y.base());
  std::string path = fmt::format("M{:.1f} {:.1f}", x.place(edges.front()), foot);
  for (std::size_t i = 0; i < histogram.heights.size(); ++i) {
    const double height = histogram.heights[i], right = x.place(edges[i + 1]);
    if (y.can_show(height) && height != y.base()) {
      path += fmt::format("V{:.1f}H{:.1f}", y.place(height), right);
    } else {
      path += fmt::format("V{0:.1f}M{1:.1f} {0:.1f}", foot, right);
    }
  }
  return path + fmt::format("V{:.1f}", foot);
}

std::string described(const HistogramChart& chart) {
  std::string text = fmt::format("Histograms of {}; heights are {}; numbers here are rounded.",
                                 chart.frame.x.title, chart.frame.y.title);
  for (const Histogram& histogram : chart.histograms) {
    const auto& heights = histogram.heights;
    if (heights.empty()) continue;
    const auto highest = std::max_element(heights.begin(), heights.end());
    const auto bin = static_cast<std::size_t>(highest - heights.begin());
    text += fmt::format(" {}: highest from {} to {}, with {}.", histogram.name,
                        number_text(chart.edges[bin]), number_text(chart.edges[bin + 1]),
                        number_text(*highest));
  }
  for (const Marker& marker : chart.markers) {
    text += fmt::format(" Marked: {} at {}.", marker.name, number_text(marker.x));
  }
  return text;
}

}  // namespace

std::string drawn(const HistogramChart& chart) {
  check(chart);
  std::vector<LegendEntry> legend;
  std::vector<double> xs = chart.edges, ys = {0};
  for (std::size_t i = 0; i < chart.histograms.size(); ++i) {
    const Histogram& each = chart.histograms[i];
    legend.push_back({.name = each.name, .colour = i, .sample = LegendEntry::Sample::area});
    ys.insert(ys.end(), each.heights.begin(), each.heights.end());
  }
  for (const Marker& marker : chart.markers) xs.push_back(marker.x);
  Sheet sheet(chart.frame, legend);
  const Scale x(chart.frame.x, xs, sheet.across()), y(chart.frame.y, ys, sheet.upward());
  for (const double edge : chart.edges) {
    if (!x.can_show(edge)) refuse("edge of a histogram", edge, "what its axis can show");
  }
  sheet.y_axis(y);
  sheet.x_axis(x);
  for (std::size_t i = 0; i < chart.histograms.size(); ++i) {
    const Histogram& each = chart.histograms[i];
    if (each.heights.empty()) continue;
    const std::string path = outline(each, chart.edges, x, y);
    sheet.add(
        i, fmt::format(R"(<path class="area" d="{0}"/><path class="line outline" d="{0}"/>)", path),
        each.name);
  }
  sheet.markers(chart.markers, x);
  return sheet.document(described(chart));
}

}  // namespace ration::drawing
