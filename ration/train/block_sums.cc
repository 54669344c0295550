#include "ration/train/block_sums.h"

#include <omp.h>

#include "ration/base/people.h"

namespace ration::train {

BlockSums::BlockSums(const Architecture& architecture, std::size_t block, double lattice)
    : architecture_(architecture), block_(block), lattice_(lattice) {
  hire();
}

void BlockSums::hire() {
  const std::size_t entries = architecture_.parameters();
  while (workers_.size() < static_cast<std::size_t>(omp_get_max_threads())) {
    workers_.push_back({.pass = Pass(architecture_, block_),
                        .block = std::vector<float>(entries),
                        .sum = LatticeSum(entries, lattice_),
                        .gathered = {},
                        .begins = {},
                        .features = {},
                        .labels = {},
                        .norms = std::vector<float>(block_),
                        .weights = std::vector<float>(block_),
                        .losses = std::vector<float>(block_)});
  }
}

void BlockSums::each(std::size_t blocks, const Work& work) {
  hire();
  in_parallel(blocks, [&](std::size_t b) {
    work(workers_[static_cast<std::size_t>(omp_get_thread_num())], b);
  });
}

LatticeSum& BlockSums::total() {
  LatticeSum& total = workers_.front().sum;
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    total.add(workers_[i].sum);
    workers_[i].sum.clear();
  }
  return total;
}

void BlockSums::clear() {
  for (Worker& worker : workers_) worker.sum.clear();
}

}  // namespace ration::train
