// The Renyi orders of the paper's baseline: 2 to 32, all of them whole.
#pragma once

#include <vector>

#include "ration/base/values.h"

namespace ration {

inline std::vector<Order> short_orders() {
  std::vector<Order> orders;
  for (int order = 2; order <= 32; ++order) orders.emplace_back(order);
  return orders;
}

}  // namespace ration
