// Lesson 6: the paper's first question. How many steps of private gradient descent fit into a
// budget when they are accounted for by Renyi DP, and how many by Gaussian DP?
//
// Setting: everybody takes part at every step, noise 100, delta 1e-5.

#include <fmt/format.h>

#include "examples/print.h"
#include "ration/compose/calibrate.h"

namespace {

using namespace ration;
using example::bar;

constexpr double kNoise = 100, kDelta = 1e-5;

double most_steps(double epsilon, const Accounting& how) {
  return static_cast<double>(
      calibrate_steps({.epsilon = epsilon, .delta = kDelta}, {.noise = kNoise, .rate = 1}, how));
}

}  // namespace

int main() {
  constexpr double kBarWidth = 56;
  Accounting short_list{.method = Method::rdp, .orders = {}};
  for (int order = 2; order <= 32; ++order) short_list.orders.emplace_back(order);

  fmt::print("How many steps of private gradient descent fit into a budget?\n");
  fmt::print("noise 100, everybody at every step, delta 1e-5; every count is certified\n\n");
  fmt::print("{:>8} {:>14} {:>14} {:>20} {:>8}\n", "epsilon", "Gaussian DP", "Renyi DP",
             "Renyi, orders 2..32", "gain");
  for (const double epsilon : {0.1, 0.2, 0.3, 0.5, 0.8, 1.0, 2.0, 5.0}) {
    const double gaussian = most_steps(epsilon, {.method = Method::gdp, .orders = {}});
    const double renyi = most_steps(epsilon, {.method = Method::rdp, .orders = {}});
    fmt::print("{:>8} {:>14} {:>14} {:>20} {:>7.0f}%\n", epsilon, gaussian, renyi,
               most_steps(epsilon, short_list), 100 * (gaussian / renyi - 1));
  }

  fmt::print("\nSteps against epsilon: Gaussian \u2588, Renyi \u2592\n");
  const double longest = most_steps(1.0, {.method = Method::gdp, .orders = {}});
  for (const double epsilon : {0.2, 0.4, 0.6, 0.8, 1.0}) {
    const double gaussian = most_steps(epsilon, {.method = Method::gdp, .orders = {}});
    const double renyi = most_steps(epsilon, {.method = Method::rdp, .orders = {}});
    fmt::print("  {:>4} {} {}\n", epsilon, bar(kBarWidth * gaussian / longest), gaussian);
    fmt::print("       {} {}\n", bar(kBarWidth * renyi / longest, "\u2592"), renyi);
  }
  fmt::print(
      "\nThe same from the program:\n"
      "  build/ration calibrate --solve steps --noise 100 --epsilon 0.8 --delta 1e-5\n");
}
