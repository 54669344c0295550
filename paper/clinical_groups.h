// The five groups of people that the paper looks at in its clinical experiment, drawn without
// overlap by a public seed. Pure functions. Who is in a group is private.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ration/dataset/dataset.h"

namespace ration::paper {

// Their places in the benchmark's alphabetical list of 25 phenotypes, from 0. The paper's published
// groups mistook 3, which is cardiac dysrhythmias, for myocardial infarction.
inline constexpr std::size_t kInfarctionLabel = 2, kPneumoniaLabel = 21;

inline constexpr std::size_t kPaperGroups = 5;

// Up to `size` people each, drawn in this order from those who are in none yet: no label at all;
// pneumonia; no pneumonia; myocardial infarction; no myocardial infarction. All others are in a
// sixth group, "others". `stream` tells draws of one seed apart. Refuses labels that are not those
// of the benchmark, and a group without people.
struct GroupDraw {
  std::size_t size;
  std::uint64_t seed, stream;
};
Groups paper_groups(const Labels& labels, const GroupDraw& draw);

// Who is in each of the five, in increasing order.
using GroupMembers = std::array<std::vector<std::uint32_t>, kPaperGroups>;
GroupMembers members_of(const Groups& groups);

}  // namespace ration::paper
