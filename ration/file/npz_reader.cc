#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/mapped_file.h"
#include "ration/file/npy_header.h"
#include "ration/file/npz.h"
#include "ration/file/npz_format.h"

namespace ration {
namespace {

constexpr std::string_view kAccepted = "an NPZ file, as numpy.savez(file, ...) writes it";

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
        refuse(source_, "with two arrays of one name", kAccepted);
    }
    if (at != text_.size() - npz::kEndBytes) refuse_damaged();
    return arrays;
  }

 private:
  [[noreturn]] void refuse_damaged() const { refuse(source_, "damaged or cut short", kAccepted); }

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
    if (!text_.starts_with("PK")) refuse(source_, "of another format", kAccepted);
    if (text_.size() < npz::kEndBytes) refuse_damaged();
    const std::size_t end = text_.size() - npz::kEndBytes;
    if (u32(end) != npz::kEnd) refuse_damaged();
    entries_ = u16(end + 10);
    directory_ = u32(end + 16);
    if (u16(end + 4) != 0 || u16(end + 8) != entries_ || directory_ > end ||
        u32(end + 12) != end - directory_) {
      refuse_damaged();
    }
    if (entries_ == 0 || entries_ > npz::kMostEntries)
      refuse(source_, fmt::format("of {} arrays", entries_), "an archive of 1 to 1000");
  }

  Entry next_entry(std::size_t& at) const {
    if (u32(at) != npz::kCentral) refuse_damaged();
    const std::size_t name_bytes = u16(at + 28), extra = u16(at + 30), comment = u16(at + 32);
    const std::string_view name = part(at + npz::kCentralBytes, name_bytes);
    if (!name.ends_with(npz::kEnding) ||
        !npz::is_name(name.substr(0, name.size() - npz::kEnding.size()))) {
      refuse(source_, "with a part that is no array, or has an unusual name", kAccepted);
    }
    Entry entry{.name = std::string(name.substr(0, name.size() - npz::kEnding.size())),
                .checksum = u32(at + 16),
                .bytes = u32(at + 24),
                .at = u32(at + 42)};
    constexpr std::size_t kEncrypted = 1;
    if (u16(at + 10) != 0 || u32(at + 20) != entry.bytes || (u16(at + 8) & kEncrypted) != 0)
      refuse(source_, "compressed or encrypted", kAccepted);
    at += npz::kCentralBytes + name_bytes + extra + comment;
    return entry;
  }

  NpzArray array_of(const Entry& entry, std::size_t& behind) const {
    const std::size_t name_bytes = u16(entry.at + 26), extra = u16(entry.at + 28);
    if (u32(entry.at) != npz::kLocal ||
        part(entry.at + npz::kLocalBytes, name_bytes) != entry.name + std::string(npz::kEnding)) {
      refuse_damaged();
    }
    const std::size_t start = entry.at + npz::kLocalBytes + name_bytes + extra;
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
  const MappedFile file(path, kAccepted);
  return Archive(file.bytes(), path.string()).arrays();
}

}  // namespace ration
