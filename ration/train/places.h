// Where the people of a Poisson sample lie in blocks. A matrix product may round a row differently
// in another place of the block (OpenBLAS does: docs/math/noise.md), so if one person's draw moved
// others, their gradients would change. Here everybody keeps their row, and blocks have one size:
// person i lies in row i mod block, in the first block where that row is free. Pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ration {

inline constexpr std::uint32_t kNobody = 0xffffffff;

// Row after row, block after block; kNobody where a row is empty. Those who are drawn come in
// increasing order.
std::vector<std::uint32_t> places(std::span<const std::uint32_t> drawn, std::size_t block);

}  // namespace ration
