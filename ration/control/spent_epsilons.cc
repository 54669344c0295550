#include "ration/control/spent_epsilons.h"

#include "ration/base/people.h"
#include "ration/loss/gdp.h"

namespace ration {

std::vector<Bound> spent_epsilons(const IndividualGdpFilter& filter, Delta delta) {
  std::vector<Bound> mus(filter.people());
  for (std::size_t i = 0; i < mus.size(); ++i) mus[i] = filter.spent(i);
  return gdp::epsilons(mus, delta);
}

std::vector<Bound> spent_epsilons(const IndividualRenyiFilter& filter, Delta delta) {
  std::vector<Bound> all(filter.people());
  in_parallel_by_dozens(all.size(), [&](std::size_t i) { all[i] = filter.spent(i, delta); });
  return all;
}

}  // namespace ration
