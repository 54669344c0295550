// How a journal is laid out: docs/state.md. Shared by its writer and its reader.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ration/file/checksum.h"

namespace ration::train::journal {

static_assert(std::endian::native == std::endian::little,
              "norms are written as they lie in memory");

inline constexpr std::string_view kMagic = "\x89RATJNL\n";  // 8 bytes
inline constexpr std::uint32_t kVersion = 1;

struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t zero;
  std::uint64_t generation;
  std::uint64_t people;
  Checksum checksum;  // of the 32 bytes before
};
static_assert(sizeof(FileHeader) == 64);

// A record's length follows from its kind. norms: this header, a float for each person, and the
// checksum of (header's checksum, floats). again: this header alone.
enum class Kind : std::uint64_t { norms = 1, again = 2 };
struct RecordHeader {
  Kind kind;
  Checksum checksum;  // of (last checksum before this record, kind)
};
static_assert(sizeof(RecordHeader) == 40);

// Each checksum covers the one before, so that a record is right only where it was written: after
// all the others of this journal.
inline Checksum link(const Checksum& before, Bytes bytes) {
  const std::array<Bytes, 2> parts = {Bytes(before), bytes};
  return checksum_of(parts);
}
inline RecordHeader header_after(const Checksum& before, Kind kind) {
  return {.kind = kind, .checksum = link(before, std::as_bytes(std::span(&kind, 1)))};
}

}  // namespace ration::train::journal
