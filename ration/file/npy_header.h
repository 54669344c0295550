// The header of an NPY file, NumPy's format of one array: versions 1.0, 2.0 and 3.0, as described
// in numpy/lib/format.py. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ration::npy {

enum class Type {
  float32,
  float64,
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64
};
// What a reader can deal with: measurements are floats, labels may be any numbers.
enum class Accepted { floats, numbers };

struct Header {
  Type type;
  std::vector<std::size_t> shape;  // one or two numbers, none of them 0
  std::size_t offset;              // where the values start, a multiple of their size
  std::size_t values;              // how many they are: they fill the file to its end
};

// Takes little-endian float32 and float64, or any numbers, in C order, one or two dimensions, and a
// file that holds them all and nothing else. Anything else is refused with what the file holds and
// what to do about it. `source` is what an error calls the file.
Header header_of(std::span<const std::byte> file, const std::string& source,
                 Accepted accepted = Accepted::floats);
// The same of a file of this many bytes, by its first kMostHeader bytes or all of them; refuses a
// header that is longer, which NumPy does not write for such arrays.
inline constexpr std::size_t kMostHeader = std::size_t{1} << 17;
Header header_of(std::span<const std::byte> start, std::size_t size, const std::string& source,
                 Accepted accepted = Accepted::floats);

// The header of a file of one or two dimensions, of version 1.0, up to the first value, which
// starts at a multiple of 64.
std::string header_text(std::string_view descr, const std::vector<std::size_t>& shape);

// What the header's text says: a Python dict of three entries.
struct Literal {
  std::string descr;  // empty for a structured type
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  // 2^64 - 1 for any number beyond
};

// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }; nothing if the text is anything
// else. Only what NumPy writes is read (the entries in any order, either quote, blanks anywhere),
// not all of Python.
std::optional<Literal> parsed(std::string_view text);

}  // namespace ration::npy
