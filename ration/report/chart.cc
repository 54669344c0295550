#include "ration/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ration/base/error.h"
#include "ration/report/scale.h"
#include "ration/report/sheet.h"

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
std::vector<Piece> pieces_of(const Line& line, const Scale& x, const Scale& y) {
  std::vector<Piece> pieces;
  bool drawing = false;
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    const bool shown = x.can_show(line.x[i]) && y.can_show(line.y[i]);
    if (shown && !drawing) pieces.emplace_back();
    if (shown) pieces.back().push_back({x.place(line.x[i]), y.place(line.y[i])});
    drawing = shown;
  }
  return pieces;
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

Picture drawn(const LineChart& chart) {
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
    const auto part = line.dashed ? Stroke::Part::dashed_line : Stroke::Part::line;
    sheet.add({.colour = colour_of(chart, i),
               .hint = line.name,
               .strokes = {{.part = part, .pieces = pieces_of(line, x, y)}}});
  }
  sheet.markers(chart.markers, x, freer_names(chart, y, sheet.upward()));
  return sheet.picture(described(chart, x, y));
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
std::vector<Piece> outline(const Histogram& histogram, const std::vector<double>& edges,
                           const Scale& x, const Scale& y) {
  const double foot = y.place(y.base());
  std::vector<Piece> pieces;
  bool drawing = false;
  for (std::size_t i = 0; i < histogram.heights.size(); ++i) {
    const double height = histogram.heights[i];
    const double left = x.place(edges[i]), right = x.place(edges[i + 1]);
    const bool shown = y.can_show(height) && height != y.base();
    if (shown && !drawing) pieces.push_back({{left, foot}});
    if (!shown && drawing) pieces.back().push_back({left, foot});
    if (shown) {
      pieces.back().push_back({left, y.place(height)});
      pieces.back().push_back({right, y.place(height)});
    }
    drawing = shown;
  }
  if (drawing) pieces.back().push_back({x.place(edges.back()), foot});
  return pieces;
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

Picture drawn(const HistogramChart& chart) {
  check(chart);
  std::vector<LegendEntry> legend;
  std::vector<double> xs = chart.edges, ys = {0};
  for (std::size_t i = 0; i < chart.histograms.size(); ++i) {
    const Histogram& each = chart.histograms[i];
    legend.push_back({.name = each.name, .colour = i, .sample = LegendEntry::Sample::area});
    ys.insert(ys.end(), each.heights.begin(), each.heights.end());
  }
  for (const Marker& marker : chart.markers) xs.push_back(marker.x);
  // A line of room for each marker's name above the bars.
  const double highest = *std::max_element(ys.begin(), ys.end());
  ys.push_back(highest * (1 + 0.1 * static_cast<double>(chart.markers.size())));
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
    const std::vector<Piece> pieces = outline(each, chart.edges, x, y);
    sheet.add({.colour = i,
               .hint = each.name,
               .areas = {{.pieces = pieces}},
               .strokes = {{.part = Stroke::Part::outline, .pieces = pieces}}});
  }
  sheet.markers(chart.markers, x);
  return sheet.picture(described(chart));
}

void check(const BarChart& chart) {
  for (const BarSeries& series : chart.series) {
    if (series.bars.size() == chart.categories.size()) continue;
    refuse("series '" + series.name + "'",
           fmt::format("of {} bars for {} categories", series.bars.size(), chart.categories.size()),
           "one bar for each category");
  }
  if (!chart.colours.empty() && chart.colours.size() != chart.categories.size()) {
    refuse("list of colours",
           fmt::format("of {} for {} categories", chart.colours.size(), chart.categories.size()),
           "one for each category, or none");
  }
}

// Where categories have the colours, series differ by how strong these are.
bool is_faint(const BarChart& chart, std::size_t series) {
  return !chart.colours.empty() && series % 2 == 1;
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

Box box_of(const Bar& bar, const Column& column, const Scale& y, Box::Part part) {
  const double foot = y.place(y.base()), head = y.place(bar.value);
  return {.part = part,
          .corner = {column.left, std::min(foot, head)},
          .width = column.width,
          .height = std::abs(foot - head)};
}

std::optional<Stroke> whisker_of(const Bar& bar, const Column& column, const Scale& y) {
  const bool shown = bar.low && bar.high && y.can_show(*bar.low) && y.can_show(*bar.high);
  if (!shown) return std::nullopt;
  const double middle = column.left + column.width / 2, half = std::min(6.0, column.width / 3);
  const double low = y.place(*bar.low), high = y.place(*bar.high);
  return Stroke{.part = Stroke::Part::whisker,
                .pieces = {{{middle - half, low}, {middle + half, low}},
                           {{middle, low}, {middle, high}},
                           {{middle - half, high}, {middle + half, high}}}};
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

Picture drawn(const BarChart& chart) {
  check(chart);
  std::vector<LegendEntry> legend;
  std::vector<double> ys = {0};
  constexpr std::size_t kGrey = 5;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    legend.push_back({.name = chart.series[i].name,
                      .colour = chart.colours.empty() ? i : kGrey,
                      .sample = is_faint(chart, i) ? LegendEntry::Sample::faint_area
                                                   : LegendEntry::Sample::area});
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
      Marks marks = {.colour = chart.colours.empty() ? s : chart.colours[c],
                     .hint = fmt::format("{}, {}: {}", chart.series[s].name, chart.categories[c],
                                         in_words(bar)),
                     .boxes = {box_of(bar, column, y,
                                      is_faint(chart, s) ? Box::Part::faint_bar : Box::Part::bar)}};
      if (auto whisker = whisker_of(bar, column, y)) marks.strokes.push_back(*std::move(whisker));
      sheet.add(std::move(marks));
    }
  }
  return sheet.picture(described(chart));
}

std::string described(const PointChart& chart) {
  std::string text = fmt::format("Points of {} over {}; numbers here are rounded.",
                                 chart.frame.y.title, chart.frame.x.title);
  for (const NamedPoint& point : chart.points) {
    text += fmt::format(" {}: {} at {}.", point.name, number_text(point.y), number_text(point.x));
  }
  return text;
}

Picture drawn(const PointChart& chart) {
  std::vector<double> xs, ys;
  for (const NamedPoint& point : chart.points) {
    xs.push_back(point.x);
    ys.push_back(point.y);
  }
  Sheet sheet(chart.frame, {});
  const Scale x(chart.frame.x, xs, sheet.across()), y(chart.frame.y, ys, sheet.upward());
  sheet.y_axis(y);
  sheet.x_axis(x);
  std::vector<Sheet::Named> named;
  for (const NamedPoint& point : chart.points) {
    if (!x.can_show(point.x) || !y.can_show(point.y)) continue;
    const Place at = {x.place(point.x), y.place(point.y)};
    sheet.add({.colour = point.colour, .hint = point.name, .dots = {{.middle = at}}});
    named.push_back({point.name, at});
  }
  sheet.names(named);
  return sheet.picture(described(chart));
}

Picture picture_of(const Chart& chart) {
  return std::visit([](const auto& each) { return drawn(each); }, chart);
}

}  // namespace

std::string svg(const Chart& chart) { return svg_of(picture_of(chart)); }
std::string pdf(const Chart& chart) { return pdf_of(picture_of(chart)); }

}  // namespace ration::report
