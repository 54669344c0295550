#include <fmt/format.h>

#include <vector>

#include "ration/base/error.h"
#include "ration/report/svg_parts.h"
#include "ration/report/svg_sheet.h"

namespace ration::drawing {
namespace {

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
  for (const Marker& marker : chart.markers) {
    text += fmt::format(" Marked: {} at {}.", marker.name, number_text(marker.x));
  }
  return text;
}

}  // namespace

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

}  // namespace ration::drawing
