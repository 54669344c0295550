// Who takes part in a step, and what it costs everybody: a filter, if there is one, and everybody's
// accounts behind it. Charge before the step's sum is used. For one caller at a time; OpenMP
// inside. Private, all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ration/control/attendance.h"
#include "ration/control/individual_filter.h"
#include "ration/individual/accounts.h"

namespace ration {

class Ledger {
 public:
  // Nobody has been charged. A filter may know of earlier steps. Refuses one of other people.
  Ledger(std::size_t people, const Buckets& buckets, std::optional<IndividualFilter> filter);
  // What was saved. Refuses parts that are not of the same people and steps.
  Ledger(Accounts accounts, std::optional<IndividualFilter> filter, Attendance attendance);

  // Before a step: asks the filter who takes part, and charges them for the norms given. mask[i]
  // becomes 1 where person i takes part; without a filter everybody does. Norms are what people pay
  // for, whatever they then contribute; those above step.clip count as step.clip. Refuses as the
  // filter's admit and Accounts::charge do; then nobody is charged and the mask says nothing.
  void charge(const Step& step, std::span<const float> norms, std::span<std::uint8_t> mask);

  // What charge would say of the people from `first` on, and nobody is charged. Of steps at rate 1
  // alone, and no Renyi filter. May be asked from many threads.
  void would_admit(const Step& step, std::size_t first, std::span<const float> norms,
                   std::span<std::uint8_t> mask) const;

  std::size_t people() const { return accounts_.people(); }
  // Every charge, with those that were charged again after a crash.
  std::uint64_t charged_steps() const { return accounts_.steps(); }
  const Accounts& accounts() const { return accounts_; }
  const std::optional<IndividualFilter>& filter() const { return filter_; }
  const Attendance& attendance() const { return attendance_; }

 private:
  Accounts accounts_;
  std::optional<IndividualFilter> filter_;
  Attendance attendance_;
  std::vector<float> kept_;  // norms of who takes part, zero for the others
};

}  // namespace ration
