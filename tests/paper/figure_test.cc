#include "paper/figure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "tests/refusal.h"

namespace ration::paper {
namespace {

TEST(DataTableCsv, NumbersReadBackEqual) {
  DataTable table{.columns = {"n", "x"}, .rows = {}};
  const std::vector<double> values = {
      0.1, 1.0 / 3, 1e-300, 5e-324, -1.7976931348623157e308, std::nextafter(1, 2)};
  for (const double x : values) table.rows.push_back({std::int64_t{-9007199254740993}, x});
  const std::string text = csv_of(table);
  EXPECT_TRUE(text.starts_with("n,x\n"));
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  for (const double x : values) {
    std::getline(lines, line);
    EXPECT_EQ(line.substr(0, line.find(',')), "-9007199254740993");
    EXPECT_EQ(std::strtod(line.c_str() + line.find(',') + 1, nullptr), x) << line;
  }
}

TEST(DataTableCsv, QuotesWhatMustBeQuotedAndNothingElse) {
  const DataTable table{.columns = {"group", "a,b"},
                        .rows = {{std::string("not pneumonia"), std::string("say \"x\", twice")},
                                 {std::string("two\nlines"), std::string(" blank")},
                                 {std::numeric_limits<double>::infinity(), std::string()}}};
  EXPECT_EQ(csv_of(table),
            "group,\"a,b\"\nnot pneumonia,\"say \"\"x\"\", twice\"\n\"two\nlines\",\" blank\"\n"
            "inf,\n");
}

TEST(DataTableCsv, RefusesRowsOfAnotherWidth) {
  EXPECT_EQ(refusal([] {
              csv_of({.columns = {"a", "b"}, .rows = {{1.0}}});
            }),
            "row of a table is of 1 cells: give one for each of its 2 columns");
}

TEST(EpsilonHistogram, EverybodyIsInTheBinThatTheirUpperEndIsIn) {
  const std::vector<Bound> epsilons = {exactly(0), {0.1, 0.26}, exactly(3.99), exactly(4)};
  const report::Histogram histogram = epsilon_histogram("people", epsilons, bins_up_to(4));
  ASSERT_EQ(histogram.heights.size(), 40U);
  EXPECT_EQ(histogram.heights[0], 1);
  EXPECT_EQ(histogram.heights[2], 1);   // 0.26 of bins of a tenth
  EXPECT_EQ(histogram.heights[39], 2);  // the largest is in the last
  EXPECT_EQ(std::accumulate(histogram.heights.begin(), histogram.heights.end(), 0.0), 4);
}

// A fortieth of some of these, times forty, is less than they are.
TEST(EpsilonHistogram, TheLastEdgeIsTheLargestExactly) {
  for (double most = 0.1; most < 20; most *= 1.0007) {
    const report::BinRange range = bins_up_to(most);
    EXPECT_EQ(edges_of(range).back(), most);
    const std::vector<Bound> one = {exactly(most)};
    EXPECT_EQ(epsilon_histogram("", one, range).heights.back(), 1) << most;
  }
}

}  // namespace
}  // namespace ration::paper
