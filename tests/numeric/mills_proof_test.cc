// Proves the error constants of numeric/mills-inl.h by interval arithmetic over the whole range.
//
// With t in [-1, 1), x = 4(1+t)/(1-t) - 1 and P(t) = (x+2) m(x), the range is covered by balls.
// On each the difference between the polynomial and P is expanded in a Taylor series whose last
// coefficient is taken over the whole ball (Lagrange), which bounds difference and slope.

#include <arb_poly.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ration/numeric/directed.h"
#include "ration/numeric/mills-inl.h"
#include "tests/oracle/arb.h"

namespace ration {
namespace {

using oracle::Arb;
using oracle::kBits;

constexpr slong kOrder = 30;  // of the Taylor expansions

class Series {
 public:
  Series() { arb_poly_init(p_); }
  Series(const Series& other) : Series() { arb_poly_set(p_, other.p_); }
  Series& operator=(const Series& other) {
    arb_poly_set(p_, other.p_);
    return *this;
  }
  ~Series() { arb_poly_clear(p_); }
  arb_poly_struct* get() { return p_; }
  const arb_poly_struct* get() const { return p_; }
  Arb coefficient(slong k) const {
    Arb c;
    arb_poly_get_coeff_arb(c.get(), p_, k);
    return c;
  }
  static Series variable(const Arb& at) {  // at + s
    Series s;
    arb_poly_set_coeff_arb(s.p_, 0, at.get());
    arb_poly_set_coeff_si(s.p_, 1, 1);
    return s;
  }
  friend Series operator+(const Series& a, const Series& b) {
    Series r;
    arb_poly_add_series(r.p_, a.p_, b.p_, kOrder + 1, kBits);
    return r;
  }
  friend Series operator-(const Series& a, const Series& b) {
    Series r;
    arb_poly_sub_series(r.p_, a.p_, b.p_, kOrder + 1, kBits);
    return r;
  }
  friend Series operator*(const Series& a, const Series& b) {
    Series r;
    arb_poly_mullow(r.p_, a.p_, b.p_, kOrder + 1, kBits);
    return r;
  }
  friend Series operator/(const Series& a, const Series& b) {
    Series r;
    arb_poly_div_series(r.p_, a.p_, b.p_, kOrder + 1, kBits);
    return r;
  }
  static Series constant(const Arb& c) {
    Series s;
    arb_poly_set_coeff_arb(s.p_, 0, c.get());
    return s;
  }

