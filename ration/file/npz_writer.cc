#include <fmt/format.h>
#include <zlib.h>

#include <limits>
#include <set>

#include "ration/base/error.h"
#include "ration/file/npy_header.h"
#include "ration/file/npz.h"
#include "ration/file/npz_format.h"
#include "ration/file/private_file.h"

namespace ration {
namespace {

// Numbers of 2 and 4 bytes, little-endian.
class Record {
 public:
  Record& u16(std::size_t value) { return put(value, 2); }
  Record& u32(std::size_t value) { return put(value, 4); }
  Record& text(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& put(std::size_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 255);
    return *this;
  }
  std::string bytes_;
};

std::size_t bytes_of(const NpzEntry& entry) { return entry.values.size() * sizeof(float); }

void check(std::span<const NpzEntry> entries) {
  std::set<std::string_view> names;
  double total = 0;
  for (const NpzEntry& entry : entries) {
    if (!npz::is_name(entry.name) || !names.insert(entry.name).second) {
      refuse("name of an array", fmt::format("'{}'", entry.name),
             "another one for each array, of at most 100 letters, digits, '.', '_' and '-'");
    }
    std::size_t size = 1;
    bool fits = entry.shape.size() == 1 || entry.shape.size() == 2;
    for (const std::size_t length : entry.shape)
      fits = fits && length > 0 && !__builtin_mul_overflow(size, length, &size);
    if (!fits || size != entry.values.size()) {
      refuse("shape of " + entry.name, "another than its values fill",
             "one or two dimensions, filled with values");
    }
    total += static_cast<double>(bytes_of(entry)) + 1000;  // for all headers
  }
  if (entries.empty() || entries.size() > npz::kMostEntries)
    refuse("number of arrays", std::to_string(entries.size()), "1 to 1000");
  if (total > double{std::numeric_limits<std::uint32_t>::max()})
    refuse("arrays to write", fmt::format("{:.1f} GB", total / 1e9), "less than 4.29 GB");
}

struct Part {
  std::string name, header;
  std::size_t bytes, checksum, at;  // where its local header starts
};

// What local header and central directory both say of a part.
void describe(Record& record, const Part& part) {
  constexpr std::size_t kVersion = 20, kNoFlags = 0, kStored = 0;
  constexpr std::size_t kMidnight = 0, kFirstDay = 1 << 5 | 1;  // of 1980: the same file every day
  record.u16(kVersion).u16(kNoFlags).u16(kStored).u16(kMidnight).u16(kFirstDay);
  record.u32(part.checksum).u32(part.bytes).u32(part.bytes).u16(part.name.size()).u16(0);
}

Part part_of(const NpzEntry& entry, std::size_t at) {
  Part part{.name = entry.name + std::string(npz::kEnding),
            .header = npy::header_text("<f4", entry.shape),
            .bytes = 0,
            .checksum = 0,
            .at = at};
  part.bytes = part.header.size() + bytes_of(entry);
  const uLong start =
      crc32_z(0, reinterpret_cast<const Bytef*>(part.header.data()), part.header.size());
  part.checksum =
      crc32_z(start, reinterpret_cast<const Bytef*>(entry.values.data()), bytes_of(entry));
  return part;
}

}  // namespace

void write_npz(const std::filesystem::path& target, std::span<const NpzEntry> entries) {
  check(entries);
  PrivateFile file(target);
  Record directory;
  std::size_t at = 0;
  for (const NpzEntry& entry : entries) {
    const Part part = part_of(entry, at);
    Record local;
    describe(local.u32(npz::kLocal), part);
    file.write(local.text(part.name).bytes());
    file.write(part.header);
    file.write(std::as_bytes(entry.values));
    at += npz::kLocalBytes + part.name.size() + part.bytes;

    constexpr std::size_t kMadeBy = 20;
    describe(directory.u32(npz::kCentral).u16(kMadeBy), part);
    // No comment, one disk, no attributes.
    directory.u16(0).u16(0).u16(0).u32(0).u32(part.at).text(part.name);
  }
  file.write(directory.bytes());
  Record end;
  end.u32(npz::kEnd).u16(0).u16(0).u16(entries.size()).u16(entries.size());
  end.u32(directory.bytes().size()).u32(at).u16(0);
  file.write(end.bytes());
  file.commit();
}

}  // namespace ration
