#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "ration/train/chunks.h"
#include "ration/train/noise.h"

namespace ration::train {
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

}  // namespace ration::train
