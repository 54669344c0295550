// An upper bound, block by block, of what is integrated for the law of one step of a subsampled
// Gaussian, with smooth cuts by the size of the loss L = log(1+x):
//
//     F(u) = exp(-u^2/2) (1+x)^power (1+x)^(it) share(L),
//
// on the real line and on the lines Im u = +-angle * noise. Crude on purpose (within a few units in
// the exponent): it decides how finely and how far to sum, and bounds what is left out.
// Values, no state. docs/math/contour.md, "Rare losses"
#pragma once

#include <optional>
#include <vector>

#include "ration/mechanism/mechanism.h"

namespace ration {

// A smooth step in the loss: Phi((L - at) / width) of it lies above the cut, the rest below.
struct LossCut {
  double at, width;
};

// share(L): the part of the law above one cut and below another.
struct Band {
  std::optional<LossCut> above = {}, below = {};
};

class Envelope {
 public:
  struct Options {
    double power;
    Band band;
    double digits;     // how far below its top F matters
    double reach = 0;  // the largest t that will be asked for
  };
  Envelope(const SubsampledGaussian& m, const Options& options);

  // log of a bound of the supremum of F on the real line.
  double top() const { return top_; }
  // log of a bound of the integral of |F| on Im u = +-angle * noise, angle <= pi/2, for all t' from
  // 0 to t. `spread` is the same at t = 0 for what log_decay sums on a line shifted by half the
  // angle.
  struct Integral {
    double plain, spread;
  };
  Integral log_integral(double angle, double t) const;

  // The stretch of the line outside which F stays below exp(top - digits), and log of a bound of
  // the sum of F over all nodes step * n outside of it.
  double from() const { return from_; }
  double to() const { return to_; }
  double log_outside(double step, double angle = 0) const;

 private:
  struct Edge {
    double u, loss, share;  // share: of the sampled component, dL/dv
  };
  struct Turned;  // an edge on another line
  Edge edge(const SubsampledGaussian& m, double u) const;
  Turned turned(const Edge& edge, double angle) const;
  Integral exponent(const Edge& left, const Edge& right, const Turned& low, const Turned& high,
                    double angle, double t) const;
  double height(const Edge& left, const Edge& right) const;  // of F on the real line
  Integral left_tail(double angle, double t) const;
  Integral right_tail(double angle, double t) const;

  double noise_, power_, lowest_;
  Band band_;
  double top_ = 0, from_ = 0, to_ = 0;
  std::vector<Edge> edges_;
};

}  // namespace ration
