#include "ration/individual/accounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/individual/accounts_check.h"
#include "ration/individual/accounts_fill.h"
#include "ration/individual/norms.h"

namespace ration {
namespace {

template <class Value>
std::vector<Value> zeros(std::size_t count) {
  try {
    return std::vector<Value>(count);
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("accounts need {} more bytes of memory: give fewer people or buckets",
                            count * sizeof(Value)));
  }
}

template <class Real>
NormTable<Real> rows_of(std::span<const Real> norms, std::size_t people) {
  if (people == 0 || norms.size() % people != 0) {
    refuse("number of norms", fmt::format("{}", norms.size()),
           fmt::format("whole rows of {} people", people));
  }
  return {.data = norms.data(), .steps = norms.size() / people, .people = people, .stride = people};
}

// A row of nobody is a row: accounts say how many people they are of.
template <class Real>
NormTable<Real> one_row(std::span<const Real> norms) {
  return {.data = norms.data(), .steps = 1, .people = norms.size(), .stride = norms.size()};
}

}  // namespace

NormTable<float> norm_table(std::span<const float> norms, std::size_t people) {
  return rows_of(norms, people);
}
NormTable<double> norm_table(std::span<const double> norms, std::size_t people) {
  return rows_of(norms, people);
}
NormTable<float> norm_table(std::span<const float> norms) { return one_row(norms); }
NormTable<double> norm_table(std::span<const double> norms) { return one_row(norms); }

Accounts::Accounts(std::size_t people, Buckets buckets)
    : state_({.buckets = std::move(buckets),
              .people = people,
              .rates = {},
              .counts = {},
              .shares = {},
              .unsampled = {}}) {
  check_size(people, state_.buckets);
  state_.unsampled = zeros<Unsampled>(people);
}

Accounts::Accounts(AccountsState state) : state_(std::move(state)) {
  if (state_.shares.empty()) state_.shares.resize(state_.rates.size());
  check_state(state_);
}

void Accounts::check_room(std::uint64_t steps) const {
  if (steps > kMostSteps - state_.steps) {
    refuse("number of steps", fmt::format("{} after {}", steps, state_.steps),
           "at most 4294967295 in all");
  }
}

// The buckets of a rate, new ones if it is new. Strong: a failure leaves the state as it was.
BucketRows Accounts::rows_at(Rate rate) {
  const auto found = std::find(state_.rates.begin(), state_.rates.end(), rate);
  const auto index = static_cast<std::size_t>(found - state_.rates.begin());
  if (index == state_.rates.size()) {
    const std::size_t places = state_.people * state_.buckets.size();
    auto counts = zeros<std::uint32_t>(places);
    auto shares = zeros<std::uint64_t>(places);
    state_.rates.reserve(index + 1);
    state_.counts.reserve(index + 1);
    state_.shares.reserve(index + 1);
    state_.rates.push_back(rate);
    state_.counts.push_back(std::move(counts));
    state_.shares.push_back(std::move(shares));
  }
  return {.buckets = state_.buckets.size(),
          .counts = state_.counts[index].data(),
          .shares = shares_known(index) ? state_.shares[index].data() : nullptr};
}

template <class Real>
void Accounts::record(const Step& step, const NormTable<Real>& norms) {
  check_room(norms.steps);
  check_table(norms, state_);
  check_values(norms, state_.steps);
  if (norms.steps != 0) record(step, norms, [&] { return norms.steps; });
}

template <class Real>
void Accounts::record(const Step& step, const NormTable<Real>& norms, const Decide& decide) {
  check_room(norms.steps);
  check_table(norms, state_);
  NormTable<Real> decided = norms;
  if (step.rate == 1.0) {
    const SpendRule rule(step);
    decided.steps = decide();
    spend(rule, decided, state_.unsampled.data());
  } else {
    const BucketRule<Real> rule(step, state_.buckets);
    const BucketRows rows = rows_at(step.rate);
    decided.steps = decide();
    count(rule, decided, rows);
  }
  state_.steps += decided.steps;
}

