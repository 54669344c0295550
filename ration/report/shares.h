// What a share of the people have spent at most. Quantiles are interpolated between two people
// (quantiles.h), and of ten people only nine need lie below the 95 % quantile: where a page says
// "at most", it takes a person's value. Private. Pure functions.
#pragma once

#include <span>

#include "ration/base/bound.h"

namespace ration {

// The least eps that so many percent of the people, or more, do not exceed: the k-th smallest, with
// k = ceil(percent n / 100), or 1. The k-th smallest of lower and of upper ends enclose it. Refuses
// nobody and more than 100 percent.
Bound spent_by(unsigned percent, std::span<const Bound> epsilons);

}  // namespace ration
