#include "ration/results/json.h"

#include <fmt/format.h>

#include <cmath>

namespace ration::results {

Json json(double x) {
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

Json json(const Bound& x) { return {{"lower", json(x.lower)}, {"upper", json(x.upper)}}; }

Json json(const Guarantee& guarantee) {
  return {{"theorem", guarantee.theorem},
          {"adaptive", guarantee.adaptive},
          {"certified", guarantee.certified},
          {"neighbours", guarantee.neighbours}};
}

Json json(const Quantiles& quantiles) {
  Json document;
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    document[quantile_name(i)] = json(quantiles[i]);
  }
  return document;
}

Json json(std::span<const std::string> labels, std::span<const GroupQuantiles> groups) {
  Json document;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const bool nobody = groups[g].people == 0;
    document[labels[g]] = {{"people", groups[g].people},
                           {"quantiles", nobody ? Json(nullptr) : json(groups[g].quantiles)}};
  }
  return document;
}

std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ration::results
