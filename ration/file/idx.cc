#include "ration/file/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "ration/base/error.h"
#include "ration/file/gzip.h"
#include "ration/file/open_file.h"

namespace ration {
namespace {

constexpr std::string_view kAnIdxFile = "an IDX file of unsigned bytes, as MNIST comes in";

struct Shape {
  std::size_t people = 0, each = 1, dimensions = 0;
  std::size_t bytes() const { return people * each; }  // below 2^63
};

std::size_t big_endian(std::span<const std::byte, 4> bytes) {
  std::size_t value = 0;
  for (const std::byte b : bytes) value = value << 8 | std::to_integer<std::size_t>(b);
  return value;
}

// Two zeros, the type (8: unsigned bytes), the number of dimensions, and the length of each.
Shape shape_in(InflatedBytes& bytes, const std::string& source) {
  std::array<std::byte, 4> word;
  bytes.read(word);
  if (word[0] != std::byte{0} || word[1] != std::byte{0}) {
    refuse(source, "of another format", kAnIdxFile);
  }
  if (word[2] != std::byte{8}) {
    refuse(source, fmt::format("an IDX file of type 0x{:02x}", std::to_integer<int>(word[2])),
           "type 0x08, unsigned bytes");
  }
  Shape shape{.dimensions = std::to_integer<std::size_t>(word[3])};
  if (shape.dimensions < 1 || shape.dimensions > 4) {
    refuse(source, fmt::format("{}-dimensional", shape.dimensions), "one to four dimensions");
  }
  for (std::size_t i = 0; i < shape.dimensions; ++i) {
    bytes.read(word);
    const std::size_t length = big_endian(word);
    if (length == 0) {
      refuse(source, "an IDX file without values", "at least one in every dimension");
    }
    std::size_t& count = i == 0 ? shape.people : shape.each;
    if (__builtin_mul_overflow(i == 0 ? 1 : count, length, &count)) {
      refuse(source, "of sizes beyond 2^64", "smaller ones");
    }
  }
  std::size_t total = 0;
  if (__builtin_mul_overflow(shape.people, shape.each, &total) || total >> 63 != 0) {
    refuse(source, "of sizes beyond 2^63", "smaller ones");
  }
  return shape;
}

// A file twice: to check it, and to read it.
class IdxFile {
 public:
  explicit IdxFile(const std::filesystem::path& file)
      : source_(file.string()), file_(file, kAnIdxFile) {
    InflatedBytes bytes(file_.bytes(), source_);
    shape_ = shape_in(bytes, source_);
  }

  const Shape& shape() const { return shape_; }

  // From the first value on, after all of them were found there, and nothing behind them.
  InflatedBytes checked_values() const {
    InflatedBytes check(file_.bytes(), source_);
    check.skip(header_bytes());
    check.skip(shape_.bytes());
    check.finish();
    InflatedBytes bytes(file_.bytes(), source_);
    bytes.skip(header_bytes());
    return bytes;
  }

 private:
  std::size_t header_bytes() const { return 4 + 4 * shape_.dimensions; }

  std::string source_;
  MappedFile file_;
  Shape shape_;
};

}  // namespace

Table read_idx_rows(const std::filesystem::path& path) {
  const IdxFile file(path);
  const Shape& shape = file.shape();
  if (shape.dimensions == 1) {
    refuse(path.string(), "1-dimensional, as labels are", "two to four dimensions: a row a person");
  }
  InflatedBytes bytes = file.checked_values();
  Table table = table_of(shape.people, shape.each, path.string());
  std::array<std::byte, 1 << 16> block;
  for (std::size_t from = 0; from < table.values.size(); from += block.size()) {
    const auto part = std::span(block).first(std::min(block.size(), table.values.size() - from));
    bytes.read(part);
    std::transform(part.begin(), part.end(), table.values.begin() + std::ptrdiff_t(from),
                   [](std::byte b) { return static_cast<float>(std::to_integer<int>(b)) / 255; });
  }
  return table;
}

std::vector<std::uint8_t> read_idx_bytes(const std::filesystem::path& path) {
  const IdxFile file(path);
  if (file.shape().dimensions != 1) {
    refuse(path.string(), fmt::format("{}-dimensional", file.shape().dimensions),
           "one dimension: a label for each person");
  }
  InflatedBytes bytes = file.checked_values();
  std::vector<std::uint8_t> values(file.shape().people);
  bytes.read(std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace ration
