// From values to places on a chart, and where its axes have ticks: multiples of 1, 2 or 5 times a
// power of ten, or powers of ten on a logarithmic axis. Values; pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ration/report/chart.h"

namespace ration::report::drawing {

struct Range {
  double from, to;
};

struct Tick {
  double value;
  std::string label;
};

// "0.25", "12,571", "2×10⁻⁷": what people read, at `decimals` behind the point where it is plain.
std::string number_text(double value, int decimals);
// The same with as many digits as tell values apart: four.
std::string number_text(double value);

class Scale {
 public:
  // Covers what the axis asks for and, where it leaves that open, the values, rounded outward to a
  // tick. Values that the axis cannot show are left aside. Refuses a range that is none.
  Scale(const Axis& axis, std::span<const double> values, Range places);

  // Finite for every value that the axis can show.
  double place(double value) const;
  bool can_show(double value) const;
  // Where bars stand: at 0, or at the end of the axis that is nearer to it.
  double base() const;

  const Range& values() const { return values_; }
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  bool logarithmic_;
  Range values_, places_;
  std::vector<Tick> ticks_;
};

}  // namespace ration::report::drawing
