#include "paper/clinical_groups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ration/dataset/cohort.h"
#include "tests/refusal.h"

namespace ration::paper {
namespace {

constexpr GroupDraw kTen = {.size = 10, .seed = 1, .stream = 2};

// People with these labels each.
Labels labels_of(const std::vector<std::vector<std::size_t>>& people) {
  Labels labels = {.kind = LabelKind::many, .names = std::vector<std::string>(25, "label")};
  labels.values.resize(people.size() * 25);
  for (std::size_t i = 0; i < people.size(); ++i) {
    for (const std::size_t label : people[i]) labels.values[i * 25 + label] = 1;
  }
  return labels;
}

TEST(PaperGroups, HaveTheirSizesAndHoldWhomTheySay) {
  const Labels labels = synthetic_cohort({.train = 4000, .test = 1}, 1).train.labels;
  const Groups groups = paper_groups(labels, {.size = 100, .seed = 1, .stream = 2});
  EXPECT_EQ(groups.labels, (std::vector<std::string>{"no label at all", "pneumonia", "no pneumonia",
                                                     "myocardial infarction",
                                                     "no myocardial infarction", "others"}));
  EXPECT_EQ(kPhenotypeList[kInfarctionLabel].name, "acute myocardial infarction");
  EXPECT_EQ(kPhenotypeList[kPneumoniaLabel].name, "pneumonia");
  const GroupMembers members = members_of(groups);
  for (const auto& group : members) EXPECT_EQ(group.size(), 100U);
  for (const auto i : members[0]) {
    for (const auto has : labels.of(i)) EXPECT_EQ(has, 0);
  }
  for (const auto i : members[1]) EXPECT_EQ(labels.of(i)[21], 1);
  for (const auto i : members[2]) EXPECT_EQ(labels.of(i)[21], 0);
  for (const auto i : members[3]) EXPECT_EQ(labels.of(i)[2], 1);
  for (const auto i : members[4]) EXPECT_EQ(labels.of(i)[2], 0);
}

// Of two people for each group, whoever could be in several is in the first that asks for them.
TEST(PaperGroups, AreDrawnInOrder) {
  const Labels labels =
      labels_of({{2, 21}, {2, 21}, {}, {}, {4}, {4}, {2, 21}, {2}, {21}, {21}, {21}, {2, 21}});
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Groups groups = paper_groups(labels, {.size = 2, .seed = seed, .stream = 2});
    const GroupMembers members = members_of(groups);
    // Nobody else is without labels: they are gone when "no pneumonia" is drawn from 4, 5 and 7.
    EXPECT_EQ(members[0], (std::vector<std::uint32_t>{2, 3}));
    for (const auto i : members[2]) EXPECT_TRUE(i == 4 || i == 5 || i == 7) << i;
    EXPECT_EQ(members[2].size(), 2U);
    // Infarction comes after pneumonia, and takes nobody whom that took.
    for (const auto i : members[3]) {
      EXPECT_EQ(labels.of(i)[2], 1) << i;
      EXPECT_EQ(std::count(members[1].begin(), members[1].end(), i), 0) << i;
    }
    EXPECT_EQ(members[3].size(), 2U);
    for (const auto i : members[4]) EXPECT_EQ(labels.of(i)[2], 0);
  }
}

TEST(PaperGroups, TakeWhoIsThereIfTheyAreFewerThanWanted) {
  const Labels labels =
      labels_of({{}, {21}, {21}, {4}, {4}, {4}, {2, 21}, {2, 21}, {2, 21}, {4, 21}, {21}});
  const GroupMembers members =
      members_of(paper_groups(labels, {.size = 3, .seed = 6, .stream = 2}));
  EXPECT_EQ(members[0], (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(members[2], (std::vector<std::uint32_t>{3, 4, 5}));
  EXPECT_EQ(members[1].size(), 3U);
}

// Everybody with an infarction has pneumonia too, and is drawn for that.
TEST(PaperGroups, RefuseAGroupThatNobodyIsLeftFor) {
  EXPECT_EQ(refusal([] {
              paper_groups(labels_of({{}, {2, 21}, {4}, {4}}), kTen);
            }),
            "nobody is left for the group 'myocardial infarction': give more people, or ask for "
            "smaller groups than 10");
}

TEST(PaperGroups, ArePublicChoicesThatFollowFromTheSeed) {
  const Labels labels = synthetic_cohort({.train = 2000, .test = 1}, 1).train.labels;
  const auto chosen = [&](std::uint64_t seed, std::uint64_t stream) {
    return paper_groups(labels, {.size = 50, .seed = seed, .stream = stream}).of_person;
  };
  EXPECT_EQ(chosen(1, 2), chosen(1, 2));
  EXPECT_NE(chosen(1, 2), chosen(2, 2));
  EXPECT_NE(chosen(1, 2), chosen(1, 3));
}

TEST(PaperGroups, RefuseLabelsThatAreNotTheBenchmarks) {
  Labels labels = labels_of({{}, {21}});
  labels.names.resize(10);
  EXPECT_EQ(refusal([&] { paper_groups(labels, kTen); }),
            "number of labels is 10: give 25, the phenotypes of the MIMIC-III benchmark in its "
            "order, each of them 0 or 1");
  labels.names.resize(25);
  labels.kind = LabelKind::one;
  EXPECT_NE(refusal([&] { paper_groups(labels, kTen); }).find("give 25, the phenotypes"),
            std::string::npos);
}

}  // namespace
}  // namespace ration::paper
