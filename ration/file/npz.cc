#include "ration/file/npz.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/file/npy_header.h"
#include "ration/file/open_file.h"

namespace ration {
namespace {

// How a ZIP archive is laid out (PKWARE's APPNOTE 6.3.3), as far as NPZ files need it.
// Each part starts with its signature, and a fixed number of bytes before names and the like.
constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22;

constexpr std::string_view kEnding = ".npy";  // of each name in the archive
constexpr std::size_t kMostEntries = 1000, kLongestName = 100;

bool is_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), allowed);
}

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
    if (!is_name(entry.name) || !names.insert(entry.name).second) {
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
  if (entries.empty() || entries.size() > kMostEntries)
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
  Part part{.name = entry.name + std::string(kEnding),
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
    describe(local.u32(kLocal), part);
    file.write(local.text(part.name).bytes());
    file.write(part.header);
    file.write(std::as_bytes(entry.values));
    at += kLocalBytes + part.name.size() + part.bytes;

    constexpr std::size_t kMadeBy = 20;
    describe(directory.u32(kCentral).u16(kMadeBy), part);
    // No comment, one disk, no attributes.
    directory.u16(0).u16(0).u16(0).u32(0).u32(part.at).text(part.name);
  }
  file.write(directory.bytes());
  Record end;
  end.u32(kEnd).u16(0).u16(0).u16(entries.size()).u16(entries.size());
  end.u32(directory.bytes().size()).u32(at).u16(0);
  file.write(end.bytes());
  file.commit();
}

namespace {

constexpr std::string_view kAnNpzFile = "an NPZ file, as numpy.savez(file, ...) writes it";

// What the directory says of an array.
struct Entry {
  std::string name;
  std::size_t checksum, bytes, at;
};

class Archive {
 public:
  Archive(std::span<const std::byte> bytes, std::string source)
      : source_(std::move(source)),
        text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  std::map<std::string, NpzArray> arrays() {
    std::map<std::string, NpzArray> arrays;
    find_directory();
    std::size_t behind =
        0;  // the last array: they may not overlap, or a small file could fill memory
    std::size_t at = directory_;
    for (std::size_t i = 0; i < entries_; ++i) {
      const Entry entry = next_entry(at);
      if (entry.at < behind) refuse_damaged();
      NpzArray array = array_of(entry, behind);
      if (!arrays.emplace(entry.name, std::move(array)).second)
        refuse(source_, "with two arrays of one name", kAnNpzFile);
    }
    if (at != text_.size() - kEndBytes) refuse_damaged();
    return arrays;
  }

 private:
  [[noreturn]] void refuse_damaged() const { refuse(source_, "damaged or cut short", kAnNpzFile); }

  std::size_t number(std::size_t at, std::size_t bytes) const {
    if (at > text_.size() || text_.size() - at < bytes) refuse_damaged();
    std::size_t value = 0;
    for (std::size_t i = bytes; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(text_[at + i]);
    return value;
  }
  std::size_t u16(std::size_t at) const { return number(at, 2); }
  std::size_t u32(std::size_t at) const { return number(at, 4); }
  std::string_view part(std::size_t at, std::size_t bytes) const {
    if (at > text_.size() || text_.size() - at < bytes) refuse_damaged();
    return text_.substr(at, bytes);
  }

  // The end says where the directory is, and it ends there.
  void find_directory() {
    if (!text_.starts_with("PK")) refuse(source_, "of another format", kAnNpzFile);
    if (text_.size() < kEndBytes) refuse_damaged();
    const std::size_t end = text_.size() - kEndBytes;
    if (u32(end) != kEnd) refuse_damaged();
    entries_ = u16(end + 10);
    directory_ = u32(end + 16);
    if (u16(end + 4) != 0 || u16(end + 8) != entries_ || directory_ > end ||
        u32(end + 12) != end - directory_) {
      refuse_damaged();
    }
    if (entries_ == 0 || entries_ > kMostEntries)
      refuse(source_, fmt::format("of {} arrays", entries_), "an archive of 1 to 1000");
  }

  Entry next_entry(std::size_t& at) const {
    if (u32(at) != kCentral) refuse_damaged();
    const std::size_t name_bytes = u16(at + 28), extra = u16(at + 30), comment = u16(at + 32);
    const std::string_view name = part(at + kCentralBytes, name_bytes);
    if (!name.ends_with(kEnding) || !is_name(name.substr(0, name.size() - kEnding.size()))) {
      refuse(source_, "with a part that is no array, or has an unusual name", kAnNpzFile);
    }
    Entry entry{.name = std::string(name.substr(0, name.size() - kEnding.size())),
                .checksum = u32(at + 16),
                .bytes = u32(at + 24),
                .at = u32(at + 42)};
    constexpr std::size_t kEncrypted = 1;
    if (u16(at + 10) != 0 || u32(at + 20) != entry.bytes || (u16(at + 8) & kEncrypted) != 0)
      refuse(source_, "compressed or encrypted", kAnNpzFile);
    at += kCentralBytes + name_bytes + extra + comment;
    return entry;
  }

  NpzArray array_of(const Entry& entry, std::size_t& behind) const {
    const std::size_t name_bytes = u16(entry.at + 26), extra = u16(entry.at + 28);
    if (u32(entry.at) != kLocal ||
        part(entry.at + kLocalBytes, name_bytes) != entry.name + std::string(kEnding)) {
      refuse_damaged();
    }
    const std::size_t start = entry.at + kLocalBytes + name_bytes + extra;
    const std::string_view bytes = part(start, entry.bytes);
    behind = start + entry.bytes;
    if (behind > directory_ ||
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != entry.checksum) {
      refuse_damaged();
    }
    const std::string source = fmt::format("array {} of {}", entry.name, source_);
    const npy::Header header = npy::header_of(std::as_bytes(std::span(bytes)), source);
    if (header.type != npy::Type::float32)
      refuse(source, "an array of float64", "float32, as array.astype('<f4') makes");
    NpzArray array{.shape = header.shape, .values = std::vector<float>(header.values)};
    // In the archive values start anywhere.
    std::memcpy(array.values.data(), bytes.data() + header.offset, header.values * sizeof(float));
    return array;
  }

  std::string source_;
  std::string_view text_;
  std::size_t entries_ = 0, directory_ = 0;
};

}  // namespace

std::map<std::string, NpzArray> read_npz(const std::filesystem::path& path) {
  const MappedFile file(path, kAnNpzFile);
  return Archive(file.bytes(), path.string()).arrays();
}

}  // namespace ration
