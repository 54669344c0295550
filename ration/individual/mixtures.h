// A person's steps as mixtures of two laws each: sharper than the edges of buckets, and bounds all
// the same. A step inside a bucket costs at most a mixture of its two edges, and at least a mixture
// of the far edge and of what is extrapolated from there; how much of each follows from where in
// the bucket it lay. Reading is for any number of threads. docs/math/individual.md, "Between edges"
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/individual/accounts.h"
#include "ration/individual/used_mechanisms.h"
#include "ration/loss/tilted_law.h"

namespace ration {

// Two laws, the one with the larger loss first.
struct LawPair {
  std::uint32_t top, base;
};

// The laws between which steps lie: mechanisms first, then what is extrapolated from them; and the
// pairs of them that are mixed.
struct Laws {
  std::span<const SubsampledGaussian> mechanisms;
  std::span<const Extrapolated> extrapolated = {};
  std::span<const LawPair> pairs = {};

  std::size_t size() const { return mechanisms.size() + extrapolated.size(); }
};

// One end of a person's steps: how many fall to each law; and for each pair of laws, between which
// steps lie, a bound of the sum of lambda (1 - lambda), lambda being the share of the top one.
struct Mixture {
  std::vector<std::uint32_t> law = {};
  std::vector<double> weight = {};
  std::vector<std::uint32_t> pair = {};
  std::vector<double> unsettled = {};
  double spend = 0;  // the sum of mu^2 of the steps without sampling

  bool empty() const { return law.empty() && spend == 0; }
};

// Steps that lie at the edges themselves.
Mixture at_edges(const Usage& usage);

// Of steps, how sharply they are taken.
enum class Places {
  known,  // inside their buckets, as far as accounts know it
  edges   // at the ends of their buckets, as plan_of has it
};

// Refers to both, which must outlive it.
class Mixtures {
 public:
  Mixtures(const Accounts& accounts, const UsedMechanisms& used, Places places);

  Laws laws() const {
    return {.mechanisms = used_.mechanisms(), .extrapolated = extrapolated_, .pairs = pairs_};
  }

  // A pair that is `blunt` (one flag a pair, or none) is not mixed: steps are at the end that
  // bounds them.
  void mixture(std::size_t person, Rounding rounding, std::span<const unsigned char> blunt,
               Mixture& out) const;

  // Sets the flags of all laws that a person's mixtures may hold, at either end.
  void mark(std::size_t person, std::span<unsigned char> laws) const;

 private:
  // Of a bucket: its pairs, if it has any, and the slope of total variation in mu^2 at its ends,
  // relative to the chord.
  struct Bucket {
    std::uint32_t edge, up, down;
    double steeper, flatter;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  void add_rate(std::size_t rate);

  const Accounts& accounts_;
  const UsedMechanisms& used_;
  Places places_;
  std::vector<std::vector<Bucket>> buckets_;  // per rate and bucket
  std::vector<Extrapolated> extrapolated_;
  std::vector<LawPair> pairs_;
};

}  // namespace ration
