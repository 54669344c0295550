#include "ration/report/svg_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string_view>

#include "ration/report/html_text.h"

namespace ration::report::drawing {
namespace {

constexpr double kWidth = 720, kLeft = 72, kRight = 700, kHeight = 300;
constexpr double kTitleSize = 17, kTextSize = 14, kLine = 19;

struct Colour {
  std::string_view on_light, on_dark;
};
// After Okabe and Ito, told apart with any kind of colour vision; darker on light paper and lighter
// on dark paper, so that each has a contrast of 3 to 1 or more.
constexpr std::array<Colour, 8> kColours = {{{"#0072b2", "#56b4e9"},
                                             {"#d55e00", "#f58a42"},
                                             {"#00855f", "#2ec79b"},
                                             {"#b0457f", "#e59ac6"},
                                             {"#9a6a00", "#f0c24a"},
                                             {"#505861", "#c3c9d0"},
                                             {"#6a4fb3", "#b7a3f0"},
                                             {"#8a5a2b", "#d3a67a"}}};

// The same in every chart, so that several in one page do not disturb each other.
std::string style_sheet() {
  std::string light, dark;
  for (std::size_t i = 0; i < kColours.size(); ++i) {
    light += fmt::format(".ration-chart .{}{{color:{}}}", colour_class(i), kColours[i].on_light);
    dark += fmt::format(".ration-chart .{}{{color:{}}}", colour_class(i), kColours[i].on_dark);
  }
  return fmt::format(
      ".ration-chart{{font:{0}px system-ui,sans-serif;max-width:100%;height:auto}}"
      ".ration-chart .paper{{fill:#fff}}"
      ".ration-chart text{{fill:#1f2328}}"
      ".ration-chart .heading{{font-size:{1}px;font-weight:600}}"
      ".ration-chart .number{{font-variant-numeric:tabular-nums}}"
      ".ration-chart .middle{{text-anchor:middle}}.ration-chart .end{{text-anchor:end}}"
      ".ration-chart .grid{{stroke:#d8dce1;stroke-width:1}}"
      ".ration-chart .axis{{stroke:#59636e;stroke-width:1.2}}"
      ".ration-chart .mark{{stroke:#59636e;stroke-width:1.4;stroke-dasharray:2 4}}"
      ".ration-chart .halo{{stroke:#fff;stroke-width:4;stroke-linejoin:round;paint-order:stroke}}"
      ".ration-chart .line{{fill:none;stroke:currentColor;stroke-width:2.4;"
      "stroke-linejoin:round;stroke-linecap:round}}"
      ".ration-chart .outline{{stroke-linecap:butt}}"
      ".ration-chart .dashed{{stroke-dasharray:7 6}}"
      ".ration-chart .area{{fill:currentColor;fill-opacity:.22;stroke:none}}"
      ".ration-chart .bar{{fill:currentColor;fill-opacity:.72}}"
      ".ration-chart .whisker{{fill:none;stroke:#1f2328;stroke-width:1.6}}{2}"
      "@media screen and (prefers-color-scheme:dark){{"
      ".ration-chart .paper{{fill:#161b22}}.ration-chart text{{fill:#e6edf3}}"
      ".ration-chart .grid{{stroke:#323a44}}"
      ".ration-chart .axis,.ration-chart .mark{{stroke:#9aa4af}}"
      ".ration-chart .halo{{stroke:#161b22}}.ration-chart .whisker{{stroke:#e6edf3}}{3}}}",
      kTextSize, kTitleSize, light, dark);
}

// Charts that differ have names that differ, and a chart has the same one each time (FNV-1a).
std::uint64_t name_of(std::string_view content) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string sample_of(LegendEntry::Sample sample, double x, double y) {
  if (sample == LegendEntry::Sample::area) {
    return fmt::format(R"(<rect class="bar" x="{:.1f}" y="{:.1f}" width="14" height="12" rx="2"/>)",
                       x + 8, y - 11);
  }
  const bool dashed = sample == LegendEntry::Sample::dashed_line;
  return fmt::format(R"(<path class="line{}" d="M{:.1f} {:.1f}h22"/>)", dashed ? " dashed" : "", x,
                     y - 5);
}

}  // namespace

std::string colour_class(std::size_t colour) {
  return fmt::format("colour{}", colour % kColours.size());
}

// Letters of a plain typeface are a good half as wide as they are high.
double text_width(const std::string& text, double size) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  });
  return 0.56 * size * static_cast<double>(letters);
}

std::vector<std::string> lines_of(const std::string& text, double width, double size) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.empty() && text_width(lines.back() + " " + word, size) <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

