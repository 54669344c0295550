#include "ration/data/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string_view>

#include "ration/base/error.h"
#include "ration/data/npy_literal.h"

namespace ration::npy {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are used as they lie in the file");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kAccepted = "an NPY file, as numpy.save(file, array) writes it";
constexpr std::string_view kTypes =
    "little-endian float32 or float64, as array.astype('<f8') makes";

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// The text of the header, and where it ends.
struct Text {
  std::string_view text;
  std::size_t end;
};
Text text_in(std::string_view file, const std::string& source) {
  if (file.starts_with("PK")) refuse(source, "an archive (NPZ)", kAccepted);
  if (!file.starts_with(kMagic)) refuse(source, "of another format", kAccepted);
  // Magic, two bytes of version, then the header's length in two bytes or, from 2.0 on, in four.
  const std::size_t version_at = kMagic.size(), length_at = version_at + 2;
  if (file.size() < length_at) refuse(source, "cut short within its header", "the whole file");
  const auto major = static_cast<unsigned char>(file[version_at]);
  const auto minor = static_cast<unsigned char>(file[version_at + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    refuse(source, fmt::format("of NPY version {}.{}", major, minor), "version 1.0, 2.0 or 3.0");
  }
  const std::size_t start = length_at + (major == 1 ? 2 : 4);
  if (file.size() < start) refuse(source, "cut short within its header", "the whole file");
  const std::uint64_t length = little_endian(file.substr(length_at, start - length_at));
  if (length > file.size() - start) {
    refuse(source,
           fmt::format("cut short within its header, {} of {} bytes", file.size(), start + length),
           "the whole file");
  }
  return {file.substr(start, length), start + length};
}

// Only what a terminal shows as it is.
std::string shown(const std::string& descr) {
  constexpr std::size_t kLongest = 20;
  const bool plain =
      std::all_of(descr.begin(), descr.end(), [](char c) { return c > ' ' && c < 127; });
  return plain && descr.size() <= kLongest ? descr : "another type";
}

Type type_of(const std::string& descr, const std::string& source) {
  if (descr == "<f4") return Type::float32;
  if (descr == "<f8") return Type::float64;
  if (descr.empty()) refuse(source, "a structured array", kTypes);
  if (descr == ">f4" || descr == ">f8") refuse(source, "big-endian, " + descr, kTypes);
  refuse(source, "an array of " + shown(descr), kTypes);
}

// The number of bytes, unless it is beyond 63 bits, where no file is.
std::optional<std::uint64_t> bytes_of(const std::vector<std::uint64_t>& shape, std::uint64_t size) {
  std::uint64_t bytes = size;
  for (const std::uint64_t length : shape)
    if (__builtin_mul_overflow(bytes, length, &bytes)) return {};
  if (bytes > std::numeric_limits<std::int64_t>::max()) return {};
  return bytes;
}

void check_layout(const Literal& array, const std::string& source) {
  if (array.shape.empty() || array.shape.size() > 2) {
    refuse(source, fmt::format("{}-dimensional", array.shape.size()),
           "one or two dimensions, as array.reshape(rows, columns) makes");
  }
  if (std::count(array.shape.begin(), array.shape.end(), 0u) > 0) {
    refuse(source, fmt::format("without values, shape ({})", fmt::join(array.shape, ", ")),
           "at least one row and one column");
  }
  if (array.fortran_order) {
    refuse(source, "in Fortran order", "C order, as numpy.ascontiguousarray(array) makes");
  }
}

}  // namespace

Header header_of(std::span<const std::byte> bytes, const std::string& source) {
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Text header = text_in(file, source);
  const std::optional<Literal> array = parsed(header.text);
  if (!array) {
    refuse(source, "an NPY file whose header does not say descr, fortran_order and shape",
           kAccepted);
  }
  const Type type = type_of(array->descr, source);
  check_layout(*array, source);
  const std::size_t size = type == Type::float32 ? sizeof(float) : sizeof(double);
  const auto shape = fmt::format("shape ({})", fmt::join(array->shape, ", "));
  const auto announced = bytes_of(array->shape, size);
  if (!announced) refuse(source, "of a shape beyond 2^63 bytes", "a smaller one");
  const std::size_t held = file.size() - header.end;
  if (held < *announced) {
    refuse(source, fmt::format("cut short, {} of the {} bytes of its {}", held, *announced, shape),
           "the whole file");
  }
  if (held > *announced) {
    refuse(source, fmt::format("{} bytes longer than its {}", held - *announced, shape),
           "a file that holds one array and nothing else");
  }
  // Every NumPy so far aligned the values to 16 bytes at least.
  if (header.end % size != 0) {
    refuse(source, fmt::format("not aligned, with values from byte {} on", header.end), kAccepted);
  }
  return {.type = type,
          .shape = {array->shape.begin(), array->shape.end()},
          .offset = header.end,
          .values = *announced / size};
}

}  // namespace ration::npy
