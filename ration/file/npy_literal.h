// What stands in an NPY header: a Python dict of three entries. Only what NumPy writes is read (the
// entries in any order, either quote, blanks anywhere), not all of Python. Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ration::npy {

struct Literal {
  std::string descr;  // empty for a structured type
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  // 2^64 - 1 for any number beyond
};

// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }; nothing if the text is anything
// else.
std::optional<Literal> parsed(std::string_view text);

}  // namespace ration::npy