 private:
  arb_poly_t p_;
};

Series polynomial(const Series& t) {
  Series p = Series::constant(0);
  for (std::size_t k = kMills.size(); k-- > 0;) p = p * t + Series::constant(kMills[k]);
  return p;
}

// P(t) by the complementary error function, for t away from 1.
Series exact_near(const Series& t) {
  const Series one = Series::constant(1), x = Series::constant(4) * (one + t) / (one - t) - one;
  Series tail, growth;
  const Series scaled = x * Series::constant(Arb(1) / oracle::sqrt(2));
  arb_hypgeom_erfc_series(tail.get(), scaled.get(), kOrder + 1, kBits);
  const Series square = x * x * Series::constant(0.5);
  arb_poly_exp_series(growth.get(), square.get(), kOrder + 1, kBits);
  return (x + Series::constant(2)) * tail * growth *
         Series::constant(oracle::sqrt(oracle::pi() / 2));
}

// P(t) for t near 1 by the asymptotic series m(x) = sum_k (-1)^k (2k-1)!! / x^(2k+1). Both it and
// the series of m' envelop: the remainder has the sign of the first omitted term and is smaller.
// `remainder` bounds what this leaves out of P, `slope_remainder` what it leaves out of P'.
constexpr int kAsymptotic = 14;
Series exact_far(const Series& t, Arb& remainder, Arb& slope_remainder, const Arb& smallest_x) {
  const Series one = Series::constant(1);
  const Series w = one - t;                                              // x = 8/w - 5
  const Series v = w / (Series::constant(8) - Series::constant(5) * w);  // 1/x
  Series sum = Series::constant(0), power = one;                         // of x m(x)
  Arb factor = 1;
  for (int k = 0; k < kAsymptotic; ++k) {
    sum = sum + power * Series::constant(factor);
    power = power * v * v;
    factor = Arb(-1) * factor * Arb(2.0 * k + 1);
  }
  // |m - series| <= f x^-(2K+1); |m' - series'| <= (2K+1) f x^-(2K+2), f = (2K-1)!!. With
  // P = (x+2) m and dx/dt = 8/w^2 = (x+5)^2/8 both are decreasing in x.
  const Arb& x = smallest_x;
  Arb inverse = 1;
  for (int k = 0; k < 2 * kAsymptotic + 1; ++k) inverse = inverse / x;
  const Arb size = oracle::sqrt(factor * factor) * inverse;
  remainder = size * (x + Arb(2));
  slope_remainder = (size + (x + Arb(2)) * size * Arb(2.0 * kAsymptotic + 1) / x) * (x + Arb(5)) *
                    (x + Arb(5)) / 8;
  return sum * (one + Series::constant(2) * v);  // (x+2) m(x) = x m(x) (1 + 2/x)
}

struct Errors {
  Arb value = 0, slope = 0;  // largest relative errors so far
  Arb steepest = 0;          // largest |P'| so far
  Arb weight = 0;            // largest 8 (a+2) / ((a+5)^2 P) = (5+3t)(1-t) / (8 P) so far
  void include(const Errors& other) {
    arb_max(value.get(), value.get(), other.value.get(), kBits);
    arb_max(slope.get(), slope.get(), other.slope.get(), kBits);
    arb_max(steepest.get(), steepest.get(), other.steepest.get(), kBits);
    arb_max(weight.get(), weight.get(), other.weight.get(), kBits);
  }
};

Arb magnitude(const Arb& a) {  // an exact upper bound of |a|
  Arb r;
  arb_get_abs_ubound_arf(arb_midref(r.get()), a.get(), kBits);
  return r;
}

// Bounds of |f| and |f'| on a ball from the Taylor coefficients `from`, `from` + 1, ... of f; the
// last coefficient is the one over the whole ball.
struct Sizes {
  Arb value, slope;
};
Sizes sizes(const Series& at_centre, const Series& over_ball, double radius, slong from) {
  Sizes sum = {.value = 0, .slope = 0};
  for (slong k = from; k <= kOrder; ++k) {
    const Arb c = magnitude((k < kOrder ? at_centre : over_ball).coefficient(k));
    Arb power = 1;
    for (slong i = 1; i < k; ++i) power = power * Arb(radius);
    sum.value = sum.value + c * (k == 0 ? Arb(1) : power * Arb(radius));
    if (k > from || from == 0) sum.slope = sum.slope + Arb(static_cast<double>(k)) * c * power;
  }
  return sum;
}

template <class Exact>
void check_ball(double centre, double radius, const Exact& exact, const Arb& value_rest,
                const Arb& slope_rest, Errors& errors) {
  Arb ball = centre;
  mag_set_d(arb_radref(ball.get()), radius);
  const Series at = Series::variable(centre), over = Series::variable(ball);
  const Series truth = exact(at), truth_over = exact(over);
  const Sizes error = sizes(polynomial(at) - truth, polynomial(over) - truth_over, radius, 0);
  // |P| and |P'| on the ball are at least what they are at its centre, minus how far they move.
  const Sizes moved = sizes(truth, truth_over, radius, 1);
  const Arb value = truth.coefficient(0) - moved.value - value_rest;
  const Arb slope = Arb(-1) * truth.coefficient(1) - moved.slope - slope_rest;
  ASSERT_TRUE(value > Arb(0.99) && slope > Arb(0.24)) << "at t = " << centre;
  const Arb weight = (Arb(5) + Arb(3) * (Arb(centre) + Arb(radius))) *
                     (Arb(1) - (Arb(centre) - Arb(radius))) / (Arb(8) * value);
  errors.include({.value = (error.value + value_rest) / value,
                  .slope = (error.slope + slope_rest) / slope,
                  .steepest = Arb(-1) * truth.coefficient(1) + moved.slope + slope_rest,
                  .weight = weight});
}

Errors approximation_errors() {
  constexpr double kFar = 0.6875;  // x = 20.6
  Errors errors;
  const Arb zero = 0;
  // Balls whose ends are dyadic, so that they cover without gaps. P has its singularity at t = 1.
  for (double from = -1; from < kFar;) {
    const double narrow = (1 - from) * (1 - from) / 512;  // 1/32 in x
    const double radius = std::exp2(std::floor(std::log2(std::min(0x1p-8, narrow))));
    check_ball(from + radius, radius, exact_near, zero, zero, errors);
    from += 2 * radius;
  }
  for (double from = kFar; from < 1;) {
    const double radius = 0x1p-7;
    Arb value_rest, slope_rest;
    const auto exact = [&](const Series& t) {
      return exact_far(t, value_rest, slope_rest, Arb(20));
    };
    exact(Series::variable(from));  // fills in the remainders
    check_ball(from + radius, radius, exact, value_rest, slope_rest, errors);
    from += 2 * radius;
  }
  return errors;
}

// Sums of |a_k| that bound Horner's rounding errors: with S_k = sum_{j >= k} |a_j| every partial
// result b_k is at most S_k, two roundings each, so the value errs by at most 2u sum_k S_k. The
// divided difference adds partial results that are wrong by that much, and its own roundings:
// 4u sum_k sum_{j >= k} S_j.
struct RoundingSums {
  Arb value = 0, slope = 0, bend = 0;  // bend: sum_k k (k-1) |a_k| >= |P''|
};
RoundingSums rounding_sums() {
  RoundingSums sums;
  for (std::size_t k = 0; k < kMills.size(); ++k) {
    const auto n = static_cast<double>(k);
    const Arb size = std::abs(kMills[k]);
    sums.value = sums.value + Arb(n + 1) * size;
    sums.slope = sums.slope + Arb(n * (n + 1) / 2) * size;
    sums.bend = sums.bend + Arb(n * (n - 1)) * size;
  }
  return sums;
}

TEST(MillsProof, ErrorConstantsHoldOnTheWholeRange) {
  const Errors approximation = approximation_errors();
  const RoundingSums sums = rounding_sums();
  const Arb u = kRoundoff * (1 + 1e-9);  // second-order terms
  EXPECT_TRUE(approximation.steepest < Arb(2.6)) << approximation.steepest.approximate();
  // P >= 1 and |P'| <= 2.6. Three roundings make t err by at most 3u, so P by 3u * 2.6; then two
  // further operations.
  const Arb value = approximation.value + Arb(2) * u * sums.value + Arb(3 * 2.6 + 2) * u;
  EXPECT_TRUE(value < Arb(kMillsError)) << value.approximate();

  // drop = gap / (b+2) (m(a) + 8 |Q| / ((a+5)(b+5))): an absolute error of Q counts, relative to
  // m(a) = P / (a+2), with at most the weight. Then ten further operations.
  const Arb slope =
      approximation.slope * Arb(2.6) + Arb(4) * u * sums.slope + Arb(3) * u * sums.bend;
  const Arb drop = value + slope * approximation.weight + Arb(10) * u;
  EXPECT_TRUE(drop < Arb(kMillsDropError)) << drop.approximate();
}

TEST(MillsProof, PolynomialIsCloseToItsFunction) {
  const Errors errors = approximation_errors();
  EXPECT_TRUE(errors.value < Arb(3e-16)) << errors.value.approximate();
  EXPECT_TRUE(errors.slope < Arb(3e-15)) << errors.slope.approximate();
}

}  // namespace
}  // namespace ration
