// The sheet that a chart is drawn on: title, legend, axes and the marks across them. Not for two
// threads at once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ration/report/chart.h"
#include "ration/report/picture.h"
#include "ration/report/scale.h"

namespace ration::report::drawing {

struct LegendEntry {
  enum class Sample { line, dashed_line, area, faint_area };
  std::string name;
  std::size_t colour;
  Sample sample;
};

// About how wide a text comes out, and its words in lines that are no wider than `width`. A word
// that is wider by itself is cut off.
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

  // Cut off at the edges of the plot.
  void add(Marks marks);
  enum class MarkerNames { at_the_top, at_the_foot };
  void markers(const std::vector<Marker>& markers, const Scale& x,
               MarkerNames names = MarkerNames::at_the_top);
  // Names beside places; one that would lie on another name or place is left out.
  struct Named {
    std::string name;
    Place at;
  };
  void names(const std::vector<Named>& named);

  // `described` says in words what is to be seen.
  Picture picture(const std::string& described) const;

 private:
  void text(Text text);
  void stroke(Stroke::Part part, Piece piece);

  Frame frame_;
  double top_, foot_ = 0;  // of the plot; of what is below it
  std::vector<Marks> behind_, inside_;
};

}  // namespace ration::report::drawing
