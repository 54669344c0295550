// A file that only this process sees: it has no name, only its owner may read it (mode 0600), and
// it is gone when the object is, also when the process is killed. It lies where temporary files
// belong (TMPDIR, or /tmp). What cannot be written is a WriteFailure. Not for two threads at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "ration/file/open_file.h"

namespace ration {

class TemporaryFile {
 public:
  TemporaryFile();

  void append(std::span<const std::byte> bytes);
  // All that standard input has, up to its end.
  void append_standard_input();
  std::size_t size() const { return size_; }
  // Fills all of `to` with the bytes from this one on.
  void read(std::size_t from, std::span<std::byte> to) const;
  // As memory. Refuses an empty file; `what` is what a refusal asks for.
  MappedFile mapped(std::string_view what) const;

 private:
  std::filesystem::path folder_;
  Descriptor file_;
  std::size_t size_ = 0;
};

}  // namespace ration
