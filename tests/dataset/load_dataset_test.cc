#include "ration/dataset/load_dataset.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ration/file/npy.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

// Six people with one feature, their own number, of classes 0, 1, 2, 0, 1, 2.
NpySource six_people(const Scratch& scratch) {
  write_npy<float>(scratch.file("x.npy"), {6, 1}, std::vector<float>{0, 1, 2, 3, 4, 5});
  write_npy<float>(scratch.file("y.npy"), {6}, std::vector<float>{0, 1, 2, 0, 1, 2});
  return {.train_features = scratch.file("x.npy"), .train_labels = scratch.file("y.npy")};
}
// The same with two of them for a test.
NpySource with_test(const Scratch& scratch) {
  NpySource source = six_people(scratch);
  write_npy<float>(scratch.file("tx.npy"), {2, 1}, std::vector<float>{7, 8});
  write_npy<float>(scratch.file("ty.npy"), {2}, std::vector<float>{1, 1});
  source.test_features = scratch.file("tx.npy");
  source.test_labels = scratch.file("ty.npy");
  return source;
}

// 60000 and 10000 images of Debian's package dataset-fashion-mnist.
TEST(LoadDataset, ReadsFashionMnist) {
  const std::filesystem::path folder = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "needs dataset-fashion-mnist";
  const Dataset data = load_dataset(idx_source_in(folder), {.groups = GroupsByLabel{}});
  EXPECT_EQ(data.train.count(), 60'000u);
  EXPECT_EQ(data.test.count(), 10'000u);
  EXPECT_EQ(data.train.features.columns, 784u);
  EXPECT_EQ(data.train.labels.count(), 10u);
  EXPECT_EQ(data.description, "IDX files in " + folder.string());
  for (const auto& [people, each] : {std::pair{&data.train, 6'000}, {&data.test, 1'000}}) {
    for (std::uint32_t label = 0; label < 10; ++label)
      EXPECT_EQ(std::ranges::count(people->groups.of_person, label), each);
    EXPECT_EQ(std::ranges::max(people->features.values), 1);
    EXPECT_EQ(std::ranges::min(people->features.values), 0);
  }
}

TEST(LoadDataset, NamesTheIdxFileThatAFolderLacks) {
  const Scratch scratch;
  scratch.put("train-images-idx3-ubyte.gz", "x");
  EXPECT_EQ(refusal([&] { idx_source_in(scratch.file("")); }),
            scratch.file("") +
                " is without train-labels-idx1-ubyte and train-labels-idx1-ubyte.gz: give a folder "
                "with the four IDX files of MNIST or its kin");
}

TEST(LoadDataset, ReadsEverySource) {
  const Scratch scratch;
  const Dataset npy = load_dataset(with_test(scratch));
  EXPECT_EQ(npy.train.features.values, (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(npy.test.labels.values, (std::vector<std::uint16_t>{1, 1}));
  EXPECT_EQ(npy.test.labels.names, npy.train.labels.names);
  EXPECT_TRUE(npy.train.groups.labels.empty());

  scratch.put("train.csv", "x,y,g\n1,a,west\n2,b,east\n");
  scratch.put("test.csv", "g,y,x\nsouth,b,3\neast,a,4\n");
  const Dataset csv = load_dataset(CsvSource{.train = scratch.file("train.csv"),
                                             .test = scratch.file("test.csv"),
                                             .columns = {.labels = {"y"}, .group = "g"}});
  EXPECT_EQ(csv.test.features.values, (std::vector<float>{3, 4}));
  EXPECT_EQ(csv.train.groups.labels, (std::vector<std::string>{"east", "south", "west"}));
  EXPECT_EQ(csv.test.groups.labels, csv.train.groups.labels);
  EXPECT_EQ(csv.test.groups.of_person, (std::vector<std::uint32_t>{1, 0}));

  const Dataset cohort = load_dataset(CohortSource{.people = 20, .test_people = 10, .seed = 3},
                                      {.groups = GroupsByLabel{.label = "pneumonia"}});
  EXPECT_EQ(cohort.train.count(), 20u);
  EXPECT_EQ(cohort.train.groups.labels, (std::vector<std::string>{"pneumonia", "no pneumonia"}));
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(cohort.test.groups.of_person[i], 1u - cohort.test.labels.of(i)[21]);
}

TEST(LoadDataset, RefusesFilesThatDoNotFitTogether) {
  const Scratch scratch;
  NpySource source = with_test(scratch);
  const auto refused = [&] { return refusal(scratch, [&] { load_dataset(source); }); };
  source.test_labels.clear();
  EXPECT_EQ(refused(),
            "file of test labels is not given: give both files of the test people, or neither");
  source = with_test(scratch);
  source.test_labels = source.train_labels;
  EXPECT_EQ(refused(), "y.npy is of 6 people: give labels of the 2 people of its features");
  source = with_test(scratch);
  write_npy<float>(scratch.file("tx.npy"), {2, 2}, std::vector<float>(4));
  EXPECT_EQ(refused(), "test features is 2 columns wide: give the 1 of training");
}

TEST(LoadDataset, StandardisesBothSidesWithTheConstantsGiven) {
  const Scratch scratch;
  const Dataset data =
      load_dataset(with_test(scratch), {.standardise = Standardisation{.mean = {2}, .scale = {4}}});
  EXPECT_EQ(data.train.features.values, (std::vector<float>{-0.5f, -0.25f, 0, 0.25f, 0.5f, 0.75f}));
  EXPECT_EQ(data.test.features.values, (std::vector<float>{1.25f, 1.5f}));
}

TEST(LoadDataset, StandardisesEachColumnWhereThereIsNoTest) {
  const Scratch scratch;
  write_npy<float>(scratch.file("x.npy"), {3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
  write_npy<float>(scratch.file("y.npy"), {3}, std::vector<float>{0, 1, 0});
  const Dataset data = load_dataset(
      NpySource{.train_features = scratch.file("x.npy"), .train_labels = scratch.file("y.npy")},
      {.standardise = Standardisation{.mean = {1, 2}, .scale = {1, 2}}});
  EXPECT_EQ(data.train.features.values, (std::vector<float>{0, 0, 2, 1, 4, 2}));
  EXPECT_EQ(data.test.count(), 0u);
}

TEST(LoadDataset, GroupsFromAFileFollowTheirPeopleThroughASplit) {
  const Scratch scratch;
  scratch.put("groups.csv", "g0\ng1\ng2\ng3\ng4\ng5\n");
  const Dataset data =
      load_dataset(six_people(scratch), {.split = Split{.test_fraction = 0.4, .seed = 5},
                                         .groups = GroupsFromFiles{scratch.file("groups.csv")}});
  EXPECT_EQ(data.train.count(), 4u);
  EXPECT_EQ(data.test.count(), 2u);
  EXPECT_EQ(data.test.groups.labels, data.train.groups.labels);
  for (const People* people : {&data.train, &data.test}) {
    for (std::size_t i = 0; i < people->count(); ++i) {
      const auto number = static_cast<std::size_t>(people->features.row(i)[0]);
      EXPECT_EQ(people->groups.labels[people->groups.of_person[i]], "g" + std::to_string(number));
      EXPECT_EQ(people->labels.of(i)[0], number % 3);
    }
  }
}

TEST(LoadDataset, RefusesASplitOfWhatHasATestAndGroupsGivenTwice) {
  const Scratch scratch;
  EXPECT_EQ(
      refusal([&] { load_dataset(with_test(scratch), {.split = Split{.test_fraction = 0.5}}); }),
      "split is given for data that have test people: give either a split or test people");
  scratch.put("t.csv", "x,y,g\n1,a,west\n2,b,east\n");
  EXPECT_EQ(refusal([&] {
              load_dataset(CsvSource{.train = scratch.file("t.csv"),
                                     .columns = {.labels = {"y"}, .group = "g"}},
                           {.groups = GroupsByLabel{}});
            }),
            "groups is given twice: give a group column, or another way to group");
}

TEST(Table, RefusesWhatNoMachineHoldsBeforeTakingMemory) {
  EXPECT_EQ(refusal([] { table_of(std::size_t{1} << 40, 1 << 20, "f.csv"); }),
            "f.csv is 1099511627776 x 1048576 values, 4611686018.4 GB in memory: give what fits "
            "into this machine's memory");
}

}  // namespace
}  // namespace ration
