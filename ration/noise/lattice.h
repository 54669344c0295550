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
// that rounding each entry moves a vector by at most 2^-14 clip. From 1 to 2^40 entries.
double lattice_step(Clip clip, std::size_t entries);

class LatticeSum {
 public:
  // Of so many entries, all zero. `step` is a power of two from 2^-500 to 2^500.
  LatticeSum(std::size_t entries, double step);

  // Each entry rounded to the nearest multiple, ties to even.
  void add(std::span<const float> entries);
  void add(const LatticeSum& other);  // of the same entries and step
  void clear();

  // Sums are exact while each entry stays below 2^52 steps. Refuses if one did not since the last
  // clear(), or was no finite number; a look at one flag.
  void check_range() const;

  double step() const { return step_; }
  std::size_t entries() const { return multiples_.size(); }
  std::span<double> multiples() { return multiples_; }  // whole numbers
  std::span<const double> multiples() const { return multiples_; }

 private:
  double step_;
  std::vector<double> multiples_;
  bool in_range_ = true;
};

}  // namespace ration
