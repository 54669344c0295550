// One of the individual filters, chosen at run time: who takes part in each step. For one caller at
// a time. Who is admitted is private. docs/math/filters.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/guarantee.h"
#include "ration/control/budget.h"
#include "ration/control/filter_kind.h"
#include "ration/control/individual_gdp_filter.h"
#include "ration/control/individual_renyi_filter.h"

namespace ration {

using IndividualFilter = std::variant<IndividualGdpFilter, IndividualRenyiFilter>;

// Orders are those of rdp, by default default_orders(); gdp takes none.
IndividualFilter individual_filter(FilterKind kind, std::size_t people, const Budget& budget,
                                   std::vector<Order> orders = {});

// As the filter's own.
template <class Real>
void admit(IndividualFilter& filter, const Step& step, std::span<const Real> norms,
           std::span<std::uint8_t> mask) {
  std::visit([&](auto& chosen) { chosen.admit(step, norms, mask); }, filter);
}

void admit_repeatedly(IndividualFilter& filter, const Step& step, std::span<const float> norms,
                      std::uint32_t steps, std::span<std::uint32_t> times);
void could_admit(IndividualFilter& filter, const Step& step, std::span<const float> norms,
                 std::uint32_t most, std::span<std::uint32_t> times);

// The eps at this delta of a person's whole budget: what the filter guarantees them.
Bound budget_epsilon(const IndividualFilter& filter, std::size_t person, Delta delta);
Bound budget_epsilon(const IndividualGdpFilter& filter, std::size_t person, Delta delta);
Bound budget_epsilon(const IndividualRenyiFilter& filter, std::size_t person, Delta delta);
Guarantee guarantee_of(const IndividualFilter& filter);

}  // namespace ration
