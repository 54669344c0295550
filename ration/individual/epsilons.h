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
#include "ration/base/values.h"
#include "ration/individual/accounts.h"
#include "ration/individual/buckets.h"
#include "ration/mechanism/mechanism.h"

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

// What a run costs somebody whose norm is at the clip bound at every step: what everybody would be
// told without accounts of their own. The guarantee is of the clip bound at every step of the plan,
// whatever people's norms follow from.
struct WorstCase {
  Bound epsilon;
  Guarantee guarantee;
};

// By the method that everybody's eps is found by: tightly for pld, by the best real order (or
// the best of those listed) for rdp, exactly for gdp; for blackwell the eps of such a person's
// account with these buckets. Refuses plans that the method does not cover.
WorstCase worst_case(const Plan& run, const Buckets& buckets, Delta delta,
                     const IndividualAccounting& how);

// Nobody spends more than the worst case: takes it for what exceeds it, which buckets and shared
// lines can make of people at the clip bound. Not for blackwell, whose ends are not proved.
void cap(IndividualPrivacy& everybody, const Bound& worst_case);

}  // namespace ration
