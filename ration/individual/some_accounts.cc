#include "ration/individual/some_accounts.h"

#include <utility>

namespace ration {

Accounts some_of(const Accounts& accounts, std::span<const std::size_t> who) {
  const AccountsState& all = accounts.state();
  AccountsState some = {.buckets = all.buckets,
                        .people = who.size(),
                        .steps = all.steps,
                        .rates = all.rates,
                        .counts = {},
                        .unsampled = {}};
  some.counts.resize(all.rates.size());
  for (const std::size_t person : who) {
    some.unsampled.push_back(accounts.unsampled(person));
    for (std::size_t rate = 0; rate < all.rates.size(); ++rate) {
      const auto row = accounts.counts(rate, person);
      some.counts[rate].insert(some.counts[rate].end(), row.begin(), row.end());
    }
  }
  return Accounts(std::move(some));
}

}  // namespace ration
