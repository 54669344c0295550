// Accounts as the tables of everybody's eps see them: the mechanisms (a noise, which is the edge of
// a bucket, and a rate) that anybody used, and each person's usage of them at either end of the
// rounding. Both ends share the list: bucket j counts as edge j for upper ends and as edge j+1 for
// lower ones. Reading is for any number of threads. docs/math/individual.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/individual/accounts.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

// A person's account as a plan that any accountant reads. The eps of the upper plan is never below
// that of the steps that were charged, the eps of the lower plan never above.
enum class Rounding { up, down };  // of the loss: toward less noise, toward more

// Refuses a person whose total is full (kMostUnits): their loss has no bound.
void refuse_full(const Accounts& accounts, std::size_t person);

// Each bucket at its least noise, or at its most, where steps whose noise nothing bounds are left
// out; and the steps without sampling as one Gaussian. Nothing spent is an empty plan. The upper
// plan of a full total is refused.
Plan plan_of(const Accounts& accounts, std::size_t person, Rounding rounding);

// One person's steps at one end of the rounding: how many fall to each mechanism of the list, and
// the sum of mu^2 of the steps without sampling.
struct Usage {
  std::vector<std::uint32_t> mechanism = {};  // its place in the list; room for more than are used
  std::vector<double> count = {};
  std::size_t used = 0;
  double spend = 0;

  bool empty() const { return used == 0 && spend == 0; }
  std::span<const std::uint32_t> mechanisms() const { return {mechanism.data(), used}; }
  std::span<const double> counts() const { return {count.data(), used}; }
};

// Refers to the accounts, which must outlive it. Refuses a person whose total is full (kMostUnits).
class UsedMechanisms {
 public:
  explicit UsedMechanisms(const Accounts& accounts);

  std::span<const SubsampledGaussian> mechanisms() const { return mechanisms_; }
  std::size_t people() const { return accounts_.people(); }
  double steps() const { return static_cast<double>(accounts_.steps()); }

  void usage(std::size_t person, Rounding rounding, Usage& out) const;

  // Whether anybody has steps in a bucket; and where its edge stands in the list, if it is needed.
  bool is_used(std::size_t rate, std::size_t bucket) const { return used_[rate][bucket] != 0; }
  std::uint32_t place(std::size_t rate, std::size_t edge) const { return place_[rate][edge]; }

 private:
  const Accounts& accounts_;
  std::vector<SubsampledGaussian> mechanisms_;
  std::vector<std::vector<unsigned char>> used_;   // per rate and bucket
  std::vector<std::vector<std::uint32_t>> place_;  // in the list, per rate and edge
};

}  // namespace ration
