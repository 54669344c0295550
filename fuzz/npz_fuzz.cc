// Whatever bytes come in, arrays come out or an Error: nothing else. What comes out fills its
// shapes, and no more than the file holds.

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/memory_file.h"
#include "ration/base/error.h"
#include "ration/file/npz.h"

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

std::string u16(std::size_t value) {
  return {static_cast<char>(value & 255), static_cast<char>(value >> 8 & 255)};
}
std::string u32(std::size_t value) { return u16(value) + u16(value >> 16); }

// An archive of one array, a, with these bytes and the right checksum.
std::string archive_of(const std::string& array) {
  const std::size_t checksum =
      crc32(0, reinterpret_cast<const Bytef*>(array.data()), static_cast<uInt>(array.size()));
  const std::string shared = u16(20) + u16(0) + u16(0) + u32(0) + u32(checksum) +
                             u32(array.size()) + u32(array.size()) + u16(5) + u16(0);
  const std::string local = "PK\x03\x04" + shared + "a.npy" + array;
  const std::string central =
      "PK\x01\x02" + u16(20) + shared + u16(0) + u16(0) + u16(0) + u32(0) + u32(0) + "a.npy";
  return local + central + "PK\x05\x06" + u32(0) + u16(1) + u16(1) + u32(central.size()) +
         u32(local.size()) + u16(0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  read(text);
  read(archive_of(text));
  // 54 characters of dict, then values.
  std::string dict = text.substr(0, 54);
  dict.resize(54, ' ');
  const std::string good = archive_of(std::string("\x93NUMPY\x01\x00\x36\x00", 10) + dict +
                                      text.substr(std::min<std::size_t>(54, size)));
  read(good);
  // The first byte says what is changed in the directory, which takes the last 73 bytes.
  if (size < 2) return 0;
  std::string bad = good;
  bad[bad.size() - 1 - data[0] % 73] = text[1];
  read(bad);
  return 0;
}
