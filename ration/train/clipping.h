// How one person's gradient is clipped and what they pay for it. Sums are float32, so that removing
// a person changes the sum by their contribution and by rounding, at most `slack` (rounding.h):
// contributions are clipped to clip - slack, and charges are contribution + slack, never above the
// clip bound. Values. docs/math/noise.md
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ration/base/values.h"

namespace ration {

class Clipping {
 public:
  Clipping(Clip clip, double slack);

  // What a gradient of this norm may contribute: the norm, or the bound if it is larger. A norm
  // that is infinite or no number contributes nothing.
  float bound(float norm) const { return std::isfinite(norm) ? std::min(norm, most_) : 0.0F; }
  // What it is charged for: the contribution and its share of rounding. Nothing for a gradient of
  // zero, whose rows are zero; the full clip bound for one that is no finite number.
  float charge(float norm) const {
    if (norm == 0) return 0;
    if (!std::isfinite(norm)) return clip_;
    return std::min(clip_, std::nextafter(bound(norm) + slack_, kInfinity));
  }
  // The factor that brings a gradient of this norm below `bound`: 1, or less by a margin that
  // covers the rounding of weight times error in float32.
  static float weight(float norm, float bound) {
    if (!std::isfinite(norm) || bound == 0) return 0;
    return norm <= bound ? 1.0F : bound / norm * kMargin;
  }

 private:
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr float kMargin = 1 - 0x1p-20F;

  float clip_, slack_, most_;
};

}  // namespace ration
