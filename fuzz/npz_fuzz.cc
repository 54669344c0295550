// Whatever bytes come in, arrays come out or an Error: nothing else. What comes out fills its
// shapes, and no more than the file holds.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/memory_file.h"
#include "ration/base/error.h"
#include "ration/data/npz.h"

namespace {

void read(const std::string& bytes) {
  const ration::fuzz::MemoryFile memory(bytes);
  try {
    std::size_t all = 0;
    for (const auto& [name, array] : ration::read_npz(memory.path())) {
      std::size_t size = 1;
      for (const std::size_t length : array.shape) size *= length;
      if (name.empty() || size == 0 || size != array.values.size()) std::abort();
      all += 4 * size;
    }
    if (all == 0 || all > bytes.size()) std::abort();
  } catch (const ration::Error&) {
  }
}

std::string little_endian(std::size_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  read(text);
  // The same before an end that leads to its last 51 bytes as the directory of one array.
  const std::size_t directory = size - std::min<std::size_t>(size, 51);
  read("PK" + text + std::string("PK\x05\x06\0\0\0\0\x01\0\x01\0", 12) +
       little_endian(size - directory) + little_endian(directory + 2) + std::string(2, '\0'));
  return 0;
}
