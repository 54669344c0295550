#include "ration/file/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "ration/base/error.h"

namespace ration::npy {
namespace {

// Reads from the front. Each reader says whether it found what it looked for.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool skip(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  // Without escapes: none of the texts that may stand here has any.
  std::optional<std::string> text() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return {};
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return {};
    std::string found(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    if (found.find('\\') != std::string::npos) return {};
    return found;
  }

  // Python writes no leading zeros, and reads none. Beyond 64 bits one number is as good as
  // another.
  std::optional<std::uint64_t> number() {
    skip_blanks();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto digits = static_cast<std::size_t>(end - rest_.data());
    if (digits == 0 || (rest_[0] == '0' && digits > 1)) return {};
    if (error != std::errc{}) value = std::numeric_limits<std::uint64_t>::max();
    rest_.remove_prefix(digits);
    return value;
  }

  // (), (3,), (3, 4) or (3, 4,), but not (3), which Python takes for a number.
  std::optional<std::vector<std::uint64_t>> shape() {
    if (!skip("(")) return {};
    std::vector<std::uint64_t> found;
    for (bool comma = true; !skip(")"); comma = skip(",")) {
      const auto length = comma ? number() : std::nullopt;
      if (!length) return {};
      found.push_back(*length);
      if (found.size() == 1 && !rest_follows_comma()) return {};
    }
    return found;
  }

  // A structured type is a list; what is in it does not matter, only where it ends.
  bool skip_list() {
    if (!skip("[")) return false;
    int depth = 1;
    std::size_t at = 0;
    for (; at < rest_.size() && depth > 0; ++at) {
      if (rest_[at] == '[') ++depth;
      if (rest_[at] == ']') --depth;
    }
    rest_.remove_prefix(at);
    return depth == 0;
  }

 private:
  void skip_blanks() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(first, rest_.size()));
  }
  bool rest_follows_comma() {
    skip_blanks();
    return rest_.starts_with(",");
  }

  std::string_view rest_;
};

bool read_entry(Scanner& scanner, const std::string& key, Literal& literal) {
  if (key == "descr") {
    const auto descr = scanner.text();
    if (descr) literal.descr = *descr;
    return descr ? !descr->empty() : scanner.skip_list();
  }
  if (key == "fortran_order") {
    literal.fortran_order = scanner.skip("True");
    return literal.fortran_order || scanner.skip("False");
  }
  if (key == "shape") {
    auto shape = scanner.shape();
    if (shape) literal.shape = std::move(*shape);
    return shape.has_value();
  }
  return false;
}

}  // namespace

std::optional<Literal> parsed(std::string_view text) {
  Scanner scanner(text);
  Literal literal;
  std::vector<std::string> keys;
  if (!scanner.skip("{")) return {};
  for (bool comma = true; !scanner.skip("}"); comma = scanner.skip(",")) {
    const auto key = comma ? scanner.text() : std::nullopt;
    if (!key || std::find(keys.begin(), keys.end(), *key) != keys.end()) return {};
    if (!scanner.skip(":") || !read_entry(scanner, *key, literal)) return {};
    keys.push_back(*key);
  }
  if (keys.size() != 3 || !scanner.at_end()) return {};
  return literal;
}

namespace {

static_assert(std::endian::native == std::endian::little,
              "values are used as they lie in the file");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kAnNpyFile = "an NPY file, as numpy.save(file, array) writes it";
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
Text text_in(std::string_view file, std::size_t size, const std::string& source) {
  if (file.starts_with("PK")) refuse(source, "an archive (NPZ)", kAnNpyFile);
  if (!file.starts_with(kMagic)) refuse(source, "of another format", kAnNpyFile);
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
  if (length > size - start) {
    refuse(source, fmt::format("cut short within its header, {} of {} bytes", size, start + length),
           "the whole file");
  }
  if (length > file.size() - start) {
    refuse(source, fmt::format("an NPY file with a header of {} bytes", length), kAnNpyFile);
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

Header header_of(std::span<const std::byte> file, const std::string& source, Accepted accepted) {
  return header_of(file, file.size(), source, accepted);
}

Header header_of(std::span<const std::byte> start, std::size_t size_of_file,
                 const std::string& source, Accepted accepted) {
  const std::string_view file(reinterpret_cast<const char*>(start.data()), start.size());
  const Text header = text_in(file, size_of_file, source);
  const std::optional<Literal> array = parsed(header.text);
  if (!array) {
    refuse(source, "an NPY file whose header does not say descr, fortran_order and shape",
           kAnNpyFile);
  }
  const auto [descr, type, size] = type_of(array->descr, source, accepted);
  check_layout(*array, source);
  const auto shape = fmt::format("shape ({})", fmt::join(array->shape, ", "));
  const auto announced = bytes_of(array->shape, size);
  if (!announced) refuse(source, "of a shape beyond 2^63 bytes", "a smaller one");
  const std::size_t held = size_of_file - header.end;
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
    refuse(source, fmt::format("not aligned, with values from byte {} on", header.end), kAnNpyFile);
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
