// Everybody's account: for each person, how many steps fell into each bucket of noise ratios and
// where in it, per sampling rate, and for steps without sampling their exact spend in whole units.
// Filled from a stream of steps, on all cores; not for two callers at once. What it holds is
// private. Another thread may change the norms meanwhile: each is charged for one reading of it.
// docs/math/individual.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ration/individual/buckets.h"
#include "ration/individual/step.h"
#include "ration/individual/units.h"

namespace ration {

// Norms of many steps, seen where they lie: one row per step, rows `stride` apart.
template <class Real>
struct NormTable {
  const Real* data;
  std::size_t steps, people, stride;

  std::span<const Real> row(std::size_t step) const { return {data + step * stride, people}; }
};
// Rows of all people, one after the other; of one step where `people` is left out. Refuses numbers
// that do not come to whole rows.
NormTable<float> norm_table(std::span<const float> norms, std::size_t people);
NormTable<double> norm_table(std::span<const double> norms, std::size_t people);
NormTable<float> norm_table(std::span<const float> norms);
NormTable<double> norm_table(std::span<const double> norms);

// Told how many people are done; called from one thread at a time.
using Progress = std::function<void(std::size_t people)>;
struct BucketRows;
struct IndividualAccounting;
struct IndividualPrivacy;

// All that accounts are, for saving and loading.
struct AccountsState {
  // Steps at rate 1: each charge is rounded up by at most two units, so that the true sum of mu^2
  // lies between total - 2 charges and total. A total of kMostUnits stays, and has no upper end.
  struct Unsampled {
    Units total = 0;
    std::uint64_t charges = 0;  // steps that cost something

    void add(Units charge) {
      total = add_saturated(total, charge);
      charges += static_cast<std::uint64_t>(charge != 0);
    }
    void add(Units charge, std::uint32_t times) {
      total = add_saturated(total, multiply_saturated(charge, times));
      charges += charge != 0 ? times : 0;
    }
    friend bool operator==(const Unsampled&, const Unsampled&) = default;
  };

  Buckets buckets;
  std::size_t people;
  std::uint64_t steps = 0;
  std::vector<Rate> rates;                         // below 1, in order of appearance
  std::vector<std::vector<std::uint32_t>> counts;  // per rate: people x buckets
  // Per rate: people x buckets, or nothing where they are not known. Left out, none are.
  std::vector<std::vector<std::uint64_t>> shares = {};
  std::vector<Unsampled> unsampled;  // per person

  friend bool operator==(const AccountsState&, const AccountsState&) = default;
};

// What a person did under one rate in one bucket: how many steps, and the sum of their shares, each
// theta (bucket_rule.h) in units of 1 / kWholeShare. The true sum of theta lies between
// shares - count and shares + count such units.
struct BucketUse {
  std::uint32_t bucket, count;
  std::uint64_t shares;
};

class Accounts {
 public:
  // The buckets of a rate take 12 bytes each, asked for when a step first has that rate and before
  // it is charged. Refuses nobody, and more people and buckets than there are addresses.
  Accounts(std::size_t people, Buckets buckets);
  // Refuses a state that no steps lead to.
  explicit Accounts(AccountsState state);

  // Charges everybody for one step, a listed subset for one step (the others pay nothing; nobody is
  // listed twice), or everybody for many like steps. Norms above the clip bound count as the clip
  // bound; zero costs nothing; a norm that is negative, infinite or not a number is refused with
  // its person and its step (counted from 0 over all steps seen). Less noise than the first
  // bucket's edge is refused when the rate is below 1, and more than kMostSteps in all. After a
  // refusal nobody has been charged for any step of the call.
  void record(const Step& step, std::span<const float> norms);
  void record(const Step& step, std::span<const double> norms);
  template <class Real>
  void record(const Step& step, const NormTable<Real>& norms);
  void record(const Step& step, std::span<const std::size_t> who, std::span<const float> norms);
  void record(const Step& step, std::span<const std::size_t> who, std::span<const double> norms);

  // For callers who must charge somewhere else as well, a filter for example, and both or neither.
  // First whatever can be refused or can fail is done; then `decide` is called, which may still
  // write the norms and says how many rows of them count; then these are charged, and nothing fails
  // any more. If `decide` throws, nobody is charged. The norms are the caller's own, and valid once
  // `decide` has returned.
  using Decide = std::function<std::size_t()>;
  template <class Real>
  void record(const Step& step, const NormTable<Real>& norms, const Decide& decide);
  // The same for like steps in a row, of which person i pays for times[i], which `decide` writes:
  // none of these above `steps`.
  void record_repeatedly(const Step& step, std::span<const float> norms, std::uint32_t steps,
                         std::span<const std::uint32_t> times, const std::function<void()>& decide);

  static constexpr std::uint64_t kMostSteps = 0xffffffff;  // a count holds them all

  std::size_t people() const { return state_.people; }
  std::uint64_t steps() const { return state_.steps; }
  const Buckets& buckets() const { return state_.buckets; }

  // The rates below 1 seen so far, in order of appearance, and a person's counts under each.
  std::span<const Rate> rates() const { return state_.rates; }
  std::span<const std::uint32_t> counts(std::size_t rate, std::size_t person) const;
  // Fills `out` with the buckets that they used, in order.
  void uses(std::size_t rate, std::size_t person, std::vector<BucketUse>& out) const;
  // Accounts that an earlier release saved know no shares of the rates that they had: theta is then
  // anything from 0 to 1, and BucketUse::shares is 0.
  bool shares_known(std::size_t rate) const;

  using Unsampled = AccountsState::Unsampled;
  Unsampled unsampled(std::size_t person) const;

  // Everybody's eps at this delta, on all cores. epsilons.h says by which method, and what it is
  // worth.
  IndividualPrivacy epsilon(Delta delta) const;
  IndividualPrivacy epsilon(Delta delta, const IndividualAccounting& how,
                            const Progress& progress = {}) const;

  // The accounts of these people alone, in this order. Refuses people who are not there.
  Accounts of(std::span<const std::size_t> who) const;

  const AccountsState& state() const { return state_; }

 private:
  template <class Real>
  void record_some(const Step& step, std::span<const std::size_t> who, std::span<const Real> norms);
  void check_room(std::uint64_t steps) const;
  BucketRows rows_at(Rate rate);

  AccountsState state_;
};

}  // namespace ration
