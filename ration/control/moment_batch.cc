#include "ration/control/moment_batch.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "ration/loss/log_ratio.h"
#include "ration/numeric/directed.h"
#include "ration/numeric/fft_batch.h"

namespace ration {

AlignedDoubles::AlignedDoubles(std::size_t size)
    : data_(static_cast<double*>(::operator new(size * sizeof(double), std::align_val_t(64)))) {
  std::fill(data_.get(), data_.get() + size, 0.0);
}

MomentBatch::MomentBatch(std::span<const EntryMoments> entries, std::size_t count)
    : moments(count * kBatchRow), falls(count * kBatchRow) {
  for (std::size_t i = 0; i < kEntriesTogether; ++i) {
    const EntryMoments& entry = entries[i < entries.size() ? i : 0];
    price[i] = entry.price;
    mass[i] = entry.moments->mass_up(1);
    in_between = in_between || entry.in_between;
    if (entry.in_between) {
      fall[i] = sub_up(1, div_down(entry.next_price, entry.price));
      // The masses are at least 1.
      mass_fall[i] = mul_up(fall[i], sub_up(mass[i], 1));
    }
    double *m = at(moments, i), *f = at(falls, i);
    for (std::size_t k = 0; k < count; ++k, m += kBatchRow, f += kBatchRow) {
      const StepMoments::Value value = entry.moments->power(k, 1);
      m[0] = value.value.real();
      m[kFftLanes] = value.value.imag();
      error[i] = std::max(error[i], value.error);
      if (!entry.in_between) continue;
      const StepMoments::Value next = entry.next != nullptr
                                          ? entry.next->power(k, 1)
                                          : StepMoments::Value{.value = 1, .error = 0};
      const std::complex<double> difference = fall[i] * (value.value - next.value);
      f[0] = difference.real();
      f[kFftLanes] = difference.imag();
      const double error_here =
          fall[i] * (value.error + next.error) + 8 * kRoundoff * (mass[i] + 1);
      fall_error[i] = std::max(fall_error[i], kSafety * error_here);
    }
  }
}

PerEntry MomentBatch::shares(std::uint64_t width) const {
  PerEntry share = price;
  for (double& s : share) s /= static_cast<double>(width);  // exact: a power of two
  return share;
}

double* MomentBatch::at(AlignedDoubles& multipliers, std::size_t i) {
  return multipliers.get() + i % kFftLanes + (i < kFftLanes ? 0 : 2 * kFftLanes);
}

}  // namespace ration