template <class Real>
void Accounts::record_some(const Step& step, std::span<const std::size_t> given_who,
                           std::span<const Real> given_norms) {
  check_room(1);
  // Copies: they are checked and then used, and must not change in between.
  const std::vector<std::size_t> who(given_who.begin(), given_who.end());
  const std::vector<Real> norms(given_norms.begin(), given_norms.end());
  check_subset(who, norms.size(), state_.people);
  check_norms(norms, state_.steps, who);
  if (step.rate == 1.0) {
    const SpendRule rule(step);
    std::vector<Units> charge = zeros<Units>(norms.size());
    charges(rule, norms, charge);
    for (std::size_t i = 0; i < who.size(); ++i) state_.unsampled[who[i]].add(charge[i]);
  } else {
    const BucketRule<Real> rule(step, state_.buckets);
    const BucketRows rows = rows_at(step.rate);
    const DefaultFloatEnvironment environment;
    for (std::size_t i = 0; i < who.size(); ++i) count_one(rule, norms[i], 1, rows.from(who[i]));
  }
  ++state_.steps;
}

void Accounts::record_repeatedly(const Step& step, std::span<const float> norms,
                                 std::uint32_t steps, std::span<const std::uint32_t> times,
                                 const std::function<void()>& decide) {
  check_room(steps);
  check_table(norm_table(norms), state_);
  check_times(times, state_.people);
  if (step.rate == 1.0) {
    const SpendRule rule(step);
    decide();
    spend_repeatedly(rule, norms, times, state_.unsampled.data());
  } else {
    const BucketRule<float> rule(step, state_.buckets);
    const BucketRows rows = rows_at(step.rate);
    decide();
    const DefaultFloatEnvironment environment;
    for (std::size_t i = 0; i < norms.size(); ++i) {
      count_one(rule, norms[i], times[i], rows.from(i));
    }
  }
  state_.steps += steps;
}

void Accounts::record(const Step& step, std::span<const float> norms) {
  record(step, norm_table(norms));
}
void Accounts::record(const Step& step, std::span<const double> norms) {
  record(step, norm_table(norms));
}
template void Accounts::record(const Step&, const NormTable<float>&);
template void Accounts::record(const Step&, const NormTable<double>&);
template void Accounts::record(const Step&, const NormTable<float>&, const Decide&);
template void Accounts::record(const Step&, const NormTable<double>&, const Decide&);
void Accounts::record(const Step& step, std::span<const std::size_t> who,
                      std::span<const float> norms) {
  record_some(step, who, norms);
}
void Accounts::record(const Step& step, std::span<const std::size_t> who,
                      std::span<const double> norms) {
  record_some(step, who, norms);
}

std::span<const std::uint32_t> Accounts::counts(std::size_t rate, std::size_t person) const {
  check_index("rate", rate, state_.rates.size());
  check_index("person", person, state_.people);
  const std::span<const std::uint32_t> all = state_.counts[rate];
  return all.subspan(person * state_.buckets.size(), state_.buckets.size());
}

void Accounts::uses(std::size_t rate, std::size_t person, std::vector<BucketUse>& out) const {
  const auto counted = counts(rate, person);
  const std::uint64_t* const shares =
      shares_known(rate) ? state_.shares[rate].data() + person * counted.size() : nullptr;
  out.clear();
  for (std::uint32_t j = 0; j < counted.size(); ++j) {
    if (counted[j] == 0) continue;
    out.push_back({.bucket = j, .count = counted[j], .shares = shares == nullptr ? 0 : shares[j]});
  }
}

bool Accounts::shares_known(std::size_t rate) const {
  check_index("rate", rate, state_.rates.size());
  return !state_.shares[rate].empty();
}

Accounts::Unsampled Accounts::unsampled(std::size_t person) const {
  check_index("person", person, state_.people);
  return state_.unsampled[person];
}

Accounts Accounts::of(std::span<const std::size_t> who) const {
  AccountsState some = {.buckets = state_.buckets,
                        .people = who.size(),
                        .steps = state_.steps,
                        .rates = state_.rates,
                        .counts = {},
                        .shares = {},
                        .unsampled = {}};
  some.counts.resize(state_.rates.size());
  some.shares.resize(state_.rates.size());
  for (const std::size_t person : who) {
    some.unsampled.push_back(unsampled(person));
    for (std::size_t rate = 0; rate < state_.rates.size(); ++rate) {
      const auto row = counts(rate, person);
      some.counts[rate].insert(some.counts[rate].end(), row.begin(), row.end());
      if (!shares_known(rate)) continue;
      const auto from =
          state_.shares[rate].begin() + static_cast<std::ptrdiff_t>(person * state_.buckets.size());
      some.shares[rate].insert(some.shares[rate].end(), from,
                               from + static_cast<std::ptrdiff_t>(state_.buckets.size()));
    }
  }
  return Accounts(std::move(some));
}

}  // namespace ration
