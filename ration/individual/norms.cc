#include "ration/individual/norms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ration/base/error.h"
#include "ration/numeric/float_environment.h"

namespace ration {
namespace {

template <class Real>
bool is_norm(Real x) {
  return x >= 0 && x <= std::numeric_limits<Real>::max();  // not a number fails both
}

// No early way out inside a block: the loop becomes vector instructions.
template <class Real>
bool are_norms(const Real* from, std::size_t count) {
  unsigned wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    wrong |= static_cast<unsigned>(!(from[i] >= 0)) |
             static_cast<unsigned>(!(from[i] <= std::numeric_limits<Real>::max()));
  }
  return wrong == 0;
}

constexpr const char* kAccepted = "give a finite number that is not negative";

const char* fault(double x) {
  if (std::isnan(x)) return "not a number";
  return x < 0 ? "negative" : "infinite";
}

template <class Real>
void check(std::span<const Real> norms, std::uint64_t step, std::span<const std::size_t> who) {
  constexpr std::size_t kBlock = 8192;
  const std::size_t blocks = (norms.size() + kBlock - 1) / kBlock;
  std::size_t first = blocks;
#pragma omp parallel for schedule(static) reduction(min : first) if (blocks > 8)
  for (std::size_t b = 0; b < blocks; ++b) {
    const DefaultFloatEnvironment environment;  // each thread has its own
    const std::size_t from = b * kBlock, count = std::min(kBlock, norms.size() - from);
    if (!are_norms(norms.data() + from, count)) first = std::min(first, b);
  }
  if (first == blocks) return;
  std::size_t i = first * kBlock;
  while (is_norm(norms[i])) ++i;
  throw Error(fmt::format("norm of person {} at step {} is {}: {}", who.empty() ? i : who[i], step,
                          fault(norms[i]), kAccepted));
}

}  // namespace

void check_norm(double norm) {
  if (!is_norm(norm)) throw Error(fmt::format("norm is {}: {}", fault(norm), kAccepted));
}

void check_norms(std::span<const float> norms, std::uint64_t step,
                 std::span<const std::size_t> who) {
  check(norms, step, who);
}
void check_norms(std::span<const double> norms, std::uint64_t step,
                 std::span<const std::size_t> who) {
  check(norms, step, who);
}

}  // namespace ration
