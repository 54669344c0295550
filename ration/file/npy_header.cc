#include "ration/file/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <string_view>

#include "ration/base/error.h"
#include "ration/file/npy_literal.h"

namespace ration::npy {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are used as they lie in the file");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kAccepted = "an NPY file, as numpy.save(file, array) writes it";
constexpr std::string_view kFloats =
    "little-endian float32 or float64, as array.astype('<f8') makes";
constexpr std::string_view kNumbers =
    "little-endian numbers or booleans, as array.astype('<i8') makes";

struct KnownType {
  std::string_view descr;
  Type type;
  std::size_t size;
};
constexpr std::array<KnownType, 11> kKnownTypes = {{{"<f4", Type::float32, 4},
                                                    {"<f8", Type::float64, 8},
                                                    {"|b1", Type::boolean, 1},
                                                    {"|i1", Type::int8, 1},
                                                    {"<i2", Type::int16, 2},
                                                    {"<i4", Type::int32, 4},
                                                    {"<i8", Type::int64, 8},
                                                    {"|u1", Type::uint8, 1},
                                                    {"<u2", Type::uint16, 2},
                                                    {"<u4", Type::uint32, 4},
                                                    {"<u8", Type::uint64, 8}}};
constexpr std::size_t kFloatTypes = 2;  // come first

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

KnownType type_of(const std::string& descr, const std::string& source, Accepted accepted) {
  const bool floats = accepted == Accepted::floats;
  const auto known = std::span(kKnownTypes).first(floats ? kFloatTypes : kKnownTypes.size());
  for (const KnownType& type : known)
    if (descr == type.descr) return type;
  const std::string_view types = floats ? kFloats : kNumbers;
  if (descr.empty()) refuse(source, "a structured array", types);
  for (const KnownType& type : known) {
    if (descr[0] == '>' && descr.substr(1) == type.descr.substr(1))
      refuse(source, "big-endian, " + descr, types);
  }
  refuse(source, "an array of " + shown(descr), types);
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

Header header_of(std::span<const std::byte> bytes, const std::string& source, Accepted accepted) {
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Text header = text_in(file, source);
  const std::optional<Literal> array = parsed(header.text);
  if (!array) {
    refuse(source, "an NPY file whose header does not say descr, fortran_order and shape",
           kAccepted);
  }
  const auto [descr, type, size] = type_of(array->descr, source, accepted);
  check_layout(*array, source);
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

std::string header_text(std::string_view descr, const std::vector<std::size_t>& shape) {
  const std::string lengths =
      shape.size() == 1 ? fmt::format("{},", shape[0]) : fmt::format("{}, {}", shape[0], shape[1]);
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, lengths);
  constexpr std::size_t kBefore = 10, kAlignment = 64;
  text.append(kAlignment - 1 - (kBefore + text.size()) % kAlignment, ' ');
  text += '\n';
  const char length[] = {static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(length, 2) + text;
}

}  // namespace ration::npy
