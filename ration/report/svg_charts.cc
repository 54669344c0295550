#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ration/base/error.h"
#include "ration/report/chart.h"
#include "ration/report/svg_scale.h"
#include "ration/report/svg_sheet.h"

namespace ration::report {
namespace {

using namespace drawing;

std::string in_words(const std::vector<Marker>& markers) {
  std::string text;
  for (const Marker& marker : markers) {
    text += fmt::format(" Marked: {} at {}.", marker.name, number_text(marker.x));
  }
  return text;
}

void check(const LineChart& chart) {
  for (const Line& line : chart.lines) {
    if (line.x.size() == line.y.size()) continue;
    refuse("line '" + line.name + "'",
           fmt::format("of {} x and {} y", line.x.size(), line.y.size()), "as many x as y");
  }
}

std::size_t colour_of(const LineChart& chart, std::size_t line) {
  return chart.lines[line].colour.value_or(line);
}

std::vector<LegendEntry> legend_of(const LineChart& chart) {
  using Sample = LegendEntry::Sample;
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const Line& line = chart.lines[i];
    legend.push_back({.name = line.name,
                      .colour = colour_of(chart, i),
                      .sample = line.dashed ? Sample::dashed_line : Sample::line});
  }
  return legend;
}

// What cannot be shown interrupts the line; a point without neighbours becomes a dot.
std::string path_of(const Line& line, const Scale& x, const Scale& y) {
  std::string path;
  bool drawing = false;
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    const bool shown = x.can_show(line.x[i]) && y.can_show(line.y[i]);
    if (shown) {
      path += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", x.place(line.x[i]),
                          y.place(line.y[i]));
      if (!drawing) path += "h0";
    }
    drawing = shown;
  }
  return path;
}

// Where fewer points of the lines are.
Sheet::MarkerNames freer_names(const LineChart& chart, const Scale& y, const Range& upward) {
  constexpr double kEdge = 0.15;  // of the plot's height
  long more_at_the_top = 0;
  for (const Line& line : chart.lines) {
    for (const double value : line.y) {
      if (!y.can_show(value)) continue;
      const double height = (y.place(value) - upward.from) / (upward.to - upward.from);
      if (height > 1 - kEdge) ++more_at_the_top;
      if (height < kEdge) --more_at_the_top;
    }
  }
  return more_at_the_top > 0 ? Sheet::MarkerNames::at_the_foot : Sheet::MarkerNames::at_the_top;
}

std::string described(const LineChart& chart, const Scale& x, const Scale& y) {
  std::string text = fmt::format("Lines of {} over {}; numbers here are rounded.",
                                 chart.frame.y.title, chart.frame.x.title);
  for (const Line& line : chart.lines) {
    std::string first, last;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      if (!x.can_show(line.x[i]) || !y.can_show(line.y[i])) continue;
      last = fmt::format("{} at {}", number_text(line.y[i]), number_text(line.x[i]));
      if (first.empty()) first = last;
    }
    text += first.empty() ? fmt::format(" {}: nothing to show.", line.name)
                          : fmt::format(" {}: from {} to {}.", line.name, first, last);
  }
  return text + in_words(chart.markers);
}

std::string drawn(const LineChart& chart) {
  check(chart);
  std::vector<double> xs, ys;
  for (const Line& line : chart.lines) {
    xs.insert(xs.end(), line.x.begin(), line.x.end());
    ys.insert(ys.end(), line.y.begin(), line.y.end());
  }
  for (const Marker& marker : chart.markers) xs.push_back(marker.x);
  Sheet sheet(chart.frame, legend_of(chart));
  const Scale x(chart.frame.x, xs, sheet.across()), y(chart.frame.y, ys, sheet.upward());
  sheet.y_axis(y);
  sheet.x_axis(x);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const Line& line = chart.lines[i];
    sheet.add(colour_of(chart, i),
              fmt::format(R"(<path class="line{}" d="{}"/>)", line.dashed ? " dashed" : "",
                          path_of(line, x, y)),
              line.name);
  }
  sheet.markers(chart.markers, x, freer_names(chart, y, sheet.upward()));
  return sheet.document(described(chart, x, y));
}

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
  return text + in_words(chart.markers);
}

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

