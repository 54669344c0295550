// Links of the chain: every change of a ledger is one, and each holds the hash of the one before
// it. Whoever has written down the last hash, the head, can tell whether a ledger still holds all
// that had happened by then. The hashes' key is the ledger's nonce, which stays in its file:
// without it a head tells nothing, also to somebody who knows all but one person's data. Whoever
// may write the file has the key. Values and pure functions. docs/ledger.md
#pragma once

#include <cstdint>
#include <string>

#include "ration/ledger/encoding.h"

namespace ration::ledger {

struct Link {
  std::uint64_t number = 0;
  std::string kind = {};
  std::string time = {};   // for people who read it; nothing depends on it
  std::string token = {};  // of the request, or empty
  Blob body = {};          // what was asked for: bodies.h
  Checksum answer = {};    // of what was answered
  Checksum state = {};     // of everybody's accounts afterwards
  Checksum previous = {};  // the hash of the link before; zeros in the first
  Checksum hash = {};
};

Checksum hash_of(const Link& link, const Checksum& key);  // of all but its hash
Blob record_of(const Link& link);
Link link_in(std::uint64_t number, Bytes record);

// Hashes as people see them: 64 digits.
std::string hex(const Checksum& hash);
Checksum hash_in(std::string_view text);  // refuses what is none

}  // namespace ration::ledger
