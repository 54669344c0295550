// What one step costs one person at each order of a list: D_order of their share of it, the larger
// direction, in whole units rounded up. Zero for norm zero, at least one unit for any other.
//
// Without sampling the charge is order / 2 times that of Gaussian DP. With sampling it is taken
// from a table over noise ratios, rounded toward less noise (by at most 1/256, so at most 0.8% too
// much loss; not at all at the clip bound). The table is filled as norms ask for it, about 50 us
// for each cell and order. docs/math/filters.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/control/currency.h"
#include "ration/individual/spend.h"

namespace ration {

class RenyiPrice final : public Price {
 public:
  // Refuses a noise below 0.01 at a rate below 1.
  RenyiPrice(const Step& step, std::span<const Order> orders);

  bool is_ready() const override { return step_.rate == 1.0; }
  // Fills what these norms need. Norms are valid.
  void prepare(const Norms& norms) override;
  void charges(const Norms& norms, Units* out) const override;
  Row worst_case() const override;

 private:
  std::size_t cell_of(double norm) const;
  void fill(std::size_t cell);
  void charge(double norm, Units* out) const;

  Step step_;
  SpendRule spend_;
  std::vector<Order> orders_;
  std::size_t cells_ = 0;
  std::vector<Units> table_;          // cells x orders
  std::vector<std::uint8_t> filled_;  // per cell
};

}  // namespace ration
