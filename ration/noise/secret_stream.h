// Random bits that nobody can guess: a ChaCha20 stream (libsodium) whose key comes from the
// operating system, or, for tests, from a seed; then everything made with it is marked as not
// private. Numbers are addressed, not consumed: those of (purpose, step, index) are the same
// whoever asks, in any order and on any thread, and no two addresses share bits: the nonce is
// 256 step + purpose, and number i lies in block i / 8. docs/math/noise.md
//
// A key lives as long as its object and its copies, and is wiped with them. It is never saved: a
// process that resumes a run has a new key, so steps that are done again have new noise.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ration {

enum class Purpose : std::uint8_t {
  initial_parameters = 1,
  noise = 2,
  sampling = 3,
  noise_continued = 5,  // further bits of draws that the first ones do not decide
};

class SecretStream {
 public:
  static SecretStream of_the_system();
  static SecretStream of_seed(std::uint64_t seed);  // tests only

  SecretStream(const SecretStream&) = default;
  SecretStream& operator=(const SecretStream&) = default;
  ~SecretStream();

  bool is_secret() const { return secret_; }

  // 64-bit numbers index, index + 1, ... of the stream of this purpose and step. Refuses a step of
  // 2^56 or more, and numbers beyond index 2^64 - 1.
  void fill(Purpose purpose, std::uint64_t step, std::uint64_t index,
            std::span<std::uint64_t> out) const;

 private:
  SecretStream() = default;

  std::array<unsigned char, 32> key_{};
  bool secret_ = true;
};

}  // namespace ration
