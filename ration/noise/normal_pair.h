// Pairs of independent normal draws, rounded to whole numbers. A pair is a function of two numbers
// U and V, uniform between 0 and 1, with as many binary digits as it takes (Box and Muller):
// scale sqrt(-2 ln U) times (cos, sin) of 2 pi V. The first 64 digits of each nearly always decide
// both roundings; vector instructions find them, and say where they do not. There the digits that
// follow decide, in 113 bits. So a draw is the same on every processor. docs/math/noise.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ration {

inline constexpr std::size_t kPairMultiple = 64;  // vectors are shorter than that

// Pair i from words 2i (U) and 2i + 1 (V) into draws 2i and 2i + 1. What is not decided is listed,
// in increasing order, and its draws mean nothing. Returns how many are listed. The number of pairs
// is a multiple of kPairMultiple; scale is at most 2^45.
std::size_t draw_pairs(std::span<const std::uint64_t> words, double scale, std::span<double> draws,
                       std::span<std::uint32_t> undecided);

// One pair from 256 digits of U and 128 of V, the most significant ones first.
struct PairDigits {
  std::array<std::uint64_t, 4> radius;
  std::array<std::uint64_t, 2> angle;
};
std::array<double, 2> decide_pair(const PairDigits& digits, double scale);

}  // namespace ration
