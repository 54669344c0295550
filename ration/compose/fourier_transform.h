// Losses on a grid, tilted, on a circle of finite length, and their Fourier transforms: what can be
// computed once per mechanism and shared by everything composed of it. Values, no state.
// docs/math/fourier.md
#pragma once

#include <complex>
#include <vector>

#include "ration/loss/pld.h"

namespace ration::fourier {

// Losses first * step, ..., (first + size - 1) * step of a composition, the offsets of its laws
// apart. Everything outside wraps around onto the circle, and is bounded by Chernoff at two further
// tilts.
struct Window {
  double step;
  double tilt;  // masses are weighted by exp(tilt loss), to make the interesting ones large
  double first;
  std::size_t size;    // a power of two
  double left, right;  // > 0: further tilts, for what lies below the window and above it
};

// The transform F of one step's tilted law, exp(tilt loss - scale) mass, as logarithms that add up
// over a composition: log F is right up to log(1 + relative error) <= growth.
struct Transform {
  double scale = 0;
  std::vector<std::complex<double>> log_value = {};
  std::vector<double> growth = {};
  double log_moment_left = 0;    // log sum mass exp(-left loss), tilted, rounded up
  double log_moment_right = 0;   // log sum mass exp(right loss)
  double offset = 0, slack = 0;  // of the law
  double log_finite = 0;         // log(1 - at_infinity)
};
Transform transform_of(const Pld& law, const Window& window);

// Several steps as one: F_1^k_1 ... F_m^k_m with its errors.
struct Spectrum {
  Window window;
  double log_scale = 0, log_scale_error = 0;  // masses are to be multiplied by its exponential
  std::vector<std::complex<double>> value = {};
  std::vector<double> error = {};
  double outside = 0;      // tilted mass that wraps around, at most
  double offset = 0;       // to be added to every loss
  double slack = 0;        // losses are right but for this
  double at_infinity = 0;  // probability
};

// Multiplies powers of transforms, one mechanism at a time.
class Composer {
 public:
  explicit Composer(const Window& window);
  void add(const Transform& transform, double count);
  Spectrum spectrum() const;

 private:
  Window window_;
  std::vector<std::complex<double>> log_value_;
  std::vector<double> growth_, size_;  // of log_value: its error, and what was added up to it
  double log_scale_ = 0, scale_size_ = 0, offset_ = 0, offset_size_ = 0, slack_ = 0;
  double left_ = 0, right_ = 0, moment_size_ = 0, log_finite_ = 0, entries_ = 0;
};

// What an evaluation says: the value, and how far it can be off because of what wraps around and
// because of rounding.
struct Evaluation {
  double value = 0, wrap = 0, rounding = 0;
};

// delta(eps) in O(size) by Plancherel: the inner product of a spectrum with the transform of the
// weights max(0, 1 - exp(eps - loss)), which is computed once for all spectra of a window.
struct Weights {
  double epsilon = 0;
  std::vector<std::complex<double>> transform = {};
  double transform_error = 0;  // of each value
};
Weights weights_of(double epsilon, const Window& window);
Evaluation delta(const Spectrum& spectrum, const Weights& weights);

// The same for every eps from one inverse transform.
class ComposedLaw {
 public:
  explicit ComposedLaw(const Spectrum& spectrum);
  Evaluation delta(double epsilon) const;

 private:
  Window window_;
  double log_scale_, log_scale_error_, outside_;
  std::vector<double> mass_;                          // of the losses of the window, tilted
  double largest_error_ = 0, root_square_error_ = 0;  // of the masses: each, and all together
};

}  // namespace ration::fourier
