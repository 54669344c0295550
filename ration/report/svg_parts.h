// Each kind of chart as a whole SVG document. Pure functions.
#pragma once

#include <string>

#include "ration/report/chart.h"

namespace ration::drawing {

std::string drawn(const LineChart& chart);
std::string drawn(const HistogramChart& chart);
std::string drawn(const BarChart& chart);

}  // namespace ration::drawing
