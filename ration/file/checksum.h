// BLAKE2b of 32 bytes: tells whether bytes are the ones that were written. It has no key, so it
// protects against accidents, not against somebody who writes a new checksum as well. Pure
// functions.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace ration {

using Checksum = std::array<std::byte, 32>;
using Bytes = std::span<const std::byte>;

Checksum checksum_of(std::span<const Bytes> parts);  // as if they were one
std::string hexadecimal(const Checksum& checksum);   // as `b2sum -l 256` writes it

}  // namespace ration
