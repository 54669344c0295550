#include "ration/individual/accounts_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/individual/bucket_rule.h"
#include "ration/individual/norms.h"

namespace ration {
namespace {

constexpr std::size_t kMostBytes = std::numeric_limits<std::ptrdiff_t>::max();

[[noreturn]] void refuse_state(std::string_view what) {
  throw Error(fmt::format("these are not accounts: {}", what));
}

}  // namespace

void check_index(std::string_view name, std::size_t index, std::size_t count) {
  if (index < count) return;
  refuse(name, fmt::format("{}", index), fmt::format("a whole number below {}", count));
}

void check_size(std::size_t people, const Buckets& buckets) {
  const std::size_t each =
      std::max(buckets.size() * sizeof(std::uint64_t), sizeof(AccountsState::Unsampled));
  if (people == 0 || people > kMostBytes / each) {
    refuse("number of people", fmt::format("{}", people),
           fmt::format("1 to {} with {} buckets", kMostBytes / each, buckets.size()));
  }
}

template <class Real>
void check_table(const NormTable<Real>& norms, const AccountsState& state) {
  if (norms.people != state.people) {
    refuse("number of norms", fmt::format("{}", norms.people),
           fmt::format("one for each of {} people", state.people));
  }
  if (norms.steps > 1 && norms.stride < norms.people) {
    refuse("stride of norms", fmt::format("{}", norms.stride),
           fmt::format("at least the number of people, {}", norms.people));
  }
}
template void check_table(const NormTable<float>&, const AccountsState&);
template void check_table(const NormTable<double>&, const AccountsState&);

template <class Real>
void check_values(const NormTable<Real>& norms, std::uint64_t step) {
  if (norms.steps == 1) return check_norms(norms.row(0), step);
  std::size_t first = norms.steps;  // the first row that is wrong, whichever thread found it
#pragma omp parallel for schedule(static) reduction(min : first)
  for (std::size_t s = 0; s < norms.steps; ++s) {
    const DefaultFloatEnvironment environment;  // each thread has its own
    if (!are_norms(norms.row(s))) first = std::min(first, s);
  }
  if (first == norms.steps) return;
  check_norms(norms.row(first), step + first);
  refuse_changed_norms();
}
template void check_values(const NormTable<float>&, std::uint64_t);
template void check_values(const NormTable<double>&, std::uint64_t);

void check_subset(std::span<const std::size_t> who, std::size_t norms, std::size_t people) {
  if (who.size() != norms) {
    refuse("number of norms", fmt::format("{}", norms),
           fmt::format("one for each of {} listed people", who.size()));
  }
  std::vector<bool> seen;  // only if the list is not in order
  for (std::size_t i = 0; i < who.size(); ++i) {
    check_index("person", who[i], people);
    if (seen.empty() && i > 0 && who[i] <= who[i - 1]) {
      seen.resize(people);
      for (const std::size_t person : who.first(i)) seen[person] = true;
    }
    if (seen.empty()) continue;
    if (seen[who[i]]) refuse("person", fmt::format("{}, twice", who[i]), "each person once");
    seen[who[i]] = true;
  }
}

void check_times(std::span<const std::uint32_t> times, std::size_t people) {
  if (times.size() == people) return;
  refuse("number of repeats", fmt::format("{}", times.size()),
         fmt::format("one for each of {} people", people));
}

void check_state(const AccountsState& state) {
  check_size(state.people, state.buckets);
  if (state.steps > Accounts::kMostSteps) refuse_state("more steps than a count holds");
  if (state.rates.size() != state.counts.size()) refuse_state("rates and counts are unlike");
  for (auto rate = state.rates.begin(); rate != state.rates.end(); ++rate) {
    if (*rate == 1.0) refuse_state("counts for a rate of 1");
    if (std::find(state.rates.begin(), rate, *rate) != rate) refuse_state("a rate comes twice");
  }
  const std::size_t buckets = state.buckets.size();
  for (const auto& counts : state.counts) {
    if (counts.size() != state.people * buckets) refuse_state("counts are not people x buckets");
  }
  if (state.shares.size() != state.rates.size()) refuse_state("rates and shares are unlike");
  for (std::size_t rate = 0; rate < state.rates.size(); ++rate) {
    const auto& counts = state.counts[rate];
    const auto& shares = state.shares[rate];
    if (shares.empty()) continue;
    if (shares.size() != counts.size()) refuse_state("shares are not people x buckets");
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (shares[i] > std::uint64_t{kWholeShare} * counts[i]) refuse_state("a share is above 1");
    }
  }
  if (state.unsampled.size() != state.people) refuse_state("totals are not one for each person");
  for (std::size_t person = 0; person < state.people; ++person) {
    const AccountsState::Unsampled& unsampled = state.unsampled[person];
    // Each charge is at least one unit. No sum overflows: 2^16 buckets, and few rates, of 2^32.
    std::uint64_t steps = unsampled.charges;
    if (unsampled.total < steps || (steps == 0 && unsampled.total != 0) || steps > state.steps) {
      refuse_state("a total does not fit its number of charges");
    }
    for (const auto& counts : state.counts) {
      const auto from = counts.begin() + static_cast<std::ptrdiff_t>(person * buckets);
      steps = std::accumulate(from, from + static_cast<std::ptrdiff_t>(buckets), steps);
      if (steps > state.steps) refuse_state("a person has more charges than there were steps");
    }
  }
}

}  // namespace ration
