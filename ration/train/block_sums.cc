#include "ration/train/block_sums.h"

#include <omp.h>

namespace ration {

BlockSums::BlockSums(const Architecture& architecture, std::size_t block, double lattice)
    : block_(block) {
  const std::size_t entries = architecture.parameters();
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  workers_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    workers_.push_back({.pass = Pass(architecture, block),
                        .block = std::vector<float>(entries),
                        .sum = LatticeSum(entries, lattice),
                        .gathered = {},
                        .features = {},
                        .labels = {},
                        .norms = std::vector<float>(block),
                        .weights = std::vector<float>(block),
                        .losses = std::vector<float>(block)});
  }
}

LatticeSum& BlockSums::take() {
  LatticeSum& total = workers_.front().sum;
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    total.add(workers_[i].sum);
    workers_[i].sum.clear();
  }
  return total;
}

std::size_t BlockSums::thread() { return static_cast<std::size_t>(omp_get_thread_num()); }

}  // namespace ration
