#include "paper/clinical_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ration/base/error.h"
#include "ration/dataset/cohort.h"
#include "ration/dataset/public_random.h"

namespace ration::paper {
namespace {

using LabelsOfPerson = std::span<const std::uint16_t>;

struct Criterion {
  const char* name;
  bool (*admits)(LabelsOfPerson);
};
// In the order of drawing.
constexpr std::array<Criterion, kPaperGroups> kCriteria = {{
    {"no label at all",
     [](LabelsOfPerson labels) {
       return std::all_of(labels.begin(), labels.end(), [](std::uint16_t has) { return has == 0; });
     }},
    {"pneumonia", [](LabelsOfPerson labels) { return labels[kPneumoniaLabel] != 0; }},
    {"no pneumonia", [](LabelsOfPerson labels) { return labels[kPneumoniaLabel] == 0; }},
    {"myocardial infarction", [](LabelsOfPerson labels) { return labels[kInfarctionLabel] != 0; }},
    {"no myocardial infarction",
     [](LabelsOfPerson labels) { return labels[kInfarctionLabel] == 0; }},
}};

void check(const Labels& labels) {
  constexpr const char* kAccepted =
      "25, the phenotypes of the MIMIC-III benchmark in its order, each of them 0 or 1";
  if (labels.kind != LabelKind::many) refuse("labels of a person", "one class", kAccepted);
  if (labels.count() != kPhenotypes) {
    refuse("number of labels", static_cast<double>(labels.count()), kAccepted);
  }
}

}  // namespace

Groups paper_groups(const Labels& labels, const GroupDraw& draw) {
  check(labels);
  Groups groups = {.of_person = std::vector<std::uint32_t>(labels.records(), kPaperGroups),
                   .labels = {}};
  for (std::uint32_t g = 0; g < kPaperGroups; ++g) {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < labels.records(); ++i) {
      if (groups.of_person[i] == kPaperGroups && kCriteria[g].admits(labels.of(i))) {
        candidates.push_back(i);
      }
    }
    const auto chosen =
        random_subset(draw.size, candidates.size(), PublicRandom(draw.seed, draw.stream, g));
    if (chosen.empty()) {
      throw Error(
          fmt::format("nobody is left for the group '{}': give more people, or ask for "
                      "smaller groups than {}",
                      kCriteria[g].name, draw.size));
    }
    for (const std::size_t k : chosen) groups.of_person[candidates[k]] = g;
    groups.labels.emplace_back(kCriteria[g].name);
  }
  groups.labels.emplace_back("others");
  return groups;
}

GroupMembers members_of(const Groups& groups) {
  GroupMembers members;
  for (std::size_t i = 0; i < groups.of_person.size(); ++i) {
    const std::uint32_t group = groups.of_person[i];
    if (group < kPaperGroups) members[group].push_back(static_cast<std::uint32_t>(i));
  }
  return members;
}

}  // namespace ration::paper
