// A file's bytes from first to last: inflated if they are gzip (RFC 1952, of one member or
// several), else as they are; what the bytes are decides, not the file's name. Never holds more
// than a block of them, so that what a file announces can be compared with what it holds before
// memory is taken. Not for two threads at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "ration/file/open_file.h"

struct z_stream_s;  // zlib's

namespace ration {

bool starts_gzip(std::span<const std::byte> bytes);

// The file, or what it holds if it is gzip: then as memory of its own. Refuses what this machine
// has no memory for before any is taken.
MappedFile inflated(MappedFile file, const std::string& source);

class InflatedBytes {
 public:
  // `file` stays where it is, as in a MappedFile. `source` is what a refusal calls it.
  InflatedBytes(std::span<const std::byte> file, std::string source);

  // The next bytes. Refuses a file that ends before, and one that is damaged: the checksum of a
  // member is compared where the member ends.
  void read(std::span<std::byte> out);
  // As many of them as there are at hand; 0 at the end only.
  std::size_t read_some(std::span<std::byte> out);
  void skip(std::size_t count);
  // Refuses a file that goes on, or whose checksum is wrong.
  void finish();

  std::size_t left() const { return left_.size(); }  // of the file, as it is

 private:
  std::size_t inflate_some(std::span<std::byte> out);
  void start_next_member();
  [[noreturn]] void refuse_short() const;

  struct End {
    void operator()(z_stream_s* stream) const;
  };
  std::string source_;
  std::span<const std::byte> left_;          // of the file
  std::unique_ptr<z_stream_s, End> stream_;  // none if the file is no gzip
  bool within_member_ = false;
};

}  // namespace ration
