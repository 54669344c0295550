// What is promised to everybody after a run: the smaller of what the run costs somebody at the clip
// bound throughout and, behind a filter, of the whole budget, the largest that anybody has. What a
// person has spent so far promises nothing. `ration account`, training and ration.opacus all ask
// here. Pure functions. docs/math/filters.md
#pragma once

#include <optional>
#include <string>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/control/filter.h"
#include "ration/individual/epsilons.h"

namespace ration {

// The largest budget that anybody has, as eps at this delta, and what keeps it.
struct WholeBudget {
  Bound epsilon;
  Guarantee guarantee;
};
WholeBudget whole_budget(const Filter& filter, Delta delta);

struct Promise {
  Bound epsilon;  // of the worst case or of the budget, as by_filter says
  Bound worst_case;
  std::optional<Bound> budget = {};
  Guarantee guarantee = {};  // what epsilon rests on
  bool by_filter = false;    // the budget is less, or the worst case is not proved

  // A bound on the smaller number, whichever it is.
  Bound smaller() const { return budget ? min(worst_case, *budget) : worst_case; }
};
Promise promise_of(const WorstCase& run, const std::optional<WholeBudget>& budget);

// Behind a ledger a run's budget is the limit of its grant, which is public. Never take the filter
// of the grant for it: its budgets are what people had left. What is promised then beyond the run,
// in words.
std::string across_runs(const Bound& limit);

}  // namespace ration
