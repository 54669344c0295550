#include "ration/results/group_columns.h"

#include <fmt/format.h>

namespace ration::results {

std::string group_columns(std::string_view name, std::span<const std::string> labels) {
  std::string text = fmt::format(",{}", name);
  for (const std::string& label : labels) text += fmt::format(",{}:{}", name, label);
  return text;
}

}  // namespace ration::results
