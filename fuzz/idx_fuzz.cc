// Whatever bytes come in, plain or gzip, images or labels come out or an Error: nothing else. All
// values that come out are within 0 and 1.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/memory_file.h"
#include "ration/base/error.h"
#include "ration/file/idx.h"

namespace {

void read(const std::string& bytes) {
  const ration::fuzz::MemoryFile memory(bytes);
  try {
    const ration::Table table = ration::read_idx_rows(memory.path());
    if (table.values.empty() || table.values.size() != table.rows * table.columns) std::abort();
    for (const float value : table.values)
      if (!(value >= 0 && value <= 1)) std::abort();
  } catch (const ration::Error&) {
  }
  try {
    if (ration::read_idx_bytes(memory.path()).empty()) std::abort();
  } catch (const ration::Error&) {
  }
}

// The bytes in one deflate block that is stored as it is, so that what is fuzzed gets past the
// compression; the checksum is then wrong, which is found at the end.
std::string stored(const std::string& bytes) {
  const std::size_t size = bytes.size() & 0xffff;
  std::string file("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01", 11);
  for (const std::size_t half : {size, size ^ 0xffff})
    file += {static_cast<char>(half & 255), static_cast<char>(half >> 8)};
  return file + bytes.substr(0, size) + std::string(8, '\0');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  read(text);
  read(std::string("\x00\x00\x08", 3) + text);
  read("\x1f\x8b\x08" + text);
  read(stored(text));
  return 0;
}
