#include "paper/gdp_vs_rdp_accountants.h"

#include "paper/short_orders.h"
#include "ration/compose/calibrate.h"

namespace ration::gdp_vs_rdp {
namespace {

Plan plan_of(double steps) { return {entry({.noise = kNoise, .rate = 1.0, .steps = steps})}; }

}  // namespace

const Accountant& accountant(Which which) {
  static const std::array<Accountant, 3> kAccountants = {
      {{.name = "GDP", .column = "gdp", .how = {.method = Method::gdp}},
       {.name = "RDP, real orders", .column = "rdp", .how = {.method = Method::rdp}},
       {.name = "RDP, orders 2 to 32",
        .column = "rdp_orders_2_to_32",
        .how = {.method = Method::rdp, .orders = short_orders()}}}};
  return kAccountants[which];
}

double delta_of(double steps, double epsilon, Which which) {
  return at_epsilon(plan_of(steps), epsilon, accountant(which).how).delta.upper;
}

double epsilon_of(double steps, Which which) {
  return at_delta(plan_of(steps), kDelta, accountant(which).how).epsilon.upper;
}

double largest_steps(double epsilon, Which which) {
  return calibrate_steps({.epsilon = epsilon, .delta = kDelta}, {.noise = kNoise, .rate = 1.0},
                         accountant(which).how);
}

std::vector<double> hundredths(int from, int to) {
  std::vector<double> values;
  for (int i = from; i <= to; ++i) values.push_back(i / 100.0);
  return values;
}

std::vector<std::string> columns() {
  std::vector<std::string> names = {"epsilon"};
  for (const Which which : kAll) names.push_back(accountant(which).column);
  return names;
}

}  // namespace ration::gdp_vs_rdp