void check(const BarChart& chart) {
  for (const BarSeries& series : chart.series) {
    if (series.bars.size() == chart.categories.size()) continue;
    refuse("series '" + series.name + "'",
           fmt::format("of {} bars for {} categories", series.bars.size(), chart.categories.size()),
           "one bar for each category");
  }
}

std::string in_words(const Bar& bar) {
  std::string text = number_text(bar.value);
  if (bar.low && bar.high) {
    text += fmt::format(" ({} to {})", number_text(*bar.low), number_text(*bar.high));
  }
  return text;
}

struct Column {
  double left, width;
};

std::string shape_of(const Bar& bar, const Column& column, const Scale& y) {
  const double foot = y.place(y.base()), head = y.place(bar.value);
  return fmt::format(R"(<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)",
                     column.left, std::min(foot, head), column.width, std::abs(foot - head));
}

std::string whisker_of(const Bar& bar, const Column& column, const Scale& y) {
  const bool shown = bar.low && bar.high && y.can_show(*bar.low) && y.can_show(*bar.high);
  if (!shown) return "";
  const double middle = column.left + column.width / 2, half = std::min(6.0, column.width / 3);
  return fmt::format(
      R"(<path class="whisker" d="M{0:.1f} {1:.1f}H{2:.1f}M{3:.1f} {1:.1f}V{4:.1f}M{0:.1f} {4:.1f}H{2:.1f}"/>)",
      middle - half, y.place(*bar.low), middle + half, middle, y.place(*bar.high));
}

std::string described(const BarChart& chart) {
  std::string text = fmt::format("Bars of {}; numbers here are rounded.", chart.frame.y.title);
  for (const BarSeries& series : chart.series) {
    text += series.name.empty() ? "" : fmt::format(" {}:", series.name);
    for (std::size_t i = 0; i < series.bars.size(); ++i) {
      text += fmt::format(" {}: {}{}", chart.categories[i], in_words(series.bars[i]),
                          i + 1 < series.bars.size() ? ";" : ".");
    }
  }
  return text;
}

std::string drawn(const BarChart& chart) {
  check(chart);
  std::vector<LegendEntry> legend;
  std::vector<double> ys = {0};
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    legend.push_back(
        {.name = chart.series[i].name, .colour = i, .sample = LegendEntry::Sample::area});
    for (const Bar& bar : chart.series[i].bars) {
      for (const auto& value : {std::optional(bar.value), bar.low, bar.high}) {
        if (value) ys.push_back(*value);
      }
    }
  }
  Sheet sheet(chart.frame, legend);
  const Scale y(chart.frame.y, ys, sheet.upward());
  sheet.y_axis(y);
  sheet.x_categories(chart.categories);
  const auto [left, right] = sheet.across();
  const double slot =
      (right - left) / static_cast<double>(std::max<std::size_t>(chart.categories.size(), 1));
  const double width = std::min(
      0.8 * slot / static_cast<double>(std::max<std::size_t>(chart.series.size(), 1)), 60.0);
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    for (std::size_t c = 0; c < chart.categories.size(); ++c) {
      const Bar& bar = chart.series[s].bars[c];
      if (!y.can_show(bar.value)) continue;
      const double middle = left + (static_cast<double>(c) + 0.5) * slot;
      const double from_middle =
          static_cast<double>(s) - static_cast<double>(chart.series.size()) / 2;
      const Column column = {.left = middle + from_middle * width + 1, .width = width - 2};
      sheet.add(
          s, shape_of(bar, column, y) + whisker_of(bar, column, y),
          fmt::format("{}, {}: {}", chart.series[s].name, chart.categories[c], in_words(bar)));
    }
  }
  return sheet.document(described(chart));
}

}  // namespace

std::string svg(const Chart& chart) {
  return std::visit([](const auto& each) { return drawn(each); }, chart);
}

}  // namespace ration::report
