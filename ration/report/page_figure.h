// The charts of a page: each has a canvas, a description for anyone who cannot see it, and a table
// of its values. What the page's program needs to draw them is collected as JSON. Not for two
// threads at once.
#pragma once

#include <memory>
#include <string>

#include "ration/report/chart.h"

namespace ration::report {

struct FigureText {
  std::string id;           // within the page
  std::string description;  // what is to be seen, in a sentence or two
  // Epsilons are rounded up, so that what is read is still a bound; losses are not bounds. Of
  // points it is the x that this says.
  enum class Values { bounds, measured } values = Values::measured;
  // Which axes a reader can make logarithmic, by a button.
  enum class Zoom { none, heights, both } zoom = Zoom::none;
};

class PageFigures {
 public:
  PageFigures();
  ~PageFigures();

  // The figure as HTML, titled by the chart's frame.
  std::string add(const Chart& chart, const FigureText& text);

  // The data of all figures, fit for a script element: ASCII, without characters that mean
  // something in HTML.
  std::string data() const;

 private:
  struct Collected;
  std::unique_ptr<Collected> collected_;
};

}  // namespace ration::report
