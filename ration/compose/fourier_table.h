// The paper's fast method for many people: noise-ratio buckets whose transforms are computed once.
// A person is a list of counts, one per bucket; their spectrum is a product of powers, and their
// delta at a fixed eps an inner product with weights that were transformed once for everybody.
// Values, no state: a table may be shared between threads. docs/math/fourier.md
#pragma once

#include <span>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/compose/fourier_transform.h"
#include "ration/mechanism/mechanism.h"

namespace ration::fourier {

// Noise ratios from `least` to `most`: a contribution's ratio is noise * clip / norm. A linear grid
// as in the paper, or a geometric one, where neighbours differ by the same factor, so that rounding
// a ratio costs everybody the same share of their loss.
struct NoiseRange {
  Noise least, most;
  int count;  // at least 2
};
std::vector<Noise> linear_noises(const NoiseRange& range);
std::vector<Noise> geometric_noises(const NoiseRange& range);

class Table {
 public:
  struct Options {
    Rate rate;
    double step;          // of the grid of losses
    double most;          // losses of a composition are told apart from -most to most
    double tail = 1e-20;  // of one step may lie beyond the grid
  };
  // Dominating versions in both directions. Refuses more than 2^22 points.
  Table(std::vector<Noise> noises, const Options& options);

  const std::vector<Noise>& noises() const { return noises_; }
  std::size_t points() const { return windows_[0].size; }

  // The weights of one eps, for any number of people. They are those of an eps that is smaller by
  // kMargin, which makes up for the rounding of losses over up to kMargin / slack steps.
  static constexpr double kMargin = 1e-7;
  struct AtEpsilon {
    std::vector<Weights> weights;  // one per direction
  };
  AtEpsilon at(Epsilon epsilon) const;

  // An upper bound of delta for so many steps in each bucket, the larger of both directions.
  // Bucket 0, the least noise, counts like the others: the paper's product leaves it out. Refuses
  // more steps than the margin covers.
  double delta(std::span<const double> counts, const AtEpsilon& at) const;

 private:
  std::vector<Noise> noises_;
  std::vector<Window> windows_;                     // one per direction
  std::vector<std::vector<Transform>> transforms_;  // per direction, per noise
};

}  // namespace ration::fourier
