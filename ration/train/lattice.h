// Sums on a lattice: whole multiples of one power of two. Each number is rounded to the lattice
// when it is added; after that sums are exact, in any order and on any number of threads, and the
// low bits of a released sum carry nothing. docs/math/noise.md
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ration/base/values.h"

namespace ration {

// The lattice of a private sum: the largest power of two not above clip / (2^13 sqrt(entries)), so
// that rounding each entry moves a vector by at most 2^-14 clip.
double lattice_step(Clip clip, std::size_t entries);

class LatticeSum {
 public:
  // Of so many entries, all zero. `step` is a power of two.
  LatticeSum(std::size_t entries, double step);

  // Each entry rounded to the nearest multiple. All are finite, and sums stay below 2^52 steps:
  // what does not is refused at the end, by values().
  void add(std::span<const float> entries);
  void add(const LatticeSum& other);  // of the same entries and step
  void clear();

  double step() const { return step_; }
  std::size_t entries() const { return multiples_.size(); }
  std::span<double> multiples() { return multiples_; }  // whole numbers
  std::span<const double> multiples() const { return multiples_; }

 private:
  double step_;
  std::vector<double> multiples_;
};

}  // namespace ration
