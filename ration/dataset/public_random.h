// Random numbers and choices from a public seed, for synthetic people and for splits that anybody
// may repeat; never for privacy. SplitMix64 (Steele, Lea and Flood, 2014): whole numbers and exact
// sums only, so they are the same on every machine. A value, and a pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

// `count` different numbers below `from`, in increasing order, each choice equally likely; all of
// them if there are no more. Selection sampling (Knuth, volume 2, algorithm 3.4.2S): each number in
// turn, with the probability that the places left give it.
inline std::vector<std::size_t> random_subset(std::size_t count, std::size_t from,
                                              PublicRandom random) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < from && chosen.size() < count; ++i) {
    if (random.below(from - i) < count - chosen.size()) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace ration
