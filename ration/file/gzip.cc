#include "ration/file/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "ration/base/error.h"

namespace ration {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits

// How many bytes a file holds, up to the first block that takes it beyond `most`.
std::size_t inflated_size(std::span<const std::byte> file, const std::string& source,
                          std::size_t most) {
  InflatedBytes bytes(file, source);
  std::array<std::byte, 1 << 16> block;
  std::size_t size = 0;
  for (std::size_t got = 1; got > 0 && size <= most; size += got) got = bytes.read_some(block);
  return size;
}

}  // namespace

bool starts_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

MappedFile inflated(MappedFile file, const std::string& source) {
  if (!starts_gzip(file.bytes())) return file;
  const std::size_t most = physical_memory();
  const std::size_t size = inflated_size(file.bytes(), source, most);
  if (size == 0) refuse(source, "a gzip file of nothing", "one that holds something");
  if (size > most) {
    refuse(source, "larger than this machine's memory once it is inflated",
           "it as gunzip leaves it, which is read in place");
  }
  return MappedFile::in_memory(size, [&](std::span<std::byte> memory) {
    InflatedBytes bytes(file.bytes(), source);
    bytes.read(memory);
    bytes.finish();
  });
}

void InflatedBytes::End::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

InflatedBytes::InflatedBytes(std::span<const std::byte> file, std::string source)
    : source_(std::move(source)), left_(file) {
  if (!starts_gzip(file)) return;
  auto stream = std::make_unique<z_stream>();
  constexpr int kGzip = 15 + 16;  // the largest window, and gzip's header and trailer around it
  if (inflateInit2(stream.get(), kGzip) != Z_OK) throw std::bad_alloc();
  stream_.reset(stream.release());
  within_member_ = true;
}

void InflatedBytes::refuse_short() const { refuse(source_, "cut short", "the whole file"); }

void InflatedBytes::start_next_member() {
  if (!starts_gzip(left_)) {
    refuse(source_, "a gzip file with other bytes behind its end", "a gzip file and nothing else");
  }
  inflateReset(stream_.get());
  within_member_ = true;
}

// Members may be empty, and the last block of one may hold its trailer alone: both give no bytes
// and are no end.
std::size_t InflatedBytes::inflate_some(std::span<std::byte> out) {
  const std::size_t wanted = std::min(out.size(), kMost);
  for (;;) {
    if (!within_member_) {
      if (left_.empty()) return 0;
      start_next_member();
    }
    const std::size_t given = std::min(left_.size(), kMost);
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(left_.data()));
    stream_->avail_in = static_cast<uInt>(given);
    stream_->next_out = reinterpret_cast<Bytef*>(out.data());
    stream_->avail_out = static_cast<uInt>(wanted);
    const int status = inflate(stream_.get(), Z_NO_FLUSH);
    left_ = left_.subspan(given - stream_->avail_in);
    const std::size_t got = wanted - stream_->avail_out;
    if (status == Z_STREAM_END) {
      within_member_ = false;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      refuse(source_, "a damaged gzip file", "one that gzip --test finds right");
    } else if (got == 0 && left_.empty()) {
      refuse_short();
    }
    if (got > 0) return got;
  }
}

std::size_t InflatedBytes::read_some(std::span<std::byte> out) {
  if (stream_) return inflate_some(out);
  const std::size_t got = std::min(out.size(), left_.size());
  std::memcpy(out.data(), left_.data(), got);
  left_ = left_.subspan(got);
  return got;
}

void InflatedBytes::read(std::span<std::byte> out) {
  while (!out.empty()) {
    const std::size_t got = read_some(out);
    if (got == 0) refuse_short();
    out = out.subspan(got);
  }
}

void InflatedBytes::skip(std::size_t count) {
  if (!stream_) {
    if (count > left_.size()) refuse_short();
    left_ = left_.subspan(count);
    return;
  }
  std::array<std::byte, 1 << 16> block;
  while (count > 0) {
    const std::size_t got = std::min(count, block.size());
    read(std::span(block).first(got));
    count -= got;
  }
}

void InflatedBytes::finish() {
  std::array<std::byte, 1> more;
  if (read_some(more) != 0) {
    refuse(source_, "longer than it says", "a file that holds what its header says, and no more");
  }
}

}  // namespace ration
