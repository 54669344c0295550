// What a chart is made of once it is drawn: strokes, areas, boxes, dots and texts, each by the part
// that it plays. How a part looks is decided where it is written down, as SVG or as PDF. Places
// count from the upper left. Values; pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ration::report::drawing {

inline constexpr double kTitleSize = 17, kTextSize = 14;

struct Place {
  double x, y;
};
using Piece = std::vector<Place>;

struct Stroke {
  enum class Part { grid, axis, mark, line, dashed_line, outline, whisker };
  Part part;
  std::vector<Piece> pieces;  // one of a single place is a dot
};
// What lies under an outline.
struct Area {
  std::vector<Piece> pieces;
};
struct Box {
  enum class Part { bar, faint_bar, sample, faint_sample };  // samples stand in a legend
  Part part;
  Place corner;
  double width, height;
};
struct Dot {
  Place middle;
};
struct Text {
  enum class Part { plain, heading, number, marked };  // marked ones stand on lines, with a halo
  enum class From { start, middle, end };
  Part part;
  From from;
  Place at;
  std::string content;
};

// Marks in one of the colours, those of a later list above those of an earlier one. A hint is for
// anyone who points at them.
struct Marks {
  std::size_t colour = 0;
  std::string hint = {};
  std::vector<Area> areas = {};
  std::vector<Box> boxes = {};
  std::vector<Dot> dots = {};
  std::vector<Stroke> strokes = {};
  std::vector<Text> texts = {};
};
template <class Visit>
void for_each_mark(const Marks& marks, const Visit& visit) {
  for (const Area& area : marks.areas) visit(area);
  for (const Box& box : marks.boxes) visit(box);
  for (const Dot& dot : marks.dots) visit(dot);
  for (const Stroke& stroke : marks.strokes) visit(stroke);
  for (const Text& text : marks.texts) visit(text);
}

struct Picture {
  std::string title, described;
  double width, height;
  Box plot;  // inside it, marks are cut off at its edges
  std::vector<Marks> behind, inside, before;
};

struct Colour {
  std::string_view on_light, on_dark;
};
// After Okabe and Ito, told apart with any kind of colour vision; darker on light paper and lighter
// on dark paper, so that each has a contrast of 3 to 1 or more. They begin anew after the last one.
inline constexpr std::array<Colour, 8> kColours = {{{"#0072b2", "#56b4e9"},
                                                    {"#d55e00", "#f58a42"},
                                                    {"#00855f", "#2ec79b"},
                                                    {"#b0457f", "#e59ac6"},
                                                    {"#9a6a00", "#f0c24a"},
                                                    {"#505861", "#c3c9d0"},
                                                    {"#6a4fb3", "#b7a3f0"},
                                                    {"#8a5a2b", "#d3a67a"}}};

std::string svg_of(const Picture& picture);
// One page of the picture's size with fonts that every reader has: Helvetica, and Symbol for Greek.
// A character that neither has becomes a question mark.
std::string pdf_of(const Picture& picture);

}  // namespace ration::report::drawing
