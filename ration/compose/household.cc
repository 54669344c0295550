#include "ration/compose/household.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/compose/accountants.h"
#include "ration/numeric/interval.h"

namespace ration {
namespace {

void check_household(int people) {
  if (people < 1 || people > 1000) refuse("household", people, "a whole number from 1 to 1000");
}

bool is_exact(const Plan& plan, const Accounting& how) {
  const Method method = how.method.value_or(how.orders.empty() ? Method::gdp : Method::rdp);
  return method == Method::gdp && gaussian::covers(plan);
}

// The sum of k people's contributions is at most k clip bounds: k mu, that is mu^2 of k^2 steps.
Plan of_all(Plan plan, int people) {
  for (PlanEntry& entry : plan) entry.steps = double{entry.steps} * people * people;
  return plan;
}

Privacy of_household(Privacy found, int people, std::string_view how) {
  found.guarantee.theorem += fmt::format("; of {} people {}", people, how);
  found.guarantee.neighbours =
      fmt::format("add or remove up to {} people of one household", people);
  found.errors.reset();
  return found;
}
constexpr std::string_view kExact = "together: k mu";
constexpr std::string_view kChained =
    "together by the chain of neighbours (Dwork, Roth 2014, section 2.3): an upper bound";

double chained(const Bound& delta, double factor) {
  return delta.upper == 0 ? 0 : std::min(1.0, mul_up(delta.upper, factor));
}

// An eps of one person at which the chain ends at this delta, or below; the least, but for a
// relative 1e-8. Whatever the search does, what it returns was certified.
std::optional<double> epsilon_of_one(const Plan& plan, Delta delta, int people,
                                     const Accounting& how, const Bound& alone) {
  const auto fits = [&](double epsilon) {
    const auto found = if_in_reach([&] { return delta_at(plan, epsilon, how); });
    return found && chained(found->delta, chain_of_neighbours(epsilon, people)) <= delta;
  };
  constexpr double kMost = 1e8;
  double below = alone.lower, enough = std::max(alone.upper, 1e-6);
  if (fits(below)) return below;
  while (!fits(enough)) {
    below = enough;
    enough *= 1.5;
    if (enough > kMost) return std::nullopt;
  }
  while (enough - below > 1e-8 * enough) {
    const double middle = below + 0.5 * (enough - below);
    (fits(middle) ? enough : below) = middle;
  }
  return enough;
}

}  // namespace

double chain_of_neighbours(Epsilon epsilon, int people) {
  const DefaultFloatEnvironment environment;
  const double factor = exp(exactly(epsilon)).upper;
  double sum = 1, power = 1;
  for (int i = 1; i < people; ++i) {
    power = mul_up(power, factor);
    sum = add_up(sum, power);
  }
  return sum;
}

Privacy compose_household(const Plan& plan, Delta delta, int people, const Accounting& how) {
  check_household(people);
  if (people == 1) return compose(plan, delta, how);
  if (is_exact(plan, how)) {
    return of_household(compose(of_all(plan, people), delta, how), people, kExact);
  }
  Privacy alone = compose(plan, delta, how);
  if (std::isinf(alone.epsilon.upper)) return of_household(std::move(alone), people, kChained);
  const auto one = epsilon_of_one(plan, delta, people, how, alone.epsilon);
  if (!one) out_of_reach("household", people, "fewer people, a larger delta or another method");
  alone.epsilon.upper = *one == 0 ? 0 : mul_up(people, *one);
  return of_household(std::move(alone), people, kChained);
}

Privacy delta_at_household(const Plan& plan, Epsilon epsilon, int people, const Accounting& how) {
  check_household(people);
  if (people == 1) return delta_at(plan, epsilon, how);
  if (is_exact(plan, how)) {
    return of_household(delta_at(of_all(plan, people), epsilon, how), people, kExact);
  }
  Privacy found = delta_at(plan, epsilon, how);
  const Epsilon one = std::max(0.0, div_down(epsilon, people));
  const Privacy of_one = delta_at(plan, one, how);
  found.direction = of_one.direction;
  found.delta.upper = chained(of_one.delta, chain_of_neighbours(one, people));
  return of_household(std::move(found), people, kChained);
}

}  // namespace ration
