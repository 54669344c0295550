#include "ration/individual/worst_case.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/compose/compose.h"
#include "ration/compose/gaussian.h"
#include "ration/individual/accounts.h"
#include "ration/individual/step.h"

namespace ration {
namespace {

Accounts account_of_full_norms(const Plan& run, const Buckets& buckets) {
  constexpr std::uint64_t kAtOnce = 1 << 20;
  Accounts accounts(1, buckets);
  for (auto [step, left] : repeated_steps(run, 1)) {
    const std::vector<double> ones(std::min(left, kAtOnce), 1.0);
    for (; left > 0; left -= std::min(left, kAtOnce)) {
      accounts.record(step, norm_table(std::span(ones).first(std::min(left, kAtOnce)), 1));
    }
  }
  return accounts;
}

WorstCase of(Privacy composed) {
  return {.epsilon = composed.epsilon, .guarantee = std::move(composed.guarantee)};
}

}  // namespace

WorstCase worst_case(const Plan& run, const Buckets& buckets, Delta delta,
                     const IndividualAccounting& how) {
  const auto usual = gaussian::covers(run) ? IndividualMethod::gdp : IndividualMethod::pld;
  switch (how.method.value_or(usual)) {
    case IndividualMethod::pld:
      return of(compose(run, delta));
    case IndividualMethod::rdp:
      return of(compose(run, delta, {.method = Method::rdp, .orders = how.orders}));
    case IndividualMethod::gdp:
      return of(compose(run, delta, {.method = Method::gdp}));
    case IndividualMethod::blackwell: {
      IndividualPrivacy full = account_of_full_norms(run, buckets).epsilon(delta, how);
      return {.epsilon = full.epsilon.front(), .guarantee = std::move(full.guarantee)};
    }
  }
  throw std::logic_error("no such method");
}

void cap(IndividualPrivacy& everybody, const Bound& worst_case) {
  if (everybody.method == IndividualMethod::blackwell) return;
  for (Bound& epsilon : everybody.epsilon) {
    epsilon.upper = std::min(epsilon.upper, worst_case.upper);
    epsilon.lower = std::min(epsilon.lower, epsilon.upper);
  }
}

}  // namespace ration
