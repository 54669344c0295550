#include "ration/train/clipping.h"

#include <algorithm>
#include <cmath>

#include "ration/base/float_environment.h"
#include "ration/model/pass.h"
#include "ration/numeric/directed.h"

namespace ration::train {
namespace {

constexpr double kFloatRoundoff = 0x1p-24;
constexpr double kFloatUnderflow = 0x1p-150;  // error of a product that is no normal number

// gamma_n = n u / (1 - n u): Higham, Accuracy and Stability of Numerical Algorithms, 3.1.
double gamma_up(double terms) {
  const double nu = terms * kFloatRoundoff;  // exact
  return div_up(nu, 1 - nu);                 // exact: a multiple of 2^-24 below 1
}

// Chernoff: P(at least k of n) <= exp(-exponent), k > n q. Errs by less than 1e-5 for n < 2^32.
double chernoff_exponent(double k, double n, double q) {
  const double drawn = k * std::log(k / (n * q));
  return k == n ? drawn : drawn + (n - k) * std::log((n - k) / (n * (1 - q)));
}

// Exceeded with a probability below exp(-exponent).
std::size_t quantile(std::size_t people, double rate, double exponent) {
  const auto n = static_cast<double>(people);
  // The exponent increases from the mean on. Too few people for the bound: all of them.
  std::size_t below = static_cast<std::size_t>(n * rate) + 1, enough = people + 1;
  while (below < enough) {
    const std::size_t k = below + (enough - below) / 2;
    const bool rare = chernoff_exponent(static_cast<double>(k), n, rate) >= exponent;
    (rare ? enough : below) = rare ? k : k + 1;
  }
  return enough - 1;
}

constexpr double kRare = 83.18;  // above 120 ln 2 = 83.1777

// What weighted_sum errs by (pass.h), (block + 2) 2^-24 (1 + 2^-10), is below gamma of three more.
constexpr std::size_t kMostBlock = 1000;
double terms_of(std::size_t block) { return static_cast<double>(block + 3); }

void check(const SumShape& shape, double step, Clip clip) {
  const auto number = [](std::size_t x) { return static_cast<double>(x); };
  if (shape.people == 0 || shape.people >> 32 != 0) {
    refuse("people", number(shape.people), "a number from 1 to 2^32 - 1");
  }
  if (shape.block == 0 || shape.block > kMostBlock) {
    refuse("block", number(shape.block), "a number of people from 1 to 1000");
  }
  if ((shape.rate < 1.0 || shape.together) && (shape.range == 0 || shape.range > shape.people)) {
    refuse("range", number(shape.range), "a number of people from 1 to all of them");
  }
  if (shape.entries == 0 || number(shape.entries) > 0x1p40) {
    refuse("entries", number(shape.entries), "a number from 1 to 2^40");
  }
  if (!(step > 0) || !std::isfinite(step)) refuse("lattice step", step, "a positive number");
  // No entry is larger than the norms of all together, and rounding at most doubles it.
  if (number(shape.people) * (clip / step) >= 0x1p50) {
    refuse("lattice step", step, "a step that is at least people * clip / 2^50");
  }
}

}  // namespace

std::size_t most_drawn(std::size_t people, Rate rate) {
  if (people >> 32 != 0) refuse("people", static_cast<double>(people), "a number below 2^32");
  const DefaultFloatEnvironment environment;
  return rate == 1.0 ? people : quantile(people, rate, kRare);
}

double rounding_slack(const SumShape& shape, double lattice_step, Clip clip) {
  const DefaultFloatEnvironment environment;
  check(shape, lattice_step, clip);
  std::size_t moved = shape.block, blocks = 1;  // people whose rounding may change; their blocks
  if (shape.rate < 1.0) {
    // Those of the range who are drawn beside one person, and that person.
    moved = std::min(shape.range, most_drawn(shape.range, shape.rate) + 1);
    blocks = (moved + shape.block - 1) / shape.block;
  }
  double spread = 1;  // of what one person adds to a sum before anything cancels out
  if (shape.together) {
    if (shape.rate == 1.0) moved = shape.range;
    blocks = moved;  // each holds somebody
    spread = kMostSpread;
  }
  const double terms = terms_of(shape.block);
  const double added = static_cast<double>(moved) * spread;  // exact
  const double sums = mul_up(mul_up(2 * gamma_up(terms), added), clip);
  const double per_entry = add_up(lattice_step, 2 * terms * kFloatUnderflow);
  const double root = next_up(std::sqrt(static_cast<double>(shape.entries)));
  const double lattice = mul_up(mul_up(static_cast<double>(blocks), per_entry), root);
  const double slack = add_up(sums, lattice);
  if (slack > clip / 4) {
    refuse("rounding of the sum, as a part of the clip bound,", slack / clip,
           "at most 1/4: take smaller blocks or a finer lattice");
  }
  return slack;
}

// The clip bound as a float is not below the true one, which charges count it as.
Clipping::Clipping(Clip clip, double slack)
    : clip_(float_up(clip)), slack_(float_up(slack)), most_(float_down(clip - slack)) {}

}  // namespace ration::train
