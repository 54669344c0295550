#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "ration/report/html_text.h"
#include "ration/report/picture.h"

namespace ration::report::drawing {
namespace {

std::string colour_class(std::size_t colour) {
  return fmt::format("colour{}", colour % kColours.size());
}

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
      ".ration-chart .bar,.ration-chart .dot{{fill:currentColor;fill-opacity:.72}}"
      ".ration-chart .faint{{fill-opacity:.32}}"
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

std::string path_of(const Piece& piece) {
  std::string path = fmt::format("M{:.1f} {:.1f}", piece.front().x, piece.front().y);
  if (piece.size() == 1) path += "h0";  // with round ends it is a dot
  for (std::size_t i = 1; i < piece.size(); ++i) {
    const Place &from = piece[i - 1], &to = piece[i];
    if (from.x == to.x) {
      path += fmt::format("V{:.1f}", to.y);
    } else if (from.y == to.y) {
      path += fmt::format("H{:.1f}", to.x);
    } else {
      path += fmt::format("L{:.1f} {:.1f}", to.x, to.y);
    }
  }
  return path;
}

std::string path_of(const std::vector<Piece>& pieces) {
  std::string path;
  for (const Piece& piece : pieces) path += path_of(piece);
  return path;
}

std::string_view class_of(Stroke::Part part) {
  switch (part) {
    case Stroke::Part::grid:
      return "grid";
    case Stroke::Part::axis:
      return "axis";
    case Stroke::Part::mark:
      return "mark";
    case Stroke::Part::line:
      return "line";
    case Stroke::Part::dashed_line:
      return "line dashed";
    case Stroke::Part::outline:
      return "line outline";
    case Stroke::Part::whisker:
      return "whisker";
  }
  return {};
}

std::string class_of(const Text& text) {
  std::string classes = text.part == Text::Part::heading  ? "heading"
                        : text.part == Text::Part::number ? "number"
                        : text.part == Text::Part::marked ? "halo"
                                                          : "";
  if (text.from == Text::From::middle) classes += classes.empty() ? "middle" : " middle";
  if (text.from == Text::From::end) classes += classes.empty() ? "end" : " end";
  return classes;
}

std::string written(const Stroke& stroke) {
  return fmt::format(R"(<path class="{}" d="{}"/>)", class_of(stroke.part), path_of(stroke.pieces));
}
std::string written(const Area& area) {
  return fmt::format(R"(<path class="area" d="{}"/>)", path_of(area.pieces));
}
std::string written(const Box& box) {
  const bool sample = box.part == Box::Part::sample || box.part == Box::Part::faint_sample;
  const bool faint = box.part == Box::Part::faint_bar || box.part == Box::Part::faint_sample;
  return fmt::format(
      R"(<rect class="bar{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"{}/>)",
      faint ? " faint" : "", box.corner.x, box.corner.y, box.width, box.height,
      sample ? R"( rx="2")" : "");
}
std::string written(const Dot& dot) {
  return fmt::format(R"(<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="5"/>)", dot.middle.x,
                     dot.middle.y);
}
std::string written(const Text& text) {
  return fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>)", class_of(text),
                     text.at.x, text.at.y, escaped(text.content));
}

std::string written(const std::vector<Marks>& all) {
  std::string text;
  for (const Marks& marks : all) {
    text += fmt::format(R"(<g class="{}">)", colour_class(marks.colour));
    if (!marks.hint.empty()) text += fmt::format("<title>{}</title>", escaped(marks.hint));
    for_each_mark(marks, [&](const auto& mark) { text += written(mark); });
    text += "</g>";
  }
  return text;
}

}  // namespace

std::string svg_of(const Picture& picture) {
  const std::string inside = written(picture.inside);
  const std::string id =
      fmt::format("chart-{:016x}", name_of(picture.title + picture.described + inside));
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="ration-chart" viewBox="0 0 {0} {1:.0f}" )"
      R"(role="img" aria-labelledby="{2}-title {2}-text"><title id="{2}-title">{3}</title>)"
      R"(<desc id="{2}-text">{4}</desc><style>{5}</style>)"
      R"(<rect class="paper" width="{0}" height="{1:.0f}" rx="6"/>{6})",
      picture.width, picture.height, id, escaped(picture.title), escaped(picture.described),
      style_sheet(), written(picture.behind));
  const Box& plot = picture.plot;
  out += fmt::format(
      R"(<clipPath id="{0}-plot"><rect x="{1}" y="{2:.1f}" width="{3}" height="{4}"/></clipPath>)"
      R"--(<g clip-path="url(#{0}-plot)">{5}</g>)--",
      id, plot.corner.x, plot.corner.y, plot.width, plot.height, inside);
  return out + written(picture.before) + "</svg>\n";
}

}  // namespace ration::report::drawing
