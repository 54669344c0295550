// A long table of norms says what the matrix of the same norms says, in whatever order its rows
// are.

#include "ration/control/long_norms.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "tests/file/gzipped.h"
#include "tests/refusal.h"

namespace ration {
namespace {

using Options = LongNorms::Options;
using Texts = std::vector<std::string>;

LongNorms table(const std::string& text, Options options = {}) {
  return LongNorms(std::as_bytes(std::span(text)), "norms.csv", std::move(options));
}
std::string refused(const std::string& text, const Options& options = {}) {
  return refusal([&] { table(text, options); });
}
std::vector<double> matrix(NormRows& norms) {
  std::vector<double> all(norms.rows() * norms.people());
  norms.read_rows(0, std::span(all));
  return all;
}
Texts ids(const LongNorms& norms) { return {norms.ids().all().begin(), norms.ids().all().end()}; }

TEST(LongNorms, AbsentPeopleContributeNothingAndGapsCostNothing) {
  LongNorms norms = table("step,norm,ward,person\n7,0.5,x,b\n100,1,y,a\n7,2,x,a\n");
  EXPECT_EQ(ids(norms), (Texts{"a", "b"}));
  ASSERT_EQ(norms.rows(), 2u);
  EXPECT_EQ(matrix(norms), (std::vector<double>{2, 0.5, 1, 0}));
}

TEST(LongNorms, WholeNumbersAreInTheirOrder) {
  LongNorms norms = table("person,step,norm\n10,0,1\n9,0,2\n-3,0,3\n");
  EXPECT_EQ(ids(norms), (Texts{"-3", "9", "10"}));
  EXPECT_EQ(matrix(norms), (std::vector<double>{3, 2, 1}));
}

TEST(LongNorms, RecordsOfOnePersonAtOneStepAddUpAndNeverToLess) {
  LongNorms norms = table("person,step,norm\na,0,0.1\nb,0,0.25\na,0,0.2\na,1,1e308\na,1,1.5e308\n");
  ASSERT_EQ(norms.rows(), 2u);
  const auto all = matrix(norms);
  EXPECT_GE(all[0], 0.1 + 0.2);
  EXPECT_LE(all[0], 0.3 + 1e-15);
  EXPECT_EQ(all[1], 0.25);
  EXPECT_EQ(all[2], std::numeric_limits<double>::max());  // what is finite stays a norm
}

TEST(LongNorms, PeopleWhoAreGivenAreAllThere) {
  Options options = {.person = "id", .ids = Ids(Texts{"c", "a", "b"}), .steps = 4};
  LongNorms norms = table("id,step,norm\na,3,1\nc,1,2\n", options);
  EXPECT_EQ(ids(norms), (Texts{"c", "a", "b"}));
  ASSERT_EQ(norms.rows(), 4u);
  EXPECT_EQ(matrix(norms), (std::vector<double>{0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(refused("id,step,norm\nsecret,3,1\n", options),
            "norms.csv line 2 column 'id' is an id that is not among those given: give one of "
            "them");
  EXPECT_EQ(refused("id,step,norm\na,4,1\n", options),
            "norms.csv line 2 column 'step' is a step beyond the last: give numbers from 0 to 3, "
            "for there are 4 steps");
}

TEST(LongNorms, RefusalsNameTheLineAndNoValue) {
  const std::string header = "person,step,norm\na,0,1\n";
  for (const std::string norm : {"-1", "nan", "inf", "secret", "", "1e999"}) {
    EXPECT_EQ(refused(header + "b,1," + norm + "\n"),
              "norms.csv line 3 column 'norm' is not a norm: give a finite number that is not "
              "negative");
  }
  for (const std::string step : {"-1", "1.5", "x", "", "9223372036854775808"}) {
    EXPECT_EQ(refused(header + "b," + step + ",1\n"),
              "norms.csv line 3 column 'step' is no number of a step: give a whole number from 0 "
              "on");
  }
  EXPECT_EQ(refused(header + ",1,1\n"),
            "norms.csv line 3 column 'person' is empty: give everybody an id");
  EXPECT_EQ(refused("person,norm\na,1\n"),
            "norms.csv has no column 'step': give one that its header has");
  EXPECT_EQ(refused("person,step,norm\n"),
            "norms.csv is a table without rows: give a row for each person and step");
  EXPECT_EQ(refused(header + "b,1\n"),
            "norms.csv line 3 is 2 values long: give 3 values, as many as the header has");
}

// Any records, in any order, however many are held in memory at once and however they are read.
RC_GTEST_PROP(LongNorms, IsTheMatrixInAnyOrder, (unsigned seed)) {
  std::mt19937 random(seed);
  const std::size_t people = 1 + random() % 6, rows = 1 + random() % 60;
  std::vector<std::string> lines;
  std::map<std::uint64_t, std::map<std::string, std::vector<double>>> steps;
  std::map<std::string, int> names;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string id = "p" + std::to_string(random() % people);
    const std::uint64_t step = random() % 12 * 1000;
    const double norm = static_cast<double>(random() % 16) / 8;  // sums of these are exact
    lines.push_back(id + "," + std::to_string(step) + "," + std::to_string(norm) + "\n");
    steps[step][id].push_back(norm);
    names[id] = 1;
  }
  std::vector<double> expected;
  for (const auto& [step, present] : steps) {
    for (const auto& [name, one] : names) {
      const auto found = present.find(name);
      double sum = 0;
      if (found != present.end()) {
        for (const double norm : found->second) sum += norm;
      }
      expected.push_back(sum);
    }
  }
  std::vector<double> first;
  for (const std::size_t held : {1U, 3U, 1000U}) {
    std::shuffle(lines.begin(), lines.end(), random);
    std::string text = "person,step,norm\n";
    for (const std::string& line : lines) text += line;
    LongNorms norms = table(random() % 2 == 0 ? text : gzipped(text), {.rows_held = held});
    RC_ASSERT(norms.rows() == steps.size());
    const std::vector<double> found = matrix(norms);
    for (std::size_t i = 0; i < found.size(); ++i) {
      RC_ASSERT(found[i] >= expected[i]);
      RC_ASSERT(found[i] <= expected[i] * (1 + 1e-13));
    }
    if (first.empty()) first = found;
    RC_ASSERT(found == first);
    // Again, a row at a time.
    std::vector<double> row(norms.people());
    for (std::size_t r = 0; r < norms.rows(); ++r) {
      norms.read_rows(r, std::span(row));
      RC_ASSERT(std::equal(row.begin(), row.end(), found.data() + r * row.size()));
    }
  }
}

}  // namespace
}  // namespace ration
