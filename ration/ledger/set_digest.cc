#include "ration/ledger/set_digest.h"

#include <sodium.h>

#include <cstring>
#include <stdexcept>

namespace ration::ledger {

static_assert(crypto_stream_chacha20_KEYBYTES == sizeof(Checksum));

SetDigest::SetDigest(Bytes bytes) {
  if (bytes.size() != kSize) throw std::logic_error("a digest of a set has another size");
  std::memcpy(sums_.data(), bytes.data(), kSize);
}

SetDigest::Sums SetDigest::stretched(const Checksum& element) {
  Sums sums{};
  const std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> zeros{};
  crypto_stream_chacha20(reinterpret_cast<unsigned char*>(sums.data()), kSize, zeros.data(),
                         reinterpret_cast<const unsigned char*>(element.data()));
  return sums;
}

void SetDigest::add(const Checksum& element) {
  const Sums more = stretched(element);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_[i] = static_cast<std::uint16_t>(sums_[i] + more[i]);
  }
}

void SetDigest::remove(const Checksum& element) {
  const Sums less = stretched(element);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_[i] = static_cast<std::uint16_t>(sums_[i] - less[i]);
  }
}

}  // namespace ration::ledger
