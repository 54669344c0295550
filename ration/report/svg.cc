#include <variant>

#include "ration/report/chart.h"
#include "ration/report/svg_parts.h"

namespace ration {

std::string svg(const Chart& chart) {
  return std::visit([](const auto& each) { return drawing::drawn(each); }, chart);
}

}  // namespace ration
