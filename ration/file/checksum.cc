#include "ration/file/checksum.h"

#include <fmt/format.h>
#include <sodium.h>

#include "ration/base/error.h"

namespace ration {

Checksum checksum_of(std::span<const Bytes> parts) {
  // Chooses the instructions; done once, however many threads ask.
  static const bool ready = sodium_init() >= 0;
  if (!ready) throw Error("libsodium cannot start: the system gives no random numbers");
  const auto unsigned_bytes = [](const auto* bytes) {
    return reinterpret_cast<const unsigned char*>(bytes);
  };
  Checksum result{};
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, result.size());
  for (const Bytes part : parts)
    crypto_generichash_update(&state, unsigned_bytes(part.data()), part.size());
  crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(result.data()), result.size());
  return result;
}

std::string hexadecimal(const Checksum& checksum) {
  std::string text;
  for (const std::byte byte : checksum) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return text;
}

}  // namespace ration
