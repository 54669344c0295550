// Random numbers from a public seed, for synthetic people and for splits that anybody may repeat;
// never for privacy. SplitMix64 (Steele, Lea and Flood, 2014): whole numbers and exact sums only,
// so the numbers are the same on every machine. A value.
#pragma once

#include <bit>
#include <cstdint>

namespace ration {

class PublicRandom {
 public:
  // Two addresses have streams of their own: `stream` says what the numbers are for, `index` for
  // whom.
  PublicRandom(std::uint64_t seed, std::uint64_t stream, std::uint64_t index = 0)
      : state_(mixed(mixed(mixed(seed) + stream) + index)) {}

  std::uint64_t next() { return mixed(state_ += kStep); }

  // Below `bound`, which is not 0; each with the same probability.
  std::uint64_t below(std::uint64_t bound) {
    // The largest multiple of bound among 2^64 numbers: beyond it the first ones would come once
    // too often.
    const std::uint64_t beyond = (0 - bound) % bound;
    std::uint64_t number = next();
    while (number < beyond) number = next();
    return number % bound;
  }

  // Mean 0, variance 1, from -6 to 6: the sum of twelve uniform numbers, within 0.003 of the normal
  // distribution function.
  float normal() {
    return static_cast<float>(quarters(next()) + quarters(next()) + quarters(next()) - 393'210) /
           65'536;
  }
  // The sum of four, from -3.47 to 3.47, within 0.01: noise that nobody looks at closely.
  float rough_normal() {
    constexpr float kSquareRootOf3 = 1.7320508f;
    return static_cast<float>(quarters(next()) - 131'070) / 65'536 * kSquareRootOf3;
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // The sum of four numbers below 2^16.
  static std::int32_t quarters(std::uint64_t bits) {
    constexpr std::uint64_t kEven = 0x0000ffff0000ffff;
    const std::uint64_t pairs = (bits & kEven) + (bits >> 16 & kEven);
    return static_cast<std::int32_t>((pairs & 0xffffffff) + (pairs >> 32));
  }

  std::uint64_t state_;
};

}  // namespace ration
