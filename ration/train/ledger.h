// Who takes part in a step, and what it costs everybody: a filter, if there is one, and everybody's
// accounts behind it. Charge before the step's sum is used. For one caller at a time, even to look
// at it; OpenMP inside. Private, all of it.
//
// Where many steps in a row have the same norms, they are only counted after the first few: how
// many more of them each person can afford is worked out once. Who looks at the books finds every
// step in them.
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

  std::size_t people() const { return kept_.size(); }
  // Every charge, with those that were charged again after a crash.
  std::uint64_t charged_steps() const { return books_.accounts.steps() + repeats_; }
  const Accounts& accounts() const { return settled().accounts; }
  const std::optional<IndividualFilter>& filter() const { return settled().filter; }
  const Attendance& attendance() const { return settled().attendance; }

 private:
  struct Books {
    Accounts accounts;
    std::optional<IndividualFilter> filter;
    Attendance attendance;
  };
  struct Last {
    Step step;
    std::vector<float> norms;
    std::vector<std::uint32_t> affordable;  // repeats, for each person; empty if not worked out
  };

  bool is_repeated(const Step& step, std::span<const float> norms) const;
  void repeat(std::span<std::uint8_t> mask);
  void charge_new(const Step& step, std::span<const float> norms, std::span<std::uint8_t> mask);
  const Books& settled() const;

  mutable Books books_;  // but for the last step's repeats
  mutable std::uint32_t repeats_ = 0;
  mutable std::uint32_t one_by_one_ = 0;  // like steps since it changed or was looked at
  mutable std::optional<Last> last_;
  std::vector<float> kept_;  // norms of who takes part, zero for the others
};

}  // namespace ration
