#include "ration/control/spent_epsilons.h"

#include "ration/individual/parallel.h"
#include "ration/loss/gdp.h"

namespace ration {

std::vector<Bound> spent_epsilons(const IndividualGdpFilter& filter, Delta delta) {
  const std::size_t people = filter.people();
  std::vector<double> lower(people), upper(people);
  const std::vector<double> deltas(people, delta);
  in_parallel_by_dozens(people, [&](std::size_t i) {
    const Bound mu = filter.spent(i);
    lower[i] = mu.lower;
    upper[i] = mu.upper;
  });
  std::vector<Bound> least(people), most(people);
  gdp::epsilons(lower, deltas, least);
  gdp::epsilons(upper, deltas, most);
  for (std::size_t i = 0; i < people; ++i) most[i].lower = least[i].lower;
  return most;
}

std::vector<Bound> spent_epsilons(const IndividualRenyiFilter& filter, Delta delta) {
  std::vector<Bound> all(filter.people());
  in_parallel_by_dozens(all.size(), [&](std::size_t i) { all[i] = filter.spent(i, delta); });
  return all;
}

}  // namespace ration
