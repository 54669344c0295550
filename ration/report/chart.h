// A chart as plain data, and as a picture: SVG or PDF. Values; pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ration::report {

struct Axis {
  std::string title;
  bool logarithmic = false;
  std::optional<double> from = {}, to = {};  // by default what the data need, rounded outward
};

// What is common to all charts.
struct Frame {
  std::string title;
  Axis x, y;
};

// A curve. Points that are not finite (or not positive on a logarithmic axis) leave a gap.
struct Line {
  std::string name;
  std::vector<double> x, y;
  bool dashed = false;
  std::optional<std::size_t> colour = {};  // by default its place; equal ones belong together
};
// A vertical line across the chart, such as the epoch from which people can be left out.
struct Marker {
  std::string name;
  double x;
};
struct LineChart {
  Frame frame;
  std::vector<Line> lines;
  std::vector<Marker> markers = {};
};

// How many lie in each bin, or what share of them. All histograms of a chart have the same edges.
struct Histogram {
  std::string name;
  std::vector<double> heights;
};
struct HistogramChart {
  Frame frame;
  std::vector<double> edges;  // one more than there are heights
  std::vector<Histogram> histograms;
  std::vector<Marker> markers = {};
};

// A value for each category, side by side, with an interval if it has one.
struct Bar {
  double value;
  std::optional<double> low = {}, high = {};
};
struct BarSeries {
  std::string name;
  std::vector<Bar> bars;  // one for each category
};
struct BarChart {
  Frame frame;  // the x axis has only a title
  std::vector<std::string> categories;
  std::vector<BarSeries> series;
  // Of each category, where they have colours of their own; by default each series has one.
  std::vector<std::size_t> colours = {};
};

// Named points, such as groups by what they spent and how well the model does for them.
struct NamedPoint {
  std::string name;
  double x, y;
  std::size_t colour = 0;
};
struct PointChart {
  Frame frame;
  std::string what;  // the points are: "group"
  std::vector<NamedPoint> points;
};

using Chart = std::variant<LineChart, HistogramChart, BarChart, PointChart>;

// A picture that stands by itself and is readable on light and on dark paper: a whole SVG document
// with a title and a description for anyone who cannot see it. Refuses lists of unlike lengths.
std::string svg(const Chart& chart);
// The same on light paper, as a page of its own that needs no font but what every reader has.
std::string pdf(const Chart& chart);

}  // namespace ration::report
