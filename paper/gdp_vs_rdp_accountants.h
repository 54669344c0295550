// The three accountants that are compared on noisy gradient descent with sigma = 100: GDP, RDP over
// real orders, and RDP over the orders 2 to 32, the list of the paper's baseline. Pure functions.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ration/compose/account.h"

namespace ration::gdp_vs_rdp {

inline constexpr double kNoise = 100, kDelta = 1e-5;
// Of the experiment that the paper takes up.
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

}  // namespace ration::gdp_vs_rdp
