// The paper's comparison of Gaussian and Renyi accounting ("Benefits of GDP vs. RDP Filtering"):
// noisy gradient descent with sigma = 100 in which everybody takes part in every step. Closed
// forms, everything certified; what is shown of a delta or an eps is its upper end. No data are
// read, and nothing is about people. Pure functions. docs/reproduce.md
#pragma once

#include <array>
#include <string>
#include <vector>

#include "paper/figure.h"
#include "ration/base/values.h"
#include "ration/compose/compose.h"

namespace ration::paper {

// gdp-vs-rdp-delta: delta over eps after 420 steps. gdp-vs-rdp-steps: the same after 300, 500 and
// 900 steps. gdp-vs-rdp-largest-k: how many steps fit into an eps at delta = 1e-5.
std::vector<Figure> gdp_vs_rdp_figures();

// The third of them.
Figure largest_k_figure();

// The Renyi orders of the paper's baseline: 2 to 32, all of them whole.
inline std::vector<Order> short_orders() {
  std::vector<Order> orders;
  for (int order = 2; order <= 32; ++order) orders.emplace_back(order);
  return orders;
}

// The three accountants that are compared: GDP, RDP over real orders, and RDP over the orders 2 to
// 32, the list of the paper's baseline.
namespace gdp_vs_rdp {

inline constexpr double kNoise = 100, kDelta = 1e-5;
// The number of steps in the experiment that the paper takes up.
inline constexpr double kPaperSteps = 420;

struct Accountant {
  std::string name, column;
  Accounting how;
};
enum Which : std::size_t { gdp, rdp, rdp_short };
inline constexpr std::array<Which, 3> kAll = {gdp, rdp, rdp_short};
const Accountant& accountant(Which which);

// Upper ends: of delta at an eps, and of eps at kDelta.
double delta_of(double steps, double epsilon, Which which);
double epsilon_of(double steps, Which which);
// The most steps whose eps at kDelta is no larger.
double largest_steps(double epsilon, Which which);

// Every hundredth from `from` to `to` hundredths, each the double nearest to it.
std::vector<double> hundredths(int from, int to);

// epsilon, and one column for each accountant.
std::vector<std::string> columns();

inline constexpr const char* kShortOrders =
    "The Renyi baseline of the paper's scripts searches the orders 2 to 32 alone.";

}  // namespace gdp_vs_rdp

}  // namespace ration::paper
