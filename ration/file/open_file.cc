#include "ration/file/open_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "ration/base/error.h"

namespace ration {
namespace {

[[noreturn]] void cannot_read(const std::filesystem::path& file) {
  throw Error("cannot read " + file.string() + ": " + std::generic_category().message(errno));
}

// munmap and madvise take what they only read as writable.
void* address(std::span<const std::byte> bytes) { return const_cast<std::byte*>(bytes.data()); }

}  // namespace

std::filesystem::file_type type_of(const std::filesystem::path& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::none) {
    throw Error("cannot look at " + path.string() + ": " + failed.message());
  }
  return status.type();
}

MappedFile::MappedFile(const std::filesystem::path& file, std::string_view what) {
  // Without waiting: a pipe that nobody writes to is refused at once, as any pipe.
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!descriptor.is_open() || fstat(descriptor.number(), &status) != 0) cannot_read(file);
  if (!S_ISREG(status.st_mode)) {
    refuse(file.string(), S_ISDIR(status.st_mode) ? "a folder" : "no regular file", what);
  }
  if (status.st_size == 0) refuse(file.string(), "empty", what);
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
  if (data == MAP_FAILED) cannot_read(file);
  bytes_ = {static_cast<const std::byte*>(data), size};
  madvise(data, size, MADV_SEQUENTIAL);  // advice: nothing depends on it being taken
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, std::span<const std::byte>())) {}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(address(bytes_), bytes_.size());
}

void MappedFile::release(std::span<const std::byte> bytes) const {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = (from + page - 1) / page * page;
  const std::uintptr_t end = (from + bytes.size()) / page * page;
  if (first >= end) return;
  madvise(address(bytes.subspan(first - from)), end - first, MADV_DONTNEED);
}

}  // namespace ration
