// Interval arithmetic at 256 bits (FLINT/Arb) with operators: the oracle of the tests.
#pragma once

#include <arb.h>
#include <arb_hypgeom.h>

#include <utility>

#include "ration/base/bound.h"

namespace ration::oracle {

inline constexpr slong kBits = 256;

class Arb {
 public:
  Arb() { arb_init(x_); }
  Arb(double value) : Arb() { arb_set_d(x_, value); }
  Arb(const Arb& other) : Arb() { arb_set(x_, other.x_); }
  Arb(Arb&& other) noexcept : Arb() { arb_swap(x_, other.x_); }
  Arb& operator=(Arb other) noexcept {
    arb_swap(x_, other.x_);
    return *this;
  }
  ~Arb() { arb_clear(x_); }

  arb_ptr get() { return x_; }
  arb_srcptr get() const { return x_; }

  friend Arb operator+(const Arb& a, const Arb& b) { return apply(arb_add, a, b); }
  friend Arb operator-(const Arb& a, const Arb& b) { return apply(arb_sub, a, b); }
  friend Arb operator*(const Arb& a, const Arb& b) { return apply(arb_mul, a, b); }
  friend Arb operator/(const Arb& a, const Arb& b) { return apply(arb_div, a, b); }
  friend Arb operator-(const Arb& a) { return Arb(0) - a; }
  // Certainly: false when the balls overlap.
  friend bool operator<=(const Arb& a, const Arb& b) { return arb_le(a.x_, b.x_) != 0; }
  friend bool operator<(const Arb& a, const Arb& b) { return arb_lt(a.x_, b.x_) != 0; }
  friend bool operator>=(const Arb& a, const Arb& b) { return b <= a; }
  friend bool operator>(const Arb& a, const Arb& b) { return b < a; }

  double approximate() const { return arf_get_d(arb_midref(x_), ARF_RND_NEAR); }

  using Binary = void (*)(arb_t, const arb_t, const arb_t, slong);
  using Unary = void (*)(arb_t, const arb_t, slong);
  static Arb apply(Binary f, const Arb& a, const Arb& b) {
    Arb result;
    f(result.x_, a.x_, b.x_, kBits);
    return result;
  }
  static Arb apply(Unary f, const Arb& a) {
    Arb result;
    f(result.x_, a.x_, kBits);
    return result;
  }

 private:
  arb_t x_;
};

inline Arb exp(const Arb& a) { return Arb::apply(arb_exp, a); }
inline Arb expm1(const Arb& a) { return Arb::apply(arb_expm1, a); }
inline Arb log(const Arb& a) { return Arb::apply(arb_log, a); }
inline Arb log1p(const Arb& a) { return Arb::apply(arb_log1p, a); }
inline Arb sqrt(const Arb& a) { return Arb::apply(arb_sqrt, a); }
inline Arb erfc(const Arb& a) { return Arb::apply(arb_hypgeom_erfc, a); }
inline Arb pi() {
  Arb result;
  arb_const_pi(result.get(), kBits);
  return result;
}

// P(Z > x), and what follows from it.
inline Arb normal_tail(const Arb& x) { return erfc(x / sqrt(2)) / 2; }
inline Arb mills_ratio(const Arb& x) {
  return normal_tail(x) * exp(x * x / 2) * sqrt(Arb(2) * pi());
}
// delta(eps; mu) from its definition. At 256 bits the cancellation does not matter in our range.
inline Arb gdp_delta(const Arb& epsilon, const Arb& mu) {
  return normal_tail(epsilon / mu - mu / 2) - exp(epsilon) * normal_tail(epsilon / mu + mu / 2);
}

// lower <= truth <= upper, to 256 bits: false when the truth certainly lies outside.
inline bool encloses(const Bound& bound, const Arb& truth) {
  return !(truth < Arb(bound.lower)) && !(truth > Arb(bound.upper));
}

}  // namespace ration::oracle
