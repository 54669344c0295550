#include "tests/oracle/composition.h"

#include <acb.h>

#include <cmath>

namespace ration::oracle {
namespace {

class Acb {
 public:
  Acb() { acb_init(x_); }
  Acb(const Arb& real, const Arb& imaginary) : Acb() {
    acb_set_arb_arb(x_, real.get(), imaginary.get());
  }
  Acb(const Acb& other) : Acb() { acb_set(x_, other.x_); }
  Acb& operator=(const Acb& other) {
    acb_set(x_, other.x_);
    return *this;
  }
  ~Acb() { acb_clear(x_); }
  acb_ptr get() { return x_; }
  Arb real() const { return part(acb_realref(x_)); }
  Arb imaginary() const { return part(acb_imagref(x_)); }
  friend Acb operator+(const Acb& a, const Acb& b) {
    Acb r;
    acb_add(r.x_, a.x_, b.x_, kBits);
    return r;
  }
  friend Acb operator*(const Acb& a, const Acb& b) {
    Acb r;
    acb_mul(r.x_, a.x_, b.x_, kBits);
    return r;
  }
  friend Acb operator/(const Acb& a, const Acb& b) {
    Acb r;
    acb_div(r.x_, a.x_, b.x_, kBits);
    return r;
  }
  Acb exp() const {
    Acb r;
    acb_exp(r.x_, x_, kBits);
    return r;
  }
  Acb log() const {
    Acb r;
    acb_log(r.x_, x_, kBits);
    return r;
  }

 private:
  static Arb part(arb_srcptr p) {
    Arb r;
    arb_set(r.get(), p);
    return r;
  }
  acb_t x_;
};

}  // namespace

Composition::Composition(const MomentCase& c, double steps, bool remove, double tilt, double delta)
    : tilt_(tilt) {
  // Nodes: everything within exp(-90) of the whole, spaced for 40 digits at moderate t.
  // A power of two, so that nodes are exact: a drift of 1e-16 would show after 1e6 steps.
  const double spacing = std::exp2(std::floor(std::log2(std::min(0.25, c.noise / 8)))), reach = 14;
  const double edge = remove ? (1 + tilt) / c.noise : -tilt / c.noise;
  std::vector<Arb> weight, loss;
  for (double u = spacing * std::floor((std::min(0.0, edge) - reach) / spacing);
       u <= std::max(0.0, edge) + reach; u += spacing) {
    const Arb v = Arb(u) / Arb(c.noise) - Arb(0.5) / (Arb(c.noise) * Arb(c.noise));
    const Arb l = log1p(Arb(c.rate) * expm1(v)), sign = remove ? 1 : -1;
    const Arb base = remove ? l : Arb(0);
    weight.push_back(exp(Arb(-0.5) * Arb(u) * Arb(u) + base + Arb(tilt) * sign * l) * Arb(spacing) /
                     sqrt(Arb(2) * pi()));
    loss.push_back(sign * l);
  }
  double mean = 0, square = 0, sum = 0;
  for (std::size_t n = 0; n < loss.size(); ++n) {
    const double w = weight[n].approximate(), l = loss[n].approximate();
    sum += w;
    mean += w * l;
    square += w * l * l;
  }
  const double deviation = std::sqrt(steps * (square / sum - mean * mean / (sum * sum)));
  step_ = 2 * M_PI / std::max((45 - std::log(delta)) / tilt, 14 * deviation + 30 / tilt);

  std::vector<Acb> turned, turn;
  for (std::size_t n = 0; n < loss.size(); ++n) {
    turned.emplace_back(weight[n], 0);
    turn.push_back(Acb(0, Arb(step_) * loss[n]).exp());
  }
  Arb at_zero = 0;
  for (std::size_t m = 0; m < 4000; ++m) {
    Acb moment(0, 0);
    for (std::size_t n = 0; n < loss.size(); ++n) {
      moment = moment + turned[n];
      turned[n] = turned[n] * turn[n];
    }
    const Acb log_moment = moment.log() * Acb(steps, 0);
    real_.push_back(log_moment.real());
    imaginary_.push_back(log_moment.imaginary());
    if (m == 0) at_zero = log_moment.real();
    if ((log_moment.real() - at_zero).approximate() < -70) return;
  }
}

Arb Composition::delta(double epsilon) const {
  Arb sum = 0;
  for (std::size_t m = 0; m < real_.size(); ++m) {
    const Arb t = step_ * static_cast<double>(m);
    const Acb z(tilt_, t), z1(tilt_ + 1, t);
    const Acb exponent(real_[m] - Arb(epsilon) * Arb(tilt_), imaginary_[m] - Arb(epsilon) * t);
    const Arb term = (exponent.exp() / (z * z1)).real();
    sum = sum + (m == 0 ? term / 2 : term);
  }
  return sum * Arb(step_) / pi();
}

}  // namespace ration::oracle
