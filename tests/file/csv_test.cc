#include "ration/file/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>

#include "ration/base/error.h"
#include "tests/refusal.h"

namespace ration::csv {
namespace {

using Texts = std::vector<std::string_view>;

Texts cells_in(std::string_view line, const Dialect& dialect) {
  Texts found;
  for (Cells cells(line, dialect); cells.more();) found.push_back(cells.next());
  return found;
}
std::string_view fault_in(std::string_view line, const Dialect& dialect) {
  Cells cells(line, dialect);
  while (cells.more()) cells.next();
  return cells.fault() ? cells.fault()->found : "nothing";
}

TEST(CsvCells, PlainCellsLoseTheBlanksAroundThemAndKeepTheirQuotes) {
  EXPECT_EQ(cells_in(" 1 ,\t2,3\r", kPlain), (Texts{"1", "2", "3"}));
  EXPECT_EQ(cells_in("\"a,b\"", kPlain), (Texts{"\"a", "b\""}));
  EXPECT_EQ(cells_in("", kPlain), (Texts{""}));
  EXPECT_EQ(cells_in(",", kPlain), (Texts{"", ""}));
  EXPECT_FALSE(Cells().more());
}

TEST(CsvCells, QuotedCellsHoldSeparatorsAndQuotes) {
  EXPECT_EQ(cells_in("a, \"b,c\" ,d", kQuoted), (Texts{"a", "b,c", "d"}));
  EXPECT_EQ(cells_in("\"\",\" x \"", kQuoted), (Texts{"", " x "}));
  EXPECT_EQ(cells_in("\"a \"\"b\"\", c\",d", kQuoted), (Texts{"a \"\"b\"\", c", "d"}));
  EXPECT_EQ(cells_in("a\"b,c", kQuoted), (Texts{"a\"b", "c"}));
}

TEST(CsvCells, AFaultEndsTheLine) {
  EXPECT_EQ(fault_in("a,\"b,c", kQuoted), "a line with a quote that does not end");
  EXPECT_EQ(fault_in("\"a\"\"", kQuoted), "a line with a quote that does not end");
  EXPECT_EQ(fault_in("\"a\" b,c", kQuoted), "a line with text behind a quote");
  EXPECT_EQ(fault_in("\"a\" ,c", kQuoted), "nothing");
  EXPECT_EQ(fault_in("a,\"b,c", kPlain), "nothing");
}

TEST(CsvCells, TheDialectSaysWhatPartsThem) {
  EXPECT_EQ(cells_in("1,5;2; \"a;b\"", {.separator = ';', .quote = '"'}),
            (Texts{"1,5", "2", "a;b"}));
  // A tab that parts cells is no blank before a quote.
  EXPECT_EQ(cells_in("\t\"a\tb\"\t c ", {.separator = '\t', .quote = '"'}),
            (Texts{"", "a\tb", "c"}));
}

TEST(CsvCells, StrictCellsAreAllOfTheLine) {
  EXPECT_EQ(cells_in(" 1 ,\"2\r", kStrict), (Texts{" 1 ", "\"2\r"}));
  EXPECT_TRUE(rc::check("cells put together are the line", [](const std::string& line) {
    std::string together;
    for (const std::string_view cell : cells_in(line, kStrict)) together += "," + std::string(cell);
    RC_ASSERT(together == "," + line);
  }));
}

TEST(CsvCells, BlankLooksWithoutReading) {
  Cells cells("1,,", kStrict);
  EXPECT_FALSE(cells.blank());
  EXPECT_EQ(cells.next(), "1");
  EXPECT_TRUE(cells.blank());
  EXPECT_EQ(cells.next(), "");
  EXPECT_TRUE(cells.blank());
  EXPECT_EQ(cells.next(), "");
  EXPECT_FALSE(cells.more());
}

TEST(CsvNumbers, AreAllOfTheCell) {
  EXPECT_EQ(number_in<double>("-1.5e3"), -1500);
  EXPECT_EQ(number_in<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  for (const char* bad : {"", " 1", "1 ", "1x", "+1", "1,5", "1e999"})
    EXPECT_FALSE(number_in<double>(bad)) << bad;
  EXPECT_FALSE(number_in<std::uint64_t>("-1"));
  EXPECT_FALSE(number_in<std::uint64_t>("1.0"));
}

Rows rows_of(std::string_view text) { return {std::as_bytes(std::span(text)), "f.csv"}; }

TEST(CsvRows, AreCountedBeforeTheyAreRead) {
  Rows rows = rows_of("\xEF\xBB\xBF a,\"b,c\"\r\n1,2\r\n3, 4 \n\n  \n");
  EXPECT_EQ(rows.header(), (std::vector<std::string>{"a", "b,c"}));
  EXPECT_EQ(rows.count(), 2u);
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.where(1), "f.csv line 2 column 'b,c'");
  EXPECT_EQ(rows.bytes_read(), 18u);
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.cells()[1], "4");
  EXPECT_EQ(rows.where(), "f.csv line 3");
  EXPECT_FALSE(rows.next());
  EXPECT_EQ(rows_of("a,b\n").count(), 0u);
}

TEST(CsvRows, RefuseLinesOfAnotherLengthAndFaults) {
  const auto refused = [](std::string_view text) {
    return refusal([&] {
      for (Rows rows = rows_of(text); rows.next();) {
      }
    });
  };
  EXPECT_EQ(refused("a,b\n1,2\n1\n"),
            "f.csv line 3 is 1 values long: give 2 values, as many as the header has");
  EXPECT_EQ(refused("a,b\n1,2,3,4\n"),
            "f.csv line 2 is longer than the header: give 2 values, as many as the header has");
  EXPECT_EQ(refused("a,\"b\n1,2\n"),
            "f.csv line 1 is a line with a quote that does not end: give each cell on one line");
  EXPECT_EQ(refused(std::string(1'000'000, ',')),
            "f.csv is more than 10^6 columns wide: give a CSV file of fewer");
}

}  // namespace
}  // namespace ration::csv
