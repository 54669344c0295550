#include "ration/noise/secret_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/refusal.h"

namespace ration {
namespace {

std::vector<std::uint64_t> numbers(const SecretStream& stream, Purpose purpose, std::uint64_t step,
                                   std::uint64_t index, std::size_t count) {
  std::vector<std::uint64_t> out(count);
  stream.fill(purpose, step, index, out);
  return out;
}

std::string hex(const std::vector<std::uint64_t>& words) {
  std::string text;
  for (const std::uint64_t word : words) {
    for (int byte = 0; byte < 8; ++byte) {
      text += "0123456789abcdef"[word >> (8 * byte + 4) & 15];
      text += "0123456789abcdef"[word >> (8 * byte) & 15];
    }
  }
  return text;
}

// draft-agl-tls-chacha20poly1305-04, section 7: key 0, nonce 01 00 00 00 00 00 00 00.
TEST(SecretStream, IsChaCha20) {
  EXPECT_EQ(hex(numbers(SecretStream::of_seed(0), Purpose::initial_parameters, 0, 0, 8)),
            "ef3fdfd6c61578fbf5cf35bd3dd33b8009631634d21e42ac33960bd138e50d32"
            "111e4caf237ee53ca8ad6426194a88545ddc497a0b466e7d6bbdb0041b2f586b");
}

RC_GTEST_PROP(SecretStream, NumbersDependOnTheirAddressAlone, ()) {
  const SecretStream stream = SecretStream::of_seed(*rc::gen::arbitrary<std::uint64_t>());
  const auto start = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const auto whole = numbers(stream, Purpose::noise, 3, start, 100);
  const auto from = *rc::gen::inRange<std::size_t>(0, 100);
  const auto count = *rc::gen::inRange<std::size_t>(0, 101 - from);
  const auto part = numbers(stream, Purpose::noise, 3, start + from, count);
  RC_ASSERT(
      std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(from)));
}

TEST(SecretStream, NoTwoAddressesShareNumbers) {
  std::set<std::uint64_t> seen;
  std::size_t asked = 0;
  for (const std::uint64_t seed : {0UL, 1UL, 256UL}) {
    const SecretStream stream = SecretStream::of_seed(seed);
    for (int purpose = 1; purpose <= 5; ++purpose) {
      // Steps that would meet if a purpose or an index ran into the next step.
      for (const std::uint64_t step : {0UL, 1UL, 2UL, 256UL, 512UL, 1UL << 32, (1UL << 56) - 1}) {
        for (const std::uint64_t index : {0UL, 1UL << 35, 1UL << 40, ~0UL - 15}) {
          const auto found = numbers(stream, static_cast<Purpose>(purpose), step, index, 16);
          seen.insert(found.begin(), found.end());
          asked += found.size();
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), asked);
}

TEST(SecretStream, TheSystemsStreamsDifferAndAreSecret) {
  const SecretStream first = SecretStream::of_the_system(), second = SecretStream::of_the_system();
  EXPECT_NE(numbers(first, Purpose::noise, 0, 0, 4), numbers(second, Purpose::noise, 0, 0, 4));
  EXPECT_TRUE(first.is_secret());
  EXPECT_FALSE(SecretStream::of_seed(1).is_secret());
}

TEST(SecretStream, ACopyGivesTheSameNumbersAfterTheOriginalIsGone) {
  const auto copy = [] {
    const SecretStream original = SecretStream::of_seed(7);
    return SecretStream(original);
  }();
  EXPECT_EQ(numbers(copy, Purpose::sampling, 1, 2, 3),
            numbers(SecretStream::of_seed(7), Purpose::sampling, 1, 2, 3));
  EXPECT_FALSE(copy.is_secret());
}

TEST(SecretStream, RefusesAddressesThatWouldMeetOthers) {
  const SecretStream stream = SecretStream::of_seed(1);
  EXPECT_EQ(refusal([&] { numbers(stream, Purpose::noise, 1UL << 56, 0, 1); }),
            "step is 7.205759403792794e+16: give a number below 2^56");
  EXPECT_NE(refusal([&] { numbers(stream, Purpose::noise, 0, ~0UL, 2); }), "accepted");
  EXPECT_EQ(refusal([&] { numbers(stream, Purpose::noise, 0, ~0UL, 1); }), "accepted");
  EXPECT_EQ(refusal([&] { numbers(stream, Purpose::noise, 0, ~0UL, 0); }), "accepted");
}

}  // namespace
}  // namespace ration
