// The sheet that a chart is drawn on: title, legend, axes and the marks across them, in colours
// for light and for dark paper. A sheet becomes one SVG document; several of them can stand in one
// HTML page. Not for two threads at once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ration/report/chart.h"
#include "ration/report/svg_scale.h"

namespace ration::report::drawing {

struct LegendEntry {
  enum class Sample { line, dashed_line, area };
  std::string name;
  std::size_t colour;
  Sample sample;
};

// The name of a colour as the style sheet knows it; they begin anew after the last one.
std::string colour_class(std::size_t colour);

// About how wide a text comes out, and its words in lines that are no wider than `width`.
double text_width(const std::string& text, double size);
std::vector<std::string> lines_of(const std::string& text, double width, double size);

class Sheet {
 public:
  Sheet(const Frame& frame, const std::vector<LegendEntry>& legend);

  // Where the plot lies, from its left to its right and from its foot to its head.
  Range across() const;
  Range upward() const;

  // The axes, which are drawn first.
  void y_axis(const Scale& scale);
  void x_axis(const Scale& scale);
  void x_categories(const std::vector<std::string>& categories);

  // SVG in the colour of a class, cut off at the edges of the plot, with a text for anyone
  // who points at it.
  void add(std::size_t colour, const std::string& shapes, const std::string& hint);
  enum class MarkerNames { at_the_top, at_the_foot };
  void markers(const std::vector<Marker>& markers, const Scale& x,
               MarkerNames names = MarkerNames::at_the_top);

  // `described` says in words what is to be seen.
  std::string document(const std::string& described) const;

 private:
  void text(double x, double y, const char* classes, const std::string& content);

  Frame frame_;
  double top_, foot_ = 0;  // of the plot; of what is below it
  std::string body_, plot_;
};

}  // namespace ration::report::drawing
