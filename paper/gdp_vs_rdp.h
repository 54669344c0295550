// The paper's comparison of Gaussian and Renyi accounting ("Benefits of GDP vs. RDP Filtering"):
// noisy gradient descent with sigma = 100 in which everybody takes part in every step. Closed
// forms, everything certified; what is shown of a delta or an eps is its upper end. No data are
// read, and nothing is about people. Pure functions. docs/reproduce.md
#pragma once

#include <vector>

#include "paper/figure.h"

namespace ration {

// gdp-vs-rdp-delta: delta over eps after 420 steps. gdp-vs-rdp-steps: the same after 300, 500 and
// 900 steps. gdp-vs-rdp-largest-k: how many steps fit into an eps at delta = 1e-5.
std::vector<Figure> gdp_vs_rdp_figures();

// The third of them.
Figure largest_k_figure();

}  // namespace ration
