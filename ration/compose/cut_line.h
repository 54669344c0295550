// One line of the contour accountant for plans of subsampled Gaussians in the direction remove,
// with the law of every step cut smoothly by the size of its loss. It integrates what the steps do
// together when at least one of them lies in the extra band and none outside of the whole one:
//
//     Prod (base_j + extra_j) - Prod base_j,  without the cancellation.
//
// Values, no state. docs/math/contour.md, "Rare losses"
#pragma once

#include <complex>
#include <vector>

#include "ration/base/bound.h"
#include "ration/loss/cut_law.h"
#include "ration/mechanism/mechanism.h"

namespace ration::contour {

inline constexpr double kErrorDigits =
    23;  // errors are kept below exp(-kErrorDigits) = 1e-10 of delta

// Which losses are the extra ones: all up to the high cut (there is no base), those between the
// cuts, or those above the high cut (the base is below).
// `all`: no cut at all.
enum class Part { small, middle, large, all };

struct Cuts {
  LossCut low, high;
};

struct CutLineOptions {
  Part part;
  double tilt = 0;  // > 0: the integral of (1 - e^(eps-x))+; < -1: of (e^(eps-x) - 1)+
  double further_tilt =
      0;                // beyond the tilt, on the same side; for Chernoff's bound of the aliases
  double period = 0;    // of the aliasing: step = 2 pi / period
  double near_epsilon;  // errors are kept below exp(log_error) near this eps
  double log_error;
  double log_mass;   // log of a bound of the part's mass; for tilt < -1 of its mass under exp(-x)
  double most_work;  // points times nodes, beyond which the line is refused
};

class CutLine {
 public:
  // Throws Error where it needs too much work.
  CutLine(const Plan& plan, const Cuts& cuts, const CutLineOptions& options);

  Bound integral(double epsilon) const;

 private:
  double log_alias(double epsilon) const;

  double tilt_, further_tilt_, log_mass_, step_, log_tail_ = 0;
  Bound log_moment_{}, centre_{};
  double further_moment_ = 0;
  std::vector<std::complex<double>> value_;  // Prod (base + extra) - Prod base, phases centred
  std::vector<double> error_;
};

struct Bands {
  Band whole, extra;
};
Bands bands_of(const Cuts& cuts, Part part);

// The law of one step for a part.
CutLaw law_of(const PlanEntry& entry, const Cuts& cuts, Part part, double tilt, double reach,
              double digits);

// Chernoff: E[(1 - e^(eps-X))+] <= exp(c(z)) E[exp(z (X - eps))] for z > 0, and E[(e^(eps-X) - 1)+]
// <= exp(c(z)) E[exp(-(1+z) (X - eps))], with c(z) = z log z - (1+z) log(1+z) < 0 for both.
struct Chernoff {
  double tilt, log_moment;
  double at(double epsilon) const;  // log of the bound
};

// Sets the two tilts and the period of a line, from moments at tilts in order away from zero: the
// pair with the shortest period. `near` is log of a bound of what is aliased from near zero.
void choose_tilts(const std::vector<Chernoff>& moments, double near, CutLineOptions& options);

// log of an upper bound of E[exp(tilt X)] over the part.
double log_part_moment(const Plan& plan, const Cuts& cuts, Part part, double tilt);
// The same, roughly and faster: to search by.
double rough_part_moment(const Plan& plan, const Cuts& cuts, Part part, double tilt);

}  // namespace ration::contour
