// Exact fractions (FLINT) with operators: the oracle of what is counted in whole units.
#pragma once

#include <flint/fmpq.h>
#include <flint/fmpz.h>

#include <cmath>
#include <cstdint>

namespace ration::oracle {

class Rational {
 public:
  Rational() { fmpq_init(x_); }
  explicit Rational(std::uint64_t value) : Rational() { fmpz_set_ui(fmpq_numref(x_), value); }
  explicit Rational(double value) : Rational() {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    fmpz_set_d(fmpq_numref(x_), std::ldexp(fraction, 53));
    *this = scaled(exponent - 53);
  }
  Rational(const Rational& other) : Rational() { fmpq_set(x_, other.x_); }
  Rational(Rational&& other) noexcept : Rational() { fmpq_swap(x_, other.x_); }
  Rational& operator=(Rational other) noexcept {
    fmpq_swap(x_, other.x_);
    return *this;
  }
  ~Rational() { fmpq_clear(x_); }

  friend Rational operator+(const Rational& a, const Rational& b) { return apply(fmpq_add, a, b); }
  friend Rational operator-(const Rational& a, const Rational& b) { return apply(fmpq_sub, a, b); }
  friend Rational operator*(const Rational& a, const Rational& b) { return apply(fmpq_mul, a, b); }
  friend Rational operator/(const Rational& a, const Rational& b) { return apply(fmpq_div, a, b); }
  friend bool operator<=(const Rational& a, const Rational& b) { return fmpq_cmp(a.x_, b.x_) <= 0; }
  friend bool operator<(const Rational& a, const Rational& b) { return fmpq_cmp(a.x_, b.x_) < 0; }
  friend bool operator==(const Rational& a, const Rational& b) {
    return fmpq_equal(a.x_, b.x_) != 0;
  }

  // x 2^exponent
  Rational scaled(int exponent) const {
    Rational result;
    if (exponent >= 0) {
      fmpq_mul_2exp(result.x_, x_, static_cast<flint_bitcnt_t>(exponent));
    } else {
      fmpq_div_2exp(result.x_, x_, static_cast<flint_bitcnt_t>(-exponent));
    }
    return result;
  }
  Rational ceiling() const {
    Rational result;
    fmpz_cdiv_q(fmpq_numref(result.x_), fmpq_numref(x_), fmpq_denref(x_));
    return result;
  }

 private:
  using Binary = void (*)(fmpq_t, const fmpq_t, const fmpq_t);
  static Rational apply(Binary f, const Rational& a, const Rational& b) {
    Rational result;
    f(result.x_, a.x_, b.x_);
    return result;
  }
  fmpq_t x_;
};

}  // namespace ration::oracle
