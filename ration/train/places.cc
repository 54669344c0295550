#include "ration/train/places.h"

#include "ration/base/error.h"

namespace ration {

std::vector<std::uint32_t> places(std::span<const std::uint32_t> drawn, std::size_t block) {
  if (block == 0) refuse("block", 0.0, "a number of people from 1 on");
  std::vector<std::size_t> filled(block);  // blocks in which this row is taken
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t person : drawn) {
    const std::size_t row = person % block;
    const std::size_t at = filled[row]++ * block + row;
    if (at >= rows.size()) rows.resize(rows.size() + block, kNobody);
    rows[at] = person;
  }
  return rows;
}

}  // namespace ration
