// Accounts as the tables of everybody's eps see them: a column for each noise (edge of a bucket)
// and rate that anybody used, and each person's usage at either end of the rounding. Both ends
// share the columns: bucket j counts as edge j for upper ends and as edge j+1 for lower ones.
#pragma once

#include <span>
#include <vector>

#include "ration/individual/account_plan.h"
#include "ration/individual/accounts.h"
#include "ration/individual/row_table.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

// Refers to the accounts, which must outlive it. Refuses a person whose total is full (kMostUnits).
class Columns {
 public:
  explicit Columns(const Accounts& accounts);

  std::span<const SubsampledGaussian> mechanisms() const { return mechanisms_; }
  std::size_t people() const { return accounts_.people(); }
  double steps() const { return static_cast<double>(accounts_.steps()); }

  void usage(std::size_t person, Rounding rounding, Usage& out) const;

 private:
  const Accounts& accounts_;
  std::vector<SubsampledGaussian> mechanisms_;
  std::vector<std::vector<std::uint32_t>> column_;  // per rate and edge
};

}  // namespace ration
