#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ration/base/error.h"
#include "ration/report/svg_parts.h"
#include "ration/report/svg_sheet.h"

namespace ration::drawing {
namespace {

void check(const BarChart& chart) {
  for (const BarSeries& series : chart.series) {
    if (series.bars.size() == chart.categories.size()) continue;
    refuse("series '" + series.name + "'",
           fmt::format("of {} bars for {} categories", series.bars.size(), chart.categories.size()),
           "one bar for each category");
  }
}

std::string words_of(const Bar& bar) {
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
      text += fmt::format(" {}: {}{}", chart.categories[i], words_of(series.bars[i]),
                          i + 1 < series.bars.size() ? ";" : ".");
    }
  }
  return text;
}

}  // namespace

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
          fmt::format("{}, {}: {}", chart.series[s].name, chart.categories[c], words_of(bar)));
    }
  }
  return sheet.document(described(chart));
}

}  // namespace ration::drawing
