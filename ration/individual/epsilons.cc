#include "ration/individual/epsilons.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/base/people.h"
#include "ration/compose/accountants.h"
#include "ration/compose/compose.h"
#include "ration/individual/accounts.h"
#include "ration/individual/blackwell.h"
#include "ration/individual/mixtures.h"
#include "ration/individual/renyi_everybody.h"
#include "ration/individual/shared_lines.h"
#include "ration/individual/step.h"
#include "ration/individual/used_mechanisms.h"
#include "ration/loss/gdp.h"
#include "ration/loss/rdp.h"

namespace ration {
namespace {

const std::string kRenyi =
    "Individual Renyi DP: each person's divergences add up, for the norms they had (Feldman, Zrnic "
    "2021); conversion of Canonne, Kamath, Steinke (2020)";

void refuse_little_noise(const UsedMechanisms& used) {
  for (const SubsampledGaussian& m : used.mechanisms()) {
    if (m.noise < rdp::kLeastNoise)
      refuse("noise", m.noise, "at least 0.01 when the rate is below 1");
  }
}

// Steps without sampling only: mu-GDP, exactly.
std::vector<Bound> gaussian_epsilons(const Accounts& accounts, Delta delta) {
  std::vector<Bound> mus(accounts.people());
  for (std::size_t p = 0; p < mus.size(); ++p) {
    refuse_full(accounts, p);
    const auto [total, charges] = accounts.unsampled(p);
    mus[p] = mu_of(total, charges);
  }
  return gdp::epsilons(mus, delta);
}

// One end of everybody's eps: of the plans that their counts are rounded to.
struct End {
  Rounding rounding;
  std::vector<Bound> epsilon;
  std::vector<unsigned char> wide;
};

// Returns how many people's Bounds stay wide.
std::size_t settle_singles(End& end, const Accounts& accounts, Delta delta, std::size_t most) {
  const auto wide = static_cast<std::size_t>(std::count(end.wide.begin(), end.wide.end(), 1));
  if (wide > most) return wide;
  in_parallel(end.wide.size(), [&](std::size_t p) {
    if (end.wide[p] == 0) return;
    const Bound single = contour::at_delta(plan_of(accounts, p, end.rounding), delta).epsilon;
    end.epsilon[p] = intersect(end.epsilon[p], single);
  });
  return 0;
}

// The ends asked for, sharing lines.
struct Ends {
  std::vector<End> ends;
  std::size_t wide = 0;
};
Ends pld_ends(const Accounts& accounts, Delta delta, std::span<const Rounding> roundings,
              Places places, std::size_t most_singles, const Progress& progress) {
  const UsedMechanisms used(accounts);
  refuse_little_noise(used);
  const Mixtures mixtures(accounts, used, places);
  Ends found;
  for (const Rounding rounding : roundings) {
    found.ends.push_back({.rounding = rounding,
                          .epsilon = std::vector<Bound>(used.people(), exactly(0)),
                          .wide = std::vector<unsigned char>(used.people())});
  }
  SharedLines removing(used, mixtures, Direction::remove, delta);
  SharedLines adding(used, mixtures, Direction::add, delta, &removing);
  for (SharedLines* lines : {&removing, &adding}) {
    for (End& end : found.ends) {
      for (const std::size_t p : lines->raise(end.rounding, end.epsilon, progress)) end.wide[p] = 1;
    }
  }
  for (End& end : found.ends) {
    found.wide = std::max(found.wide, settle_singles(end, accounts, delta, most_singles));
  }
  return found;
}

IndividualPrivacy by_pld(const Accounts& accounts, Delta delta, std::size_t most_singles,
                         const Progress& progress) {
  IndividualPrivacy result = {.epsilon = {},
                              .method = IndividualMethod::pld,
                              .guarantee = guarantee_of(IndividualMethod::pld)};
  if (accounts.rates().empty()) {
    result.epsilon = gaussian_epsilons(accounts, delta);
    if (progress) progress(accounts.people());
    return result;
  }
  Ends found = pld_ends(accounts, delta, std::array{Rounding::up, Rounding::down}, Places::known,
                        most_singles, progress);
  result.epsilon = std::move(found.ends[0].epsilon);
  for (std::size_t p = 0; p < result.epsilon.size(); ++p) {
    Bound& epsilon = result.epsilon[p];
    epsilon.lower = std::min(found.ends[1].epsilon[p].lower, epsilon.upper);
  }
  result.wide = found.wide;
  return result;
}

IndividualPrivacy by_rdp(const Accounts& accounts, Delta delta, std::span<const Order> orders,
                         const Progress& progress) {
  const UsedMechanisms used(accounts);
  refuse_little_noise(used);
  IndividualPrivacy result = {.epsilon = renyi_epsilons(used, delta, orders, progress),
                              .method = IndividualMethod::rdp,
                              .guarantee = guarantee_of(IndividualMethod::rdp)};
  if (!orders.empty()) result.guarantee.theorem = kRenyi + ", best of the orders given";
  return result;
}

IndividualPrivacy by_gdp(const Accounts& accounts, Delta delta, const Progress& progress) {
  if (!accounts.rates().empty()) {
    throw Error(fmt::format(
        "gdp cannot account for steps at rate {}: it is exact at rate 1 only; take pld or rdp",
        static_cast<double>(accounts.rates().front())));
  }
  IndividualPrivacy result = {.epsilon = gaussian_epsilons(accounts, delta),
                              .method = IndividualMethod::gdp,
                              .guarantee = guarantee_of(IndividualMethod::gdp)};
  if (progress) progress(accounts.people());
  return result;
}

IndividualPrivacy by_blackwell(const Accounts& accounts, Delta delta, const BlackwellRange& range,
                               const Progress& progress) {
  const UsedMechanisms used(accounts);
  refuse_little_noise(used);
  return {.epsilon = blackwell_epsilons(used, delta, range, progress),
          .method = IndividualMethod::blackwell,
          .guarantee = guarantee_of(IndividualMethod::blackwell)};
}

}  // namespace

std::string_view name(IndividualMethod method) {
  switch (method) {
    case IndividualMethod::pld:
      return "pld";
    case IndividualMethod::rdp:
      return "rdp";
    case IndividualMethod::gdp:
      return "gdp";
    case IndividualMethod::blackwell:
      return "blackwell";
  }
  throw std::logic_error("no such method");
}

Guarantee guarantee_of(IndividualMethod method) {
  switch (method) {
    case IndividualMethod::pld:
      return {.theorem =
                  "Tight composition of each person's dominating pairs (Zhu, Dong, Wang 2022, thm. "
                  "10) for the norms they had, evaluated by certified contour integrals",
              .adaptive = false,
              .certified = true};
    case IndividualMethod::rdp:
      return {.theorem = kRenyi + ", best of 16 orders to the octave",
              .adaptive = false,
              .certified = true};
    case IndividualMethod::gdp:
      return {.theorem =
                  "Individual Gaussian DP: each person's sum of mu^2, for the norms they had "
                  "(Koskela, Tobaben, Honkela 2023)",
              .adaptive = false,
              .certified = true};
    case IndividualMethod::blackwell:
      return {
          .theorem =
              "Approximation: a Gaussian curve fitted to each person's privacy loss over a "
              "range of eps (Koskela, Tobaben, Honkela 2023, section 5), converted by Renyi DP; "
              "not proved, since losses beyond the range are not covered",
          .adaptive = false,
          .certified = false};
  }
  throw std::logic_error("no such method");
}

IndividualPrivacy upper_ends(const Accounts& accounts, Delta delta, std::size_t most_singles,
                             const Progress& progress) {
  const DefaultFloatEnvironment environment;
  Ends found =
      pld_ends(accounts, delta, std::array{Rounding::up}, Places::edges, most_singles, progress);
  return {.epsilon = std::move(found.ends[0].epsilon),
          .method = IndividualMethod::pld,
          .guarantee = guarantee_of(IndividualMethod::pld),
          .wide = found.wide};
}

IndividualPrivacy Accounts::epsilon(Delta delta) const { return epsilon(delta, {}); }

IndividualPrivacy Accounts::epsilon(Delta delta, const IndividualAccounting& how,
                                    const Progress& progress) const {
  const DefaultFloatEnvironment environment;
  const bool sampled = !rates().empty();
  switch (how.method.value_or(sampled ? IndividualMethod::pld : IndividualMethod::gdp)) {
    case IndividualMethod::pld:
      return by_pld(*this, delta, how.most_singles, progress);
    case IndividualMethod::rdp:
      return by_rdp(*this, delta, how.orders, progress);
    case IndividualMethod::gdp:
      return by_gdp(*this, delta, progress);
    case IndividualMethod::blackwell:
      return by_blackwell(*this, delta, how.range, progress);
  }
  throw std::logic_error("no such method");
}

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
