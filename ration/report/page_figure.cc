#include "ration/report/page_figure.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "ration/base/bound.h"
#include "ration/report/html_text.h"

namespace ration::report {
namespace {

using Json = nlohmann::ordered_json;
using Values = FigureText::Values;

std::string cell(double value, Values values) {
  if (value != value) return "–";
  return values == Values::bounds ? rounded_up(value, 4) : fmt::format("{:.4g}", value);
}

Json json(const Axis& axis) {
  Json document = {{"title", axis.title}, {"logarithmic", axis.logarithmic}};
  if (axis.from) document["from"] = *axis.from;
  if (axis.to) document["to"] = *axis.to;
  return document;
}

Json json(const std::vector<Marker>& markers) {
  Json all = Json::array();
  for (const Marker& marker : markers) all.push_back({{"name", marker.name}, {"x", marker.x}});
  return all;
}

Json series_of(const LineChart& chart) {
  Json all = Json::array();
  for (const Line& line : chart.lines) {
    const std::size_t place = all.size();
    all.push_back({{"name", line.name},
                   {"x", line.x},
                   {"y", line.y},
                   {"dashed", line.dashed},
                   {"colour", line.colour.value_or(place)}});
  }
  return all;
}

Json json(const LineChart& chart) {
  return {{"kind", "lines"}, {"series", series_of(chart)}, {"markers", json(chart.markers)}};
}

Json json(const HistogramChart& chart) {
  Json all = Json::array();
  for (const Histogram& histogram : chart.histograms) {
    all.push_back({{"name", histogram.name}, {"heights", histogram.heights}});
  }
  return {{"kind", "histogram"},
          {"edges", chart.edges},
          {"series", all},
          {"markers", json(chart.markers)}};
}

Json json(const BarChart& chart) {
  Json all = Json::array();
  for (const BarSeries& series : chart.series) {
    Json values = Json::array(), ranges = Json::array();
    for (const Bar& bar : series.bars) {
      values.push_back(bar.value);
      if (!bar.low || !bar.high) continue;
      const bool known = bar.value == bar.value;
      ranges.push_back(known ? Json{*bar.low, *bar.high} : Json(nullptr));
    }
    all.push_back({{"name", series.name}, {"values", values}, {"ranges", ranges}});
  }
  return {{"kind", "bars"},
          {"categories", chart.categories},
          {"series", all},
          {"colours", chart.colours}};
}

Json json(const PointChart& chart) {
  Json all = Json::array();
  for (const NamedPoint& point : chart.points) {
    all.push_back({{"name", point.name}, {"x", point.x}, {"y", point.y}, {"colour", point.colour}});
  }
  return {{"kind", "points"}, {"points", all}};
}

// A row for each x that any line has.
HtmlTable table_of(const LineChart& chart, Values values) {
  HtmlTable table = {.caption = chart.frame.title, .columns = {chart.frame.x.title}, .rows = {}};
  std::map<double, std::vector<std::string>> rows;
  for (std::size_t l = 0; l < chart.lines.size(); ++l) {
    const Line& line = chart.lines[l];
    table.columns.push_back(line.name);
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      auto& row = rows[line.x[i]];
      row.resize(chart.lines.size(), "–");
      row[l] = cell(line.y[i], values);
    }
  }
  for (const auto& [x, cells] : rows) {
    std::vector<std::string> row = {fmt::format("{}", x)};
    row.insert(row.end(), cells.begin(), cells.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable table_of(const HistogramChart& chart, Values) {
  HtmlTable table = {.caption = chart.frame.title, .columns = {"from", "to"}, .rows = {}};
  for (const Histogram& histogram : chart.histograms) table.columns.push_back(histogram.name);
  for (std::size_t i = 0; i + 1 < chart.edges.size(); ++i) {
    // Rounded outward: everyone who is counted lies between the numbers shown.
    std::vector<std::string> row = {rounded_down(chart.edges[i], 4),
                                    rounded_up(chart.edges[i + 1], 4)};
    for (const Histogram& histogram : chart.histograms) {
      row.push_back(fmt::format("{}", histogram.heights[i]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable table_of(const BarChart& chart, Values values) {
  HtmlTable table = {.caption = chart.frame.title, .columns = {chart.frame.x.title}, .rows = {}};
  for (const std::string& category : chart.categories) table.rows.push_back({category});
  for (const BarSeries& series : chart.series) {
    table.columns.push_back(series.name);
    for (std::size_t i = 0; i < series.bars.size(); ++i) {
      const Bar& bar = series.bars[i];
      std::string text = cell(bar.value, values);
      if (bar.low && bar.high && bar.value == bar.value) {
        text += fmt::format(" ({} to {})", cell(*bar.low, values), cell(*bar.high, values));
      }
      table.rows[i].push_back(std::move(text));
    }
  }
  return table;
}

HtmlTable table_of(const PointChart& chart, Values values) {
  HtmlTable table = {.caption = chart.frame.title,
                     .columns = {chart.what, chart.frame.x.title, chart.frame.y.title},
                     .rows = {}};
  for (const NamedPoint& point : chart.points) {
    table.rows.push_back({point.name, cell(point.x, values), cell(point.y, Values::measured)});
  }
  return table;
}

// Counts of people differ by powers of ten, and so do rates of errors that matter.
std::string zoom_button(FigureText::Zoom zoom) {
  if (zoom == FigureText::Zoom::none) return {};
  return fmt::format(
      "<button type=\"button\" class=\"toggle scale\" aria-pressed=\"false\" hidden>"
      "Logarithmic {}</button>",
      zoom == FigureText::Zoom::heights ? "counts" : "axes");
}

}  // namespace

struct PageFigures::Collected {
  Json charts = Json::array();
};

PageFigures::PageFigures() : collected_(std::make_unique<Collected>()) {}
PageFigures::~PageFigures() = default;

std::string PageFigures::add(const Chart& chart, const FigureText& text) {
  const Frame& frame = std::visit([](const auto& c) -> const Frame& { return c.frame; }, chart);
  Json document = std::visit([](const auto& c) { return json(c); }, chart);
  document["id"] = text.id;
  document["bounds"] = text.values == Values::bounds;
  document["zoom"] = text.zoom == FigureText::Zoom::both ? "both" : "y";
  document["x"] = json(frame.x);
  document["y"] = json(frame.y);
  collected_->charts.push_back(std::move(document));
  const HtmlTable table =
      std::visit([&](const auto& c) { return table_of(c, text.values); }, chart);
  return fmt::format(
      "<figure id=\"{id}\"><figcaption><h3>{title}</h3><p>{description}</p></figcaption>\n"
      "{button}<div class=\"canvas\"><canvas role=\"img\" aria-label=\"{title}. {description} The "
      "values are in the table below.\"></canvas></div>\n"
      "<details class=\"values\"><summary>Values as a table: {title}</summary>\n"
      "{table}</details></figure>\n",
      fmt::arg("id", text.id), fmt::arg("title", escaped(frame.title)),
      fmt::arg("description", escaped(text.description)),
      fmt::arg("button", zoom_button(text.zoom)), fmt::arg("table", html(table)));
}

std::string PageFigures::data() const {
  const std::string text = collected_->charts.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    // These occur only inside strings, where JSON reads the escape as the character.
    const bool read_by_html = c == '<' || c == '>' || c == '&';
    safe += read_by_html ? fmt::format("\\u{:04x}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return safe;
}

}  // namespace ration::report
