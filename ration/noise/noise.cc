#include "ration/noise/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "ration/base/people.h"
#include "ration/noise/normal_pair.h"

namespace ration {
namespace {

// A loop over chunks of a few microseconds each, on all cores when that pays: calls body(i) for
// i = 0 .. count-1. Waking the other cores takes as long as eight chunks.
template <class Body>
void over_chunks(std::size_t count, const Body& body) {
  if (count > 8) return in_parallel(count, body);
  const DefaultFloatEnvironment environment;
  for (std::size_t i = 0; i < count; ++i) body(i);
}

constexpr std::size_t kPairs = 1024;  // of a chunk: its words and draws stay in the first cache
static_assert(kPairs % kPairMultiple == 0);

PairDigits all_digits(std::uint64_t radius, std::uint64_t angle, std::uint64_t pair,
                      const SecretStream& stream, std::uint64_t step) {
  std::array<std::uint64_t, 4> further;
  stream.fill(Purpose::noise_continued, step, 4 * pair, further);
  return {.radius = {radius, further[0], further[1], further[2]}, .angle = {angle, further[3]}};
}

// Adds pairs from `pair` on to these multiples.
void add_chunk(std::span<double> multiples, double scale, std::uint64_t pair,
               const SecretStream& stream, std::uint64_t step) {
  std::array<std::uint64_t, 2 * kPairs> word_space;
  std::array<double, 2 * kPairs> draws;
  std::array<std::uint32_t, kPairs> undecided;
  const std::size_t pairs = (multiples.size() + 1) / 2;
  const std::size_t padded = (pairs + kPairMultiple - 1) / kPairMultiple * kPairMultiple;
  const std::span words = std::span(word_space).first(2 * padded);

  stream.fill(Purpose::noise, step, 2 * pair, words);
  const std::size_t listed = draw_pairs(words, scale, draws, undecided);
  for (const std::uint32_t i : std::span(undecided).first(listed)) {
    if (i >= pairs) break;
    const PairDigits digits = all_digits(words[2 * i], words[2 * i + 1], pair + i, stream, step);
    std::ranges::copy(decide_pair(digits, scale), draws.begin() + 2 * i);
  }
  for (std::size_t i = 0; i < multiples.size(); ++i) multiples[i] += draws[i];
}

}  // namespace

void add_noise(LatticeSum& sum, double deviation, const SecretStream& stream, std::uint64_t step) {
  const double scale = deviation / sum.step();  // exact: the step is a power of two
  if (!(scale >= 0x1p10 && scale <= 0x1p45)) {
    refuse("deviation of the noise, in lattice steps,", scale, "2^10 to 2^45");
  }
  sum.check_range();
  const std::span<double> multiples = sum.multiples();
  over_chunks((multiples.size() + 2 * kPairs - 1) / (2 * kPairs), [&](std::size_t chunk) {
    const std::size_t begin = chunk * 2 * kPairs;
    const std::size_t count = std::min(multiples.size() - begin, 2 * kPairs);
    add_chunk(multiples.subspan(begin, count), scale, begin / 2, stream, step);
  });
}

namespace {

constexpr std::size_t kChunk = 4096;  // people

// Who of these people is drawn. Nothing branches on it.
std::vector<std::uint32_t> drawn_of(std::size_t begin, std::size_t count, std::uint64_t threshold,
                                    const SecretStream& stream, std::uint64_t step) {
  std::array<std::uint64_t, kChunk> numbers;
  std::array<std::uint32_t, kChunk> drawn;
  stream.fill(Purpose::sampling, step, begin, std::span(numbers).first(count));
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    drawn[size] = static_cast<std::uint32_t>(begin + i);
    size += static_cast<std::size_t>(numbers[i] < threshold);
  }
  return {drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(size)};
}

}  // namespace

std::vector<std::uint32_t> poisson_sample(std::size_t people, Rate rate, const SecretStream& stream,
                                          std::uint64_t step) {
  if (people >> 32 != 0) refuse("people", static_cast<double>(people), "a number below 2^32");
  if (rate == 1.0) {
    std::vector<std::uint32_t> everybody(people);
    std::iota(everybody.begin(), everybody.end(), 0U);
    return everybody;
  }
  const auto threshold = static_cast<std::uint64_t>(std::ldexp(rate, 64));  // rounds down
  std::vector<std::vector<std::uint32_t>> chunks((people + kChunk - 1) / kChunk);
  over_chunks(chunks.size(), [&](std::size_t i) {
    const std::size_t begin = i * kChunk;
    chunks[i] = drawn_of(begin, std::min(people - begin, kChunk), threshold, stream, step);
  });
  std::vector<std::uint32_t> drawn;
  for (const auto& chunk : chunks) drawn.insert(drawn.end(), chunk.begin(), chunk.end());
  return drawn;
}

}  // namespace ration
