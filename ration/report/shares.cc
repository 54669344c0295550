#include "ration/report/shares.h"

#include <algorithm>
#include <vector>

#include "ration/base/error.h"

namespace ration {
namespace {

double smallest(std::size_t k, std::span<const Bound> epsilons, double Bound::*end) {
  std::vector<double> ends;
  ends.reserve(epsilons.size());
  for (const Bound& epsilon : epsilons) ends.push_back(epsilon.*end);
  const auto place = ends.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(ends.begin(), place, ends.end());
  return *place;
}

}  // namespace

Bound spent_by(unsigned percent, std::span<const Bound> epsilons) {
  if (epsilons.empty()) throw Error("there is nobody to take a share of: give at least one person");
  if (percent > 100) refuse("share", percent, "at most 100 percent");
  const std::size_t k = std::max<std::size_t>(1, (percent * epsilons.size() + 99) / 100);
  return {.lower = smallest(k, epsilons, &Bound::lower),
          .upper = smallest(k, epsilons, &Bound::upper)};
}

}  // namespace ration
