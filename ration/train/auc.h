// The area under the ROC curve. A pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace ration {

// The chance that somebody with the label has a larger score than somebody without; equal scores
// count half. None when everybody has the label, or nobody. A score that is no number counts as
// the smallest. Counted in integers: exact up to one division, for up to 2^31 people.
std::optional<double> auc(std::span<const float> scores, std::span<const std::uint16_t> labels);

}  // namespace ration
