#include "ration/file/open_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <new>
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

RegularFile::RegularFile(std::filesystem::path file, std::string_view what)
    : path_(std::move(file)),
      // Without waiting: a pipe that nobody writes to is refused at once, as any pipe.
      descriptor_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  if (!descriptor_.is_open() || fstat(descriptor_.number(), &status) != 0) cannot_read(path_);
  if (!S_ISREG(status.st_mode)) {
    refuse(path_.string(), S_ISDIR(status.st_mode) ? "a folder" : "no regular file", what);
  }
  if (status.st_size == 0) refuse(path_.string(), "empty", what);
  size_ = static_cast<std::size_t>(status.st_size);
}

void RegularFile::read(std::size_t from, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count =
        pread(descriptor_.number(), to.data(), to.size(), static_cast<off_t>(from));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) cannot_read(path_);
    if (count == 0) throw Error("cannot read " + path_.string() + ": it was cut short meanwhile");
    from += static_cast<std::size_t>(count);
    to = to.subspan(static_cast<std::size_t>(count));
  }
}

MappedFile::MappedFile(const std::filesystem::path& path, std::string_view what) {
  const RegularFile file(path, what);
  void* const data =
      mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor().number(), 0);
  if (data == MAP_FAILED) cannot_read(path);
  bytes_ = {static_cast<const std::byte*>(data), file.size()};
  madvise(data, file.size(), MADV_SEQUENTIAL);  // advice: nothing depends on it being taken
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, std::span<const std::byte>())),
      has_file_(other.has_file_) {}

MappedFile MappedFile::in_memory(std::size_t size,
                                 const std::function<void(std::span<std::byte>)>& fill) {
  void* const data =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  MappedFile memory(std::span{static_cast<const std::byte*>(data), size});
  fill({static_cast<std::byte*>(data), size});
  return memory;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(address(bytes_), bytes_.size());
}

void MappedFile::release(std::span<const std::byte> bytes) const {
  if (!has_file_) return;  // it would come back as zeros
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = (from + page - 1) / page * page;
  const std::uintptr_t end = (from + bytes.size()) / page * page;
  if (first >= end) return;
  madvise(address(bytes.subspan(first - from)), end - first, MADV_DONTNEED);
}

std::size_t physical_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace ration
