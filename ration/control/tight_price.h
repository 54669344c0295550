// What one step costs under the tight filter: by the norm what the price list says, rounded up to
// the upper edge of its cell (tight_kernel.h); a whole step for whoever is near the end of their
// budget. docs/math/tight_filter.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ration/control/currency.h"
#include "ration/control/price_list.h"
#include "ration/control/tight_kernel.h"

namespace ration {

class TightPrice final : public Price {
 public:
  // Refuses less noise, or a larger rate, than the list pays for.
  TightPrice(const Step& step, const PriceList& list);

  // What they cost whoever is not near the end.
  void charges(const Norms& norms, Units* out) const override;
  Row worst_case() const override { return {cells_.prices.front()}; }

  void admit(const Norms& norms, const Purses& purses, std::uint8_t* mask) const override;
  std::uint32_t times_that_fit(std::span<const Units> charge, const Units* spent,
                               const Units* budget, std::uint32_t most) const override;
  void pay(std::span<const Units> charge, Units* spent, const Units* budget,
           std::uint32_t times) const override;
  void give_back(std::span<const Units> charge, Units* spent, const Units* budget) const override;

 private:
  // How many of `most` steps at this price come before the end is near.
  std::uint64_t before_the_end(Units price, Units left, std::uint64_t most) const {
    return left < cells_.near_the_end
               ? 0
               : std::min<std::uint64_t>((left - cells_.near_the_end) / price + 1, most);
  }

  CellPrices cells_;
};

}  // namespace ration
