// Records as bytes: whole numbers and doubles of 8 bytes, little-endian; text and bytes behind
// their length. What is equal has equal bytes, so that digests of records can be compared. Not for
// two threads at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ration/control/purse.h"
#include "ration/file/checksum.h"

namespace ration::ledger {

static_assert(std::endian::native == std::endian::little, "ledgers are little-endian");

using Blob = std::vector<std::byte>;

inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }
inline Checksum digest_of(Bytes bytes) { return checksum_of(std::span(&bytes, 1)); }

class Writer {
 public:
  Writer& whole(std::uint64_t value) { return raw(std::as_bytes(std::span(&value, 1))); }
  Writer& real(double value) { return whole(std::bit_cast<std::uint64_t>(value)); }
  Writer& bytes(Bytes value) { return whole(value.size()).raw(value); }
  Writer& text(std::string_view value) { return bytes(bytes_of(value)); }
  Writer& row(std::span<const Units> value) { return bytes(std::as_bytes(value)); }
  Writer& checksum(const Checksum& value) { return raw(value); }
  Writer& raw(Bytes value);

  const Blob& blob() const { return blob_; }

 private:
  Blob blob_;
};

// Refuses bytes that end too early.
class Reader {
 public:
  explicit Reader(Bytes rest) : rest_(rest) {}

  std::uint64_t whole();
  double real() { return std::bit_cast<double>(whole()); }
  Bytes bytes() { return raw(whole()); }
  std::string text();
  Row row() { return units(bytes()); }
  Checksum checksum();
  Bytes raw(std::uint64_t size);
  bool more() const { return !rest_.empty(); }

  static Row units(Bytes bytes);

 private:
  Bytes rest_;
};

}  // namespace ration::ledger
