// What a norm may be: a finite number that is not negative. One place says so, for accounts and
// filters alike. A refusal names the person and the step (both counted from 0), never the value,
// which is private. Pure functions; OpenMP inside.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ration {

void check_norm(double norm);

// Are they all norms? Runs through a cache-sized block at several numbers a nanosecond.
bool are_norms(std::span<const float> norms);
bool are_norms(std::span<const double> norms);

// Refuses the first person whose norm is not one. With `who`, norms[i] is that of person who[i].
void check_norms(std::span<const float> norms, std::uint64_t step,
                 std::span<const std::size_t> who = {});
void check_norms(std::span<const double> norms, std::uint64_t step,
                 std::span<const std::size_t> who = {});

// What was wrong is not there any more: another thread has changed it.
[[noreturn]] void refuse_changed_norms();

// At most kMostCopied of them, copied into memory of our own by one reading, in vector
// instructions. Whatever another thread does to `from`, it is the copy that `are_norms` and `print`
// speak of. Two readings that differ have unlike prints, but for a chance of 2^-32 over keys that
// are drawn once per process. docs/math/filters.md
inline constexpr std::size_t kMostCopied = 2048;
struct NormsRead {
  bool are_norms = false;
  std::uint64_t print = 0;
};
using PrintKey = std::array<std::uint32_t, kMostCopied * sizeof(double) / sizeof(std::uint32_t)>;
const PrintKey& print_key();
NormsRead copy_norms(const PrintKey& key, std::span<const float> from, float* to);
NormsRead copy_norms(const PrintKey& key, std::span<const double> from, double* to);

// One number that another thread may be writing to: read once, whatever the compiler thinks of it.
template <class Real>
Real read_once(const Real& from) {
  return std::atomic_ref<Real>(const_cast<Real&>(from)).load(std::memory_order_relaxed);
}

}  // namespace ration
