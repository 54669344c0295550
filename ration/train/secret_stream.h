// Random bits that nobody can guess: a ChaCha20 stream (libsodium) whose key comes from the
// operating system, or, for tests, from a seed; then everything made with it is marked as not
// private. Numbers are addressed, not consumed: those of (purpose, step, index) are the same
// whoever asks, in any order and on any thread, and no two addresses share bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace ration {

enum class Purpose : std::uint32_t { initial_parameters = 1, noise = 2, sampling = 3, split = 4 };

class SecretStream {
 public:
  static SecretStream of_the_system();
  static SecretStream of_seed(std::uint64_t seed);  // tests only

  bool is_secret() const { return secret_; }

  // 64-bit numbers index, index + 1, ... of the stream of this purpose and step.
  void fill(Purpose purpose, std::uint64_t step, std::uint64_t index,
            std::span<std::uint64_t> out) const;

 private:
  std::array<unsigned char, 32> key_{};
  bool secret_ = true;
};

}  // namespace ration
