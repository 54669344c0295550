#include "ration/file/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>

#include "ration/base/error.h"
#include "tests/refusal.h"

namespace ration::csv {
namespace {

using Texts = std::vector<std::string_view>;

constexpr Dialect kPlain = {.quotes = false};

std::string_view fault_in(std::string_view record, const Dialect& dialect = {}) {
  Cells cells(record, dialect);
  while (cells.more()) cells.next();
  return cells.fault() ? cells.fault()->found : "nothing";
}

TEST(CsvCells, PlainCellsLoseTheBlanksAroundThemAndKeepTheirQuotes) {
  EXPECT_EQ(cells_of(" 1 ,\t2,3\r", kPlain), (Texts{"1", "2", "3"}));
  EXPECT_EQ(cells_of("\"a,b\"", kPlain), (Texts{"\"a", "b\""}));
  EXPECT_EQ(cells_of("", kPlain), (Texts{""}));
  EXPECT_EQ(cells_of(",", kPlain), (Texts{"", ""}));
}

TEST(CsvCells, QuotedCellsHoldSeparatorsQuotesAndLineBreaks) {
  EXPECT_EQ(cells_of("a, \"b,c\" ,d"), (Texts{"a", "b,c", "d"}));
  EXPECT_EQ(cells_of("\"\",\" x \""), (Texts{"", " x "}));
  EXPECT_EQ(cells_of("\"a \"\"b\"\", c\",d"), (Texts{"a \"\"b\"\", c", "d"}));
  EXPECT_EQ(cells_of("\"a\nb\r\n\",c\r"), (Texts{"a\nb\r\n", "c"}));
  EXPECT_EQ(cells_of("a\"b,c"), (Texts{"a\"b", "c"}));
  EXPECT_EQ(single_quotes("a \"\"b\"\"\"\""), "a \"b\"\"");
  Cells cells("\"a\"\"\",\"b\",\"\"");
  for (const bool doubled : {true, false, false}) {
    cells.next();
    EXPECT_EQ(cells.doubled(), doubled);
  }
}

TEST(CsvCells, AFaultEndsTheRecord) {
  EXPECT_EQ(fault_in("a,\"b,c"), "a line with a quote that does not end");
  EXPECT_EQ(fault_in("\"a\"\""), "a line with a quote that does not end");
  EXPECT_EQ(fault_in("\"a\" b,c"), "a line with text behind a quote");
  EXPECT_EQ(fault_in("\"a\" ,c"), "nothing");
  EXPECT_EQ(fault_in("a,\"b,c", kPlain), "nothing");
}

TEST(CsvCells, TheDialectSaysWhatPartsThem) {
  EXPECT_EQ(cells_of("1,5;2; \"a;b\"", {.separator = ';'}), (Texts{"1,5", "2", "a;b"}));
  // A tab that parts cells is no blank before a quote.
  EXPECT_EQ(cells_of("\t\"a\tb\"\t c ", {.separator = '\t'}), (Texts{"", "a\tb", "c"}));
}

TEST(CsvCells, PlainCellsPutTogetherAreTheRecordButForBlanks) {
  EXPECT_TRUE(rc::check("no character is lost or moved", [](const std::string& record) {
    const auto dense = [](std::string_view text) {
      std::string kept;
      for (const char c : text)
        if (std::string_view(" \t\r").find(c) == std::string_view::npos) kept += c;
      return kept;
    };
    std::string together;
    for (const std::string_view cell : cells_of(record, kPlain))
      together += "," + std::string(cell);
    RC_ASSERT(dense(together) == "," + dense(record));
  }));
}

TEST(CsvSeparator, IsTheOneThatTheHeaderHasOutsideQuotes) {
  EXPECT_EQ(separator_in("a,b\n1;2\n", "f"), ',');
  EXPECT_EQ(separator_in("a;b\n1,5;2\n", "f"), ';');
  EXPECT_EQ(separator_in("a\tb c\n", "f"), '\t');
  EXPECT_EQ(separator_in("a\n1;2\n", "f"), ',');
  EXPECT_EQ(separator_in("\"a,b;c\";\"d\n,e\"\n", "f"), ';');
  EXPECT_EQ(refusal([] { separator_in("a,b;c\n", "f.csv"); }),
            "header of f.csv is with several of comma, semicolon and tab: give names in quotes, or "
            "say by data.separator what parts columns");
  EXPECT_FALSE(holds_header("a,\"b\n"));
  EXPECT_TRUE(holds_header("a,\"b\n\"\n"));
}

TEST(CsvRecord, EndsAtALineBreakOutsideQuotes) {
  EXPECT_EQ(end_of_record("a,b\nc", {}), 3u);
  EXPECT_EQ(end_of_record("a,\"b\n\"\nc", {}), 6u);
  EXPECT_EQ(end_of_record("a\"b\n\"\n", {}), 3u);  // no quote that opens a cell
  EXPECT_EQ(end_of_record("\"a\n\"\"\n\"", {}), std::nullopt);
  EXPECT_EQ(end_of_record("a;\"b\n\"\n", {}), 4u);
  EXPECT_EQ(end_of_record("a;\"b\n\"\n", {.separator = ';'}), 6u);
  EXPECT_EQ(end_of_record("\"a\n\"\n", kPlain), 2u);
  EXPECT_EQ(end_of_record("", {}), std::nullopt);
}

TEST(CsvNumbers, WithCommasAreKnownForWhatTheyAre) {
  for (const char* with : {"1,5", "-0,25", "1.234,5", "1,234.5", "2,5e3"})
    EXPECT_TRUE(has_decimal_comma(with)) << with;
  for (const char* without : {"1.5", "a,b", ",", "1,", "e,e", "", "1, 5"})
    EXPECT_FALSE(has_decimal_comma(without)) << without;
  EXPECT_EQ(refusal([] { number_in("1,5", "here"); }),
            "here is '1,5': give a decimal point, as in 1.5, and nothing between thousands");
}

TEST(CsvNumbers, AreAllOfTheCell) {
  EXPECT_EQ(number_in<double>("-1.5e3"), -1500);
  EXPECT_EQ(number_in<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  for (const char* bad : {"", " 1", "1 ", "1x", "+1", "1,5", "1e999"})
    EXPECT_FALSE(number_in<double>(bad)) << bad;
  EXPECT_FALSE(number_in<std::uint64_t>("-1"));
  EXPECT_FALSE(number_in<std::uint64_t>("1.0"));
}

}  // namespace
}  // namespace ration::csv
