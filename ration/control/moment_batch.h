// Moments of the entries of a price list along a line of frequencies, eight entries together, as
// vector instructions take them (potential_kernel.h). Values, no state.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "ration/control/potential_kernel.h"
#include "ration/control/price_list.h"
#include "ration/control/step_moments.h"

namespace ration {

// Doubles at an address that vector instructions like, zero at first.
class AlignedDoubles {
 public:
  explicit AlignedDoubles(std::size_t size);
  double* get() { return data_.get(); }
  const double* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(double* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<double[], Free> data_;
};

// An entry with its moments M_k and, where norms between its own and that of the next entry pay a
// price in between, those of the next one. After the last entry that is a step of nobody: M_k = 1.
struct EntryMoments {
  double price;  // in whole steps
  const StepMoments* moments;
  bool in_between = false;
  double next_price = 0;
  const StepMoments* next = nullptr;
};

struct MomentBatch {
  // From one to eight entries; copies of the first fill the batch up.
  MomentBatch(std::span<const EntryMoments> entries, std::size_t count);

  // Of prices in a level that is so many whole steps wide.
  PerEntry shares(std::uint64_t width) const;
  // Where the multiplier of entry i at frequency 0 stands, at each further one kBatchRow on.
  static double* at(AlignedDoubles& multipliers, std::size_t i);

  bool in_between = false;  // of any entry
  PerEntry price{};         // in whole steps
  PerEntry error{};         // of a moment, absolute
  PerEntry mass{};          // at least every |M_k|
  PerEntry fall{};          // 1 - next price / price, 0 where no price is in between
  PerEntry mass_fall{};     // at least fall times what the mass falls by
  PerEntry fall_error{};    // of F_k, absolute
  AlignedDoubles moments;   // M_k
  AlignedDoubles falls;     // F_k = fall (M_k - M_k of the next entry)
};

}  // namespace ration
