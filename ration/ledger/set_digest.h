// A digest of a set of digests, in any order: to put one in or take one out costs the same whether
// there are ten or a million, and two sets with the same digest cannot be found (LtHash: Bellare,
// Micciancio 1997; Lewi, Kim, Maykov, Weis 2019). Each element is stretched to 1024 numbers of 16
// bits, by ChaCha20 with the element as its key, and these are added up place by place. So what was
// changed behind the ledger's back stays a difference for ever, whatever is changed after. Values.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ration/file/checksum.h"

namespace ration::ledger {

class SetDigest {
 public:
  static constexpr std::size_t kSize = 2048;  // bytes

  SetDigest() = default;
  explicit SetDigest(Bytes bytes);  // of kSize

  void add(const Checksum& element);
  void remove(const Checksum& element);
  Bytes bytes() const { return std::as_bytes(std::span(sums_)); }

  friend bool operator==(const SetDigest&, const SetDigest&) = default;

 private:
  using Sums = std::array<std::uint16_t, kSize / sizeof(std::uint16_t)>;
  static Sums stretched(const Checksum& element);

  Sums sums_ = {};
};

}  // namespace ration::ledger
