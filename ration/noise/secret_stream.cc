#include "ration/noise/secret_stream.h"

#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "ration/base/error.h"

namespace ration {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie");
static_assert(crypto_stream_chacha20_KEYBYTES == 32 && crypto_stream_chacha20_NONCEBYTES == 8);
constexpr std::uint64_t kWordsPerBlock = 8;

void start_sodium() {
  // Chooses the instructions; done once, however many threads ask.
  static const bool ready = sodium_init() >= 0;
  if (!ready) throw Error("libsodium cannot start: the system gives no random numbers");
}

using Key = std::array<unsigned char, 32>;
using Nonce = std::array<unsigned char, 8>;

// Whole blocks from block `block` on, and perhaps a part of the last.
void blocks(const Key& key, const Nonce& nonce, std::uint64_t block, std::span<std::uint64_t> out) {
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  std::memset(bytes, 0, out.size_bytes());
  crypto_stream_chacha20_xor_ic(bytes, bytes, out.size_bytes(), nonce.data(), block, key.data());
}

}  // namespace

SecretStream SecretStream::of_the_system() {
  start_sodium();
  SecretStream stream;
  randombytes_buf(stream.key_.data(), stream.key_.size());
  return stream;
}

SecretStream SecretStream::of_seed(std::uint64_t seed) {
  start_sodium();
  SecretStream stream;
  stream.secret_ = false;
  std::memcpy(stream.key_.data(), &seed, sizeof seed);
  return stream;
}

SecretStream::~SecretStream() { sodium_memzero(key_.data(), key_.size()); }

void SecretStream::fill(Purpose purpose, std::uint64_t step, std::uint64_t index,
                        std::span<std::uint64_t> out) const {
  if (step >> 56 != 0) refuse("step", static_cast<double>(step), "a number below 2^56");
  if (out.empty()) return;
  if (index + (out.size() - 1) < index) {
    refuse("index", static_cast<double>(index), "numbers up to 2^64 - 1");
  }
  const std::uint64_t address = step << 8 | static_cast<std::uint64_t>(purpose);
  const auto nonce = std::bit_cast<Nonce>(address);

  if (const std::uint64_t skipped = index % kWordsPerBlock;
      skipped != 0) {  // starts inside a block
    std::array<std::uint64_t, kWordsPerBlock> first;
    blocks(key_, nonce, index / kWordsPerBlock, first);
    const std::size_t taken = std::min<std::size_t>(out.size(), kWordsPerBlock - skipped);
    std::copy_n(first.begin() + static_cast<std::ptrdiff_t>(skipped), taken, out.begin());
    index += taken;
    out = out.subspan(taken);
  }
  if (!out.empty()) blocks(key_, nonce, index / kWordsPerBlock, out);
}

}  // namespace ration
