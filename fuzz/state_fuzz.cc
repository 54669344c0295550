// Whatever bytes come in, a state comes out or an Error: nothing else. Every section of a state
// that comes out can be looked at.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fuzz/memory_file.h"
#include "ration/base/error.h"
#include "ration/file/checksum.h"
#include "ration/state/state_file.h"

namespace {

template <class Value>
void look_at(ration::StateReader& reader, const std::string& name) {
  try {
    volatile Value sum{};
    for (const Value value : reader.array<Value>(name)) sum = static_cast<Value>(sum + value);
  } catch (const ration::Error&) {
  }
}

void read(const std::string& bytes) {
  const ration::fuzz::MemoryFile memory(bytes);
  try {
    ration::StateReader reader(memory.path());
    for (const std::string name : {"a", "b", "c"}) {
      look_at<std::uint8_t>(reader, name);
      look_at<std::uint32_t>(reader, name);
      look_at<std::uint64_t>(reader, name);
      look_at<double>(reader, name);
      look_at<float>(reader, name);
      look_at<char>(reader, name);
    }
    reader.finish();
  } catch (const ration::Error&) {
  }
}

// With the length and checksum that belong to the bytes.
std::string sealed(std::string bytes) {
  const std::uint64_t length = bytes.size() + sizeof(ration::Checksum);
  bytes.replace(16, 8, reinterpret_cast<const char*>(&length), 8);
  const ration::Bytes covered = std::as_bytes(std::span(bytes));
  const ration::Checksum checksum = ration::checksum_of({&covered, 1});
  return bytes.append(reinterpret_cast<const char*>(checksum.data()), checksum.size());
}

std::string padded(std::string text, std::size_t size) {
  text.resize(size, '\0');
  return text;
}

// A header, and up to three section headers that the input chooses: name, type and count in three
// bytes each. What is left of the input is contents.
std::string likely(const std::string& input) {
  const std::size_t sections = std::min<std::size_t>(input.size() / 3, 3);
  std::string bytes = std::string(ration::state::kMagic) + padded("\1", 4);
  bytes += padded(std::string(1, static_cast<char>(sections)), 12) + padded("k", 40);
  for (std::size_t i = 0; i < sections; ++i) {
    bytes += padded(input.substr(3 * i, 1), 48) + padded(input.substr(3 * i + 1, 1), 8) +
             padded(input.substr(3 * i + 2, 1), 8);
  }
  return bytes + input.substr(3 * sections);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  read(bytes);
  // Under a right checksum only the structure counts.
  read(sealed(likely(bytes)));
  if (size >= sizeof(ration::state::FileHeader)) {
    read(sealed(std::string(ration::state::kMagic) + padded("\1", 4) + bytes.substr(12)));
  }
  return 0;
}
