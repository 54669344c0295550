#include "ration/ledger/account_grant.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/checksum.h"

namespace ration::ledger {
namespace {

Grant grant_on_terms(Ledger& ledger, const GrantRequest& request,
                     const AccountGrant::Terms& terms) {
  if (!(terms.currency == *ledger.currency())) {
    refuse("--filter", terms.currency.name(),
           fmt::format("the currency of the ledger, which is {}", ledger.currency()->name()));
  }
  if (terms.delta != double{ledger.delta()}) {
    refuse("--delta", terms.delta,
           fmt::format("{}, at which the ledger tells its budgets", double{ledger.delta()}));
  }
  return ledger.grant(request);
}

}  // namespace

AccountGrant::AccountGrant(Ledger ledger, const GrantRequest& request, const Terms& terms)
    : ledger_(std::move(ledger)), grant_(grant_on_terms(ledger_, request, terms)) {
  if (grant_.status == GrantStatus::settled || grant_.status == GrantStatus::voided) {
    throw Error(fmt::format("grant '{}' is {}: take another one with a new token", grant_.token,
                            name(grant_.status)));
  }
}

// Also of a grant that was started: from the same reserves all charges are found anew.
Filter AccountGrant::filter() const {
  Grant whole = grant_;
  whole.status = GrantStatus::reserved;
  return ledger_.filter(whole);
}

void AccountGrant::start(const Filter& charged) {
  const std::array<std::uint64_t, 1> steps = {charged.steps()};
  const std::array<Bytes, 2> parts = {std::as_bytes(std::span(steps)),
                                      std::as_bytes(std::span(charged.state().spent))};
  ledger_.start(grant_, "account " + hexadecimal(checksum_of(parts)));
  grant_.status = GrantStatus::started;
}

void AccountGrant::settle(const Filter& charged) { ledger_.settle(grant_, charged); }

}  // namespace ration::ledger
