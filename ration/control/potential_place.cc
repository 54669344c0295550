#include "ration/control/linear_potential.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ration/compose/accountants.h"
#include "ration/loss/rdp.h"

namespace ration {
namespace {

// Twenty bits, so that sums and products with whole numbers are exact.
double with_few_bits(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::round(mantissa * 0x1p20), exponent - 20);
}

// The log-moment that so many whole steps buy at most, by a few entries.
double most_moment(const PriceList& list, Direction direction, std::uint64_t steps, double tilt) {
  double most = 0;
  const std::size_t stride = std::max<std::size_t>(1, list.entries().size() / 8);
  for (std::size_t i = 0; i < list.entries().size(); i += stride) {
    const PricedStep& entry = list.entries()[i];
    const double times =
        static_cast<double>(PriceList::kWholeStep) / static_cast<double>(entry.price);
    most = std::max(most, times * rdp::log_moment_estimate(entry.step, tilt, direction));
  }
  return most * static_cast<double>(steps);
}

}  // namespace

PlaceChoice choose_place(const PriceList& list, Direction direction, std::uint64_t steps,
                         double delta, double epsilon) {
  // The saddle: where the Renyi bound of delta at this eps is least.
  const auto exponent = [&](double tilt) {
    return most_moment(list, direction, steps, tilt) + renyi::conversion(tilt) - tilt * epsilon;
  };
  double best = 1, least = 1e300;
  for (double tilt = 0.05; tilt < 2000; tilt *= 1.1) {
    const double value = exponent(tilt);
    if (value < least) {
      least = value;
      best = tilt;
    } else if (value > least + 50) {
      break;
    }
  }
  constexpr double kShareOfSaddle = 0.85;
  double wanted = kShareOfSaddle * best;
  // Of a level a step wide, (2) leaves nothing over where a step buys too much.
  constexpr double kMostGrowth = 0.5;
  while (wanted > 0.01 && most_moment(list, direction, 1, wanted) > kMostGrowth) wanted *= 0.9;
  const double tilt = with_few_bits(wanted);

  // The window: what lies to its left and right may come to a thousandth of delta.
  const double far = std::log(1e-3 * delta);
  const double left = -far / tilt;
  double right = 1e300, far_tilt = 2 * tilt;
  for (double z = 1.1 * tilt; z < 50 * tilt; z *= 1.1) {
    const double window = (exponent(z) - far) / (z - tilt);
    if (window >= right) continue;
    right = window;
    far_tilt = z;
  }
  const double window = std::max({left, right, 0.5 * epsilon});
  return {.place = {.tilt = tilt,
                    .frequency = with_few_bits(2 * std::numbers::pi / window),
                    .epsilon = epsilon,
                    .delta = delta},
          .far_tilt = far_tilt};
}

}  // namespace ration
