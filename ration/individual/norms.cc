#include "ration/individual/norms.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"

namespace ration {
namespace {

template <class Real>
bool is_norm(Real x) {
  return x >= 0 && x <= std::numeric_limits<Real>::max();  // not a number fails both
}

// Adding one to the exponent carries into the sign bit where it was all ones: infinite or not a
// number. Such a number, or a negative one, leaves the sign bit of `seen` set; so does -0, which is
// a norm. No early way out: the loop becomes vector instructions.
template <class Real>
bool all_norms(std::span<const Real> norms) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Real) - 1);
  constexpr Bits kOneExponent = Bits{1} << (std::numeric_limits<Real>::digits - 1);
  Bits seen = 0;
  for (const Real x : norms) {
    const auto bits = std::bit_cast<Bits>(x);
    seen |= bits | (bits + kOneExponent);
  }
  return (seen & kSign) == 0 || std::all_of(norms.begin(), norms.end(), is_norm<Real>);
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
    if (!all_norms(norms.subspan(from, count))) first = std::min(first, b);
  }
  if (first == blocks) return;
  for (std::size_t i = first * kBlock; i < norms.size(); ++i) {
    const Real norm = read_once(norms[i]);
    if (is_norm(norm)) continue;
    throw Error(fmt::format("norm of person {} at step {} is {}: {}", who.empty() ? i : who[i],
                            step, fault(norm), kAccepted));
  }
  refuse_changed_norms();
}

}  // namespace

void check_norm(double norm) {
  if (!is_norm(norm)) throw Error(fmt::format("norm is {}: {}", fault(norm), kAccepted));
}

void refuse_changed_norms() {
  throw Error("norms changed while they were read, and some were no norms: nobody was charged");
}

bool are_norms(std::span<const float> norms) { return all_norms(norms); }
bool are_norms(std::span<const double> norms) { return all_norms(norms); }

void check_norms(std::span<const float> norms, std::uint64_t step,
                 std::span<const std::size_t> who) {
  check(norms, step, who);
}
void check_norms(std::span<const double> norms, std::uint64_t step,
                 std::span<const std::size_t> who) {
  check(norms, step, who);
}

}  // namespace ration