Sheet::Sheet(const Frame& frame, const std::vector<LegendEntry>& legend) : frame_(frame) {
  constexpr double kMargin = 16, kSample = 30, kGap = 22;
  double y = 30;
  for (const std::string& line : lines_of(frame.title, kWidth - 2 * kMargin, kTitleSize)) {
    text(kMargin, y, "heading", line);
    y += 23;
  }
  double x = kMargin;
  y += 3;
  for (const LegendEntry& entry : legend) {
    const double width = kSample + text_width(entry.name, kTextSize) + kGap;
    if (x > kMargin && x + width > kWidth) {
      x = kMargin;
      y += kLine + 3;
    }
    body_ += fmt::format(R"(<g class="{}">{}</g>)", colour_class(entry.colour),
                         sample_of(entry.sample, x, y));
    text(x + kSample, y, "", entry.name);
    x += width;
  }
  if (!legend.empty()) y += kLine + 12;
  text(kMargin, y, "", frame.y.title);
  top_ = y + 14;
}

Range Sheet::across() const { return {kLeft, kRight}; }
Range Sheet::upward() const { return {top_ + kHeight, top_}; }

void Sheet::text(double x, double y, const char* classes, const std::string& content) {
  body_ += fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>)", classes, x, y,
                       escaped(content));
}

void Sheet::y_axis(const Scale& scale) {
  for (const Tick& tick : scale.ticks()) {
    const double y = scale.place(tick.value);
    body_ += fmt::format(R"(<path class="{}" d="M{} {:.1f}H{}"/>)",
                         tick.value == 0 ? "axis" : "grid", kLeft, y, kRight);
    text(kLeft - 8, y + 5, "number end", tick.label);
  }
}

void Sheet::x_axis(const Scale& scale) {
  const double bottom = upward().from;
  for (const Tick& tick : scale.ticks()) {
    const double x = scale.place(tick.value);
    body_ += fmt::format(R"(<path class="axis" d="M{:.1f} {:.1f}v6"/>)", x, bottom);
    text(x, bottom + 22, "number middle", tick.label);
  }
  foot_ = bottom + 22;
}

void Sheet::x_categories(const std::vector<std::string>& categories) {
  const double bottom = upward().from;
  const double slot =
      (kRight - kLeft) / static_cast<double>(std::max<std::size_t>(categories.size(), 1));
  foot_ = bottom;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    double y = bottom;
    for (const std::string& line : lines_of(categories[i], slot - 6, kTextSize)) {
      text(kLeft + (static_cast<double>(i) + 0.5) * slot, y += kLine, "middle", line);
    }
    foot_ = std::max(foot_, y);
  }
}

void Sheet::add(std::size_t colour, const std::string& shapes, const std::string& hint) {
  plot_ += fmt::format(R"(<g class="{}"><title>{}</title>{}</g>)", colour_class(colour),
                       escaped(hint), shapes);
}

// A text that would lie on the one before it goes one line down.
void Sheet::markers(const std::vector<Marker>& markers, const Scale& x, MarkerNames names) {
  const bool at_the_top = names == MarkerNames::at_the_top;
  double y = at_the_top ? top_ + 16 : top_ + kHeight - 10;
  for (const Marker& marker : markers) {
    if (!x.can_show(marker.x)) continue;
    const double place = x.place(marker.x);
    if (place < kLeft || place > kRight) continue;
    plot_ += fmt::format(R"(<path class="mark" d="M{:.1f} {:.1f}V{:.1f}"/>)", place, top_,
                         top_ + kHeight);
    const bool leftward = place > (kLeft + kRight) / 2;  // where there is more room
    plot_ +=
        fmt::format(R"(<text class="halo{}" x="{:.1f}" y="{:.1f}">{}</text>)",
                    leftward ? " end" : "", place + (leftward ? -7 : 7), y, escaped(marker.name));
    y += at_the_top ? kLine : -kLine;
  }
}

std::string Sheet::document(const std::string& described) const {
  const double bottom = upward().from, title_foot = foot_ + 26, height = title_foot + 14;
  const std::string id = fmt::format("chart-{:016x}", name_of(frame_.title + described + plot_));
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="ration-chart" viewBox="0 0 {0} {1:.0f}" )"
      R"(role="img" aria-labelledby="{2}-title {2}-text"><title id="{2}-title">{3}</title>)"
      R"(<desc id="{2}-text">{4}</desc><style>{5}</style>)"
      R"(<rect class="paper" width="{0}" height="{1:.0f}" rx="6"/>{6})",
      kWidth, height, id, escaped(frame_.title), escaped(described), style_sheet(), body_);
  // Lines that run along an edge of the plot keep their width.
  out += fmt::format(
      R"(<clipPath id="{0}-plot"><rect x="{1}" y="{2:.1f}" width="{3}" height="{4}"/></clipPath>)"
      R"--(<g clip-path="url(#{0}-plot)">{5}</g>)--",
      id, kLeft - 2, top_ - 2, kRight - kLeft + 4, kHeight + 4, plot_);
  return out + fmt::format(R"(<path class="axis" d="M{0} {1:.1f}H{2}"/>)"
                           R"(<text class="middle" x="{3}" y="{4:.1f}">{5}</text></svg>)"
                           "\n",
                           kLeft, bottom, kRight, (kLeft + kRight) / 2, title_foot,
                           escaped(frame_.x.title));
}

}  // namespace ration::report::drawing
