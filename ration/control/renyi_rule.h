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

#include "ration/base/values.h"
#include "ration/individual/spend.h"
#include "ration/individual/step.h"

namespace ration {

class RenyiRule {
 public:
  // Refuses a noise below 0.01 at a rate below 1.
  RenyiRule(const Step& step, std::span<const Order> orders);

  // Fills what these norms need. Norms are valid; not for two threads at once.
  void prepare(std::span<const float> norms);
  void prepare(std::span<const double> norms);

  // The charges of a norm that was prepared, or of one at or above the clip bound.
  void charge(double norm, std::span<Units> out) const;
  std::vector<Units> worst_case() const;

  bool is_for(const Step& step) const {
    return step.noise == double{step_.noise} && step.clip == double{step_.clip} &&
           step.rate == double{step_.rate};
  }

 private:
  std::size_t cell_of(double norm) const;
  void fill(std::size_t cell);
  template <class Real>
  void prepare_real(std::span<const Real> norms);

  Step step_;
  SpendRule spend_;
  std::vector<Order> orders_;
  std::size_t cells_ = 0;
  std::vector<Units> table_;          // cells x orders
  std::vector<std::uint8_t> filled_;  // per cell
};

// The rules of the last few kinds of steps.
class RenyiRules {
 public:
  RenyiRule& of(const Step& step, std::span<const Order> orders);

 private:
  std::vector<RenyiRule> recent_;
};

}  // namespace ration
