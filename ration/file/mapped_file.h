// A file as read-only memory: nothing is read until it is looked at, and nothing is copied. The
// file must not change while it is mapped (one that shrinks ends the program); Ration's own files
// do not, for they are replaced whole (private_file.h). May be read from many threads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace ration {

class MappedFile {
 public:
  // Refuses what is no regular file, and an empty one. `what` is what a refusal asks for, as in
  // "the name of an NPY file".
  MappedFile(const std::filesystem::path& file, std::string_view what);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  // These bytes will not be looked at again soon: the memory they occupy may serve others. What
  // happens when they are looked at all the same: they are read again.
  void release(std::span<const std::byte> bytes) const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace ration
