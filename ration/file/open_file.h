// Files as the operating system has them: what a path leads to, an open file, a file that is read,
// and a file as read-only memory. What can be told of a path, and a mapped file, may be asked for
// from many threads.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

namespace ration {

// What a path leads to, links followed; not_found if there is nothing. Refuses, with the reason, a
// path that cannot be looked at: a name that is too long, links that go in a circle, a folder that
// may not be entered.
std::filesystem::file_type type_of(const std::filesystem::path& path);

inline bool is_there(const std::filesystem::path& path) {
  return type_of(path) != std::filesystem::file_type::not_found;
}
inline bool is_folder(const std::filesystem::path& path) {
  return type_of(path) == std::filesystem::file_type::directory;
}

// An open file, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (is_open()) close(number_);
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

// A regular file that is read by copying: whatever another process does to the file, what was
// copied stays, and a file that has shrunk is an error. May be read from many threads.
class RegularFile {
 public:
  // Refuses an empty file, and anything but a regular file. `what` is what a refusal asks for, as
  // in "the name of an NPY file".
  RegularFile(std::filesystem::path file, std::string_view what);

  std::size_t size() const { return size_; }  // when it was opened
  const Descriptor& descriptor() const { return descriptor_; }

  // Fills all of `to` with the bytes from this one on.
  void read(std::size_t from, std::span<std::byte> to) const;

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
  std::size_t size_ = 0;
};

// A file as read-only memory: nothing is read until it is looked at, and nothing is copied. The
// file must not change while it is mapped (one that shrinks ends the program); Ration's own files
// do not, for they are replaced whole (atomic_file.h).
class MappedFile {
 public:
  // Refuses as RegularFile does.
  MappedFile(const std::filesystem::path& path, std::string_view what);
  // Memory that `fill` writes once, in the place of a file that is read otherwise (gzip.h).
  static MappedFile in_memory(std::size_t size,
                              const std::function<void(std::span<std::byte>)>& fill);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  // These bytes will not be looked at again soon: the memory they occupy may serve others. If they
  // are looked at all the same, they are read again. Memory without a file stays as it is.
  void release(std::span<const std::byte> bytes) const;

 private:
  explicit MappedFile(std::span<const std::byte> memory) : bytes_(memory), has_file_(false) {}

  std::span<const std::byte> bytes_;
  bool has_file_ = true;
};

// Of the whole machine, in bytes: Linux promises memory that it does not have, and ends the program
// that comes to use it.
std::size_t physical_memory();

}  // namespace ration
