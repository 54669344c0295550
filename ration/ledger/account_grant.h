// Budgets of a ledger for a run that is accounted for from its norms, all at once. What was charged
// follows from the norms and the reserves alone, and names the run: killed before it is settled,
// the same command comes to the same charges and goes on, and another one cannot start with the
// grant. In this order: filter, charge everybody, start, show results, settle. For one caller at a
// time. docs/ledger.md
#pragma once

#include <string>

#include "ration/control/filter.h"
#include "ration/ledger/ledger.h"

namespace ration::ledger {

class AccountGrant {
 public:
  // Takes the grant, or finds it. Refuses a limit in another currency, eps at another delta, and a
  // grant that is closed.
  struct Terms {
    const Currency& currency;
    Delta delta;
  };
  AccountGrant(Ledger ledger, const GrantRequest& request, const Terms& terms);

  Filter filter() const;  // each person's budget is their reserve
  void start(const Filter& charged);
  void settle(const Filter& charged);

  std::string head() { return ledger_.head(); }

 private:
  Ledger ledger_;
  Grant grant_;
};

}  // namespace ration::ledger
