// The trapezoid rule on the whole line for a normal density times an analytic function, with its
// error stated. docs/math/renyi.md, "Quadrature"
//
// If F is analytic for |Im u| <= a and M bounds the integrals of |F| along Im u = +-a, the rule
// with step h errs by at most 2 M / (exp(2 pi a / h) - 1) (Trefethen and Weideman, SIAM Review
// 2014, theorem 5.1). Pure functions.
#pragma once

#include "ration/base/bound.h"

namespace ration {

struct StripRule {
  double step;        // few bits, so that step * n is exact
  double half_width;  // the a of the theorem
};

// log of the factor by which the integral grows at most when it moves from the real line to
// Im u = +-a, for the integrands of this project:
//     curvature * a^2 / 2  +  slope * a  +  cosine_power * (-log cos(a / (2 s)))
struct StripGrowth {
  double scale;          // s: the integrand is analytic for |Im u| < pi s
  double cosine_power;   // >= 0
  double slope = 0;      // >= 0; for exp(itL) it is t/s
  double curvature = 1;  // that of the normal density
};

// The widest step whose relative error is below exp(-digits) by the theorem, as a search result.
StripRule choose_rule(const StripGrowth& growth, double digits);

// 2 exp(growth) / (exp(2 pi a / h) - 1), rounded up: the error of `rule` relative to the integral
// of the modulus on the real line.
double rule_error(const StripRule& rule, const StripGrowth& growth);

}  // namespace ration
