// Everybody's eps at one delta, from their accounts: what Accounts::epsilon takes and gives.
// By every method it is what the norms that people had would cost if they were fixed in advance. A
// sum that steps chosen in view of outputs happened to reach guarantees nothing; a budget that a
// filter keeps does (control/). Pure functions, on all cores. What they return is private.
// docs/math/individual.md
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/guarantee.h"
#include "ration/base/values.h"
#include "ration/individual/accounts.h"

namespace ration {

// pld: tight. rdp: what a Renyi filter charges by. gdp: exact, for steps without sampling.
// blackwell: the approximative accountant of the paper.
enum class IndividualMethod { pld, rdp, gdp, blackwell };
inline constexpr std::array kIndividualMethods = {IndividualMethod::pld, IndividualMethod::rdp,
                                                  IndividualMethod::gdp,
                                                  IndividualMethod::blackwell};
std::string_view name(IndividualMethod method);

// Of blackwell: a Gaussian curve is fitted on this range of eps.
struct BlackwellRange {
  Epsilon from = 0.01, to = 0.3;  // the paper's for everybody; for one person it takes 0.01 to 0.8
  int points = 200;               // the paper's scripts take 30
};

struct IndividualAccounting {
  std::optional<IndividualMethod> method = {};  // by default gdp where nobody was sampled, else pld
  // Of pld: up to this many people whom shared lines do not serve are accounted for one by one
  // (seconds each); beyond that their Bounds hold, but are wide.
  std::size_t most_singles = 20;
  std::vector<Order> orders = {};  // of rdp, if not empty: the best of these only
  BlackwellRange range = {};       // of blackwell
};

struct IndividualPrivacy {
  std::vector<Bound> epsilon;  // per person: lower and upper end of what was charged
  IndividualMethod method;
  Guarantee guarantee;
  std::size_t wide = 0;  // people whose ends are apart by more than their buckets make them
};

// Of pld, the plans that counts are rounded up to alone: each Bound encloses the eps of that plan.
// Half the work, where lower ends are not wanted.
IndividualPrivacy upper_ends(const Accounts& accounts, Delta delta, std::size_t most_singles = 20,
                             const Progress& progress = {});

Guarantee guarantee_of(IndividualMethod method);

}  // namespace ration
