// Sums over blocks of people on all cores: each thread has a pass, a float32 sum of one block, and
// a sum on the lattice, which is exact, so that it does not matter which thread does which block.
// For one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ration/model/pass.h"
#include "ration/noise/lattice.h"

namespace ration::train {

class BlockSums {
 public:
  struct Worker {
    Pass pass;
    std::vector<float> block;  // the sum over one block
    LatticeSum sum;
    // Of a sample: who, where their records begin, and their features and labels one after the
    // other.
    std::vector<std::uint32_t> gathered;
    std::vector<std::size_t> begins;
    std::vector<float> features;
    std::vector<std::uint16_t> labels;
    std::vector<float> norms;            // of people
    std::vector<float> weights, losses;  // of records
  };

  BlockSums(const Architecture& architecture, std::size_t block, double lattice);

  // Calls work for blocks 0, 1, ..., on all cores and in any order.
  using Work = std::function<void(Worker& worker, std::size_t block)>;
  void each(std::size_t blocks, const Work& work);

  // Everything added since the last clear(), by all workers.
  LatticeSum& total();
  void clear();

  std::size_t block() const { return block_; }

 private:
  void hire();  // a worker for each thread that there may be

  Architecture architecture_;
  std::size_t block_;
  double lattice_;
  std::vector<Worker> workers_;
};

}  // namespace ration::train
