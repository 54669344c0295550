// Whose row is whose: ids of rows, people with several records, and splits that part nobody.

#include "ration/dataset/person_ids.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ration/dataset/load_dataset.h"
#include "ration/file/npy.h"
#include "tests/file/scratch.h"
#include "tests/refusal.h"

namespace ration {
namespace {

using Ids = std::vector<std::string>;

// Six visits of three patients; the feature is the row.
constexpr const char* kVisits =
    "patient,x,outcome,ward\n"
    "\"b, the second\",0,ill,east\n"
    "a,1,well,west\n"
    "\"b, the second\",2,well,east\n"
    "7,3,ill,west\n"
    "a,4,ill,west\n"
    "\"b, the second\",5,ill,east\n";

CsvSource visits(const Scratch& scratch, const std::string& group = "") {
  CsvSource source = {.train = scratch.file("visits.csv"),
                      .columns = {.labels = {"outcome"}, .group = group, .id = "patient"}};
  if (group.empty()) source.columns.leave_out = {"ward"};
  scratch.put("visits.csv", kVisits);
  return source;
}

TEST(PersonIds, AreNoFeatureAndStayWithTheirRows) {
  const Scratch scratch;
  scratch.put("p.csv", "patient,x,y\nP-2,5,0\nP-1,6,1\n10,7,0\n");
  const Dataset data = load_dataset(
      CsvSource{.train = scratch.file("p.csv"), .columns = {.labels = {"y"}, .id = "patient"}});
  EXPECT_EQ(data.train.ids, (Ids{"P-2", "P-1", "10"}));
  EXPECT_EQ(data.train.features.columns, 1u);
  EXPECT_FALSE(data.train.together());
  EXPECT_EQ(data.train.count(), 3u);
}

TEST(PersonIds, ARepeatedOneIsRefusedWithItsLinesAndWithoutTheId) {
  const Scratch scratch;
  const std::string said = refusal([&] { load_dataset(visits(scratch)); });
  EXPECT_EQ(said, scratch.file("visits.csv") +
                      " lines 2, 4 and 7 are of one person: give each person one row, or "
                      "data.records = \"together\"");
}

TEST(PersonIds, LinesAreThoseOfTheFileAlsoWhereCellsHaveLineBreaks) {
  const Scratch scratch;
  scratch.put("p.csv", "patient,x,y,remark\na,5,0,\"two\nlines\"\nb,6,1,\na,7,0,\n");
  const CsvSource source = {.train = scratch.file("p.csv"),
                            .columns = {.labels = {"y"}, .id = "patient", .leave_out = {"remark"}}};
  EXPECT_NE(refusal([&] { load_dataset(source); }).find("lines 2 and 5 are of one person"),
            std::string::npos);
}

TEST(PersonIds, RefusesOnesThatAreNoneWithTheirLine) {
  const Scratch scratch;
  scratch.put("p.csv", "patient,x,y\na,5,0\n,6,1\n");
  const CsvSource source = {.train = scratch.file("p.csv"),
                            .columns = {.labels = {"y"}, .id = "patient"}};
  EXPECT_EQ(refusal([&] { load_dataset(source); }),
            scratch.file("p.csv") + " line 3: an id is empty: give everybody an id");
  scratch.put("p.csv", "patient,x,y\na,5,0\n\" secret\",6,1\n");
  const std::string said = refusal([&] { load_dataset(source); });
  EXPECT_EQ(said.find("secret"), std::string::npos);
  EXPECT_NE(said.find("line 3: an id has blanks around it"), std::string::npos) << said;
}

TEST(PersonIds, TogetherRowsBecomeRecordsOfPeopleInTheOrderOfTheirFirstRows) {
  const Scratch scratch;
  const Dataset data = load_dataset(visits(scratch, "ward"), {.records = Records::together});
  const People& people = data.train;
  EXPECT_EQ(people.ids, (Ids{"b, the second", "a", "7"}));
  EXPECT_EQ(people.begins, (std::vector<std::size_t>{0, 3, 5, 6}));
  EXPECT_EQ(people.count(), 3u);
  EXPECT_EQ(people.records(), 6u);
  EXPECT_EQ(people.features.values, (std::vector<float>{0, 2, 5, 1, 4, 3}));
  // ill is class 0, well is 1.
  EXPECT_EQ(people.labels.values, (std::vector<std::uint16_t>{0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(people.groups.labels, (Ids{"east", "west"}));
  EXPECT_EQ(people.groups.of_person, (std::vector<std::uint32_t>{0, 1, 1}));
}

TEST(PersonIds, APersonOfSeveralGroupsIsRefusedWithTheirLines) {
  const Scratch scratch;
  const CsvSource source = visits(scratch);
  EXPECT_EQ(refusal([&] {
              load_dataset(source, {.groups = GroupsByLabel{}, .records = Records::together});
            }),
            scratch.file("visits.csv") +
                " lines 2, 4 and 7 are of one person and of several groups: give all rows of a "
                "person the same group");
}

TEST(PersonIds, TogetherNeedsIds) {
  const Scratch scratch;
  CsvSource source = visits(scratch);
  source.columns.id.clear();
  source.columns.leave_out = {"ward", "patient"};
  EXPECT_EQ(refusal([&] { load_dataset(source, {.records = Records::together}); }),
            "records to take together is without ids: give whose each row is");
}

// Everybody has 1 to 4 records, in any order.
std::string many_visits(std::size_t people) {
  std::string text = "patient,x,outcome\n";
  for (std::size_t turn = 0; turn < 4; ++turn) {
    for (std::size_t i = 0; i < people; ++i) {
      const std::size_t person = (i * 7 + turn * 3) % people;
      if (person % 4 < turn) continue;
      text += "P" + std::to_string(person) + "," + std::to_string(person) + "," +
              (turn % 2 == 0 ? "ill\n" : "well\n");
    }
  }
  return text;
}

TEST(PersonIds, ASplitTakesPeopleOutWithAllOfTheirRecords) {
  const Scratch scratch;
  constexpr std::size_t kPeople = 101;
  scratch.put("v.csv", many_visits(kPeople));
  const CsvSource source = {.train = scratch.file("v.csv"),
                            .columns = {.labels = {"outcome"}, .id = "patient"}};
  const Dataset data =
      load_dataset(source, {.split = Split{.test_fraction = 0.25}, .records = Records::together});
  EXPECT_EQ(data.test.count(), 25u);
  EXPECT_EQ(data.train.count(), 76u);
  std::set<std::string> seen;
  for (const People* side : {&data.train, &data.test}) {
    ASSERT_EQ(side->ids.size(), side->count());
    ASSERT_EQ(side->begins.back(), side->records());
    ASSERT_EQ(side->labels.records(), side->records());
    for (std::size_t p = 0; p < side->count(); ++p) {
      EXPECT_TRUE(seen.insert(side->ids[p]).second) << "on both sides";
      const std::size_t number = std::stoul(side->ids[p].substr(1));
      EXPECT_EQ(side->records_of(p), number % 4 + 1);
      for (std::size_t r = side->first_record(p); r < side->first_record(p + 1); ++r) {
        EXPECT_EQ(side->features.row(r)[0], static_cast<float>(number));
        EXPECT_EQ(side->labels.of(r)[0], (r - side->first_record(p)) % 2);
      }
    }
  }
  EXPECT_EQ(seen.size(), kPeople);
}

TEST(PersonIds, FollowTheirPeopleThroughASplitAlsoWithoutRecords) {
  const Scratch scratch;
  std::string text = "patient,x,y\n";
  for (int i = 0; i < 50; ++i) {
    text += "P" + std::to_string(i) + "," + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  }
  scratch.put("p.csv", text);
  const Dataset data = load_dataset(
      CsvSource{.train = scratch.file("p.csv"), .columns = {.labels = {"y"}, .id = "patient"}},
      {.split = Split{.test_fraction = 0.3}});
  for (const People* side : {&data.train, &data.test}) {
    ASSERT_EQ(side->ids.size(), side->count());
    for (std::size_t i = 0; i < side->count(); ++i) {
      EXPECT_EQ(side->ids[i], "P" + std::to_string(static_cast<int>(side->features.row(i)[0])));
    }
  }
}

TEST(PersonIds, OfArraysStandInAFileOneOnALine) {
  const Scratch scratch;
  write_npy<float>(scratch.file("x.npy"), {3, 1}, std::vector<float>{0, 1, 2});
  write_npy<float>(scratch.file("y.npy"), {3}, std::vector<float>{0, 1, 1});
  scratch.put("ids.txt", "17\n\"x \"\"y\"\"\"\n17\n");
  const NpySource source = {.train_features = scratch.file("x.npy"),
                            .train_labels = scratch.file("y.npy"),
                            .train_ids = scratch.file("ids.txt")};
  EXPECT_NE(refusal([&] { load_dataset(source); }).find("ids.txt lines 1 and 3 are of one person"),
            std::string::npos);
  const Dataset data = load_dataset(source, {.records = Records::together});
  EXPECT_EQ(data.train.ids, (Ids{"17", "x \"y\""}));
  EXPECT_EQ(data.train.features.values, (std::vector<float>{0, 2, 1}));
  for (const char* wrong : {"id\n17\n18\n19\n", "17\n18\n"}) {
    scratch.put("ids.txt", wrong);
    EXPECT_NE(refusal([&] { load_dataset(source); }).find("one id for each of the 3 rows"),
              std::string::npos);
  }
}

TEST(PersonIds, APersonInTrainingAndInTestIsRefusedWithBothLines) {
  const Scratch scratch;
  scratch.put("p.csv", "patient,x,y\na,5,0\nb,6,1\n");
  scratch.put("t.csv", "y,patient,x\n1,c,5\n0,b,6\n");
  CsvSource source = {.train = scratch.file("p.csv"),
                      .test = scratch.file("t.csv"),
                      .columns = {.labels = {"y"}, .id = "patient"}};
  EXPECT_EQ(refusal([&] { load_dataset(source); }),
            scratch.file("p.csv") + " line 3 is of a person who is tested with too, in " +
                scratch.file("t.csv") + " line 3: give each person on one side");
  scratch.put("t.csv", "y,patient,x\n1,c,5\n0,d,6\n");
  EXPECT_EQ(load_dataset(source).test.ids, (Ids{"c", "d"}));
}

TEST(PersonIds, MoreRecordsThanAreSummedInOnePieceAreRefused) {
  const Scratch scratch;
  std::string text = "patient,x,y\n";
  for (std::size_t i = 0; i <= kMostRecords; ++i) text += "a,1," + std::to_string(i % 2) + "\n";
  scratch.put("p.csv", text);
  const CsvSource source = {.train = scratch.file("p.csv"),
                            .columns = {.labels = {"y"}, .id = "patient"}};
  EXPECT_EQ(refusal([&] { load_dataset(source, {.records = Records::together}); }),
            scratch.file("p.csv") +
                " lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 119 more are of one person: give at "
                "most 128 records of each");
}

}  // namespace
}  // namespace ration
