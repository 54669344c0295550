// Lesson 1: one query with Gaussian noise. What does it cost the people in the data?
//
// A clinic publishes one number: the sum of its patients' ages, plus noise. An age counts for at
// most 100 years (the clip bound), and the noise has a standard deviation of 200 years, so the
// noise multiplier is 2.

#include <fmt/format.h>

#include "examples/print.h"
#include "ration/loss/gdp.h"

int main() {
  using example::up;
  using namespace ration;
  constexpr double kClip = 100, kDeviation = 200, kDelta = 1e-5;

  // Gaussian differential privacy says it in one number. Whoever sees the output can tell "this
  // person is in the data" from "is not" no better than one draw of N(0,1) from one of N(mu,1).
  const Mu mu = kClip / kDeviation;
  fmt::print("A sum of ages, each at most {}, with noise of deviation {}:\n\n", kClip, kDeviation);
  fmt::print("  mu                       {}\n", up(mu, 4));

  // Every function of the library returns a Bound: the truth lies in [lower, upper], rounding
  // included. What we tell people is the upper end, and printing rounds up again.
  const Bound epsilon = gdp::epsilon({.mu = mu, .delta = kDelta});
  fmt::print("  eps at delta = 1e-5      {}\n", up(epsilon.upper, 4));

  // The same fact, as what an attacker can do at best. A guess without the output is right as
  // often as it is wrong: its true-positive rate is its false-positive rate.
  fmt::print("\nWhoever knows everything but one person, and sees the output, can at best\n\n");
  for (const double rate : {0.001, 0.01, 0.1}) {
    const Bound found = gdp::true_positive_rate({.mu = mu, .false_positive_rate = rate});
    fmt::print("  say \"they are in it\" rightly in {:>5}% of cases, and wrongly in {:>4}%\n",
               up(100 * found.upper, 2), 100 * rate);
  }
  fmt::print("\n  the most that these two can be apart: {}%\n",
             up(100 * gdp::advantage(mu).upper, 2));

  // Now look at one person. A baby of one year moves the sum by 1, not by 100: for the baby this
  // is the same mechanism with a hundred times the noise. That is individual accounting.
  fmt::print("\nThe ages differ, and so does what the query costs:\n\n");
  for (const double age : {100.0, 50.0, 20.0, 1.0}) {
    const Bound own = gdp::epsilon({.mu = age / kDeviation, .delta = kDelta});
    fmt::print("  age {:>3}   eps {}  {}\n", age, up(own.upper, 4),
               example::bar(40 * own.upper / epsilon.upper));
  }
  fmt::print("\nA person's own eps depends on their data: keep it private. Ours are invented.\n");
}
