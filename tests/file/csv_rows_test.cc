#include "ration/file/csv_rows.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

#include "tests/file/gzipped.h"
#include "tests/refusal.h"

namespace ration::csv {
namespace {

using Table = std::vector<std::vector<std::string>>;

auto bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }
Rows rows_of(std::string_view text) { return {bytes_of(text), "f.csv"}; }

Table records_in(std::string_view file, std::size_t block, std::optional<Dialect> dialect = {}) {
  Table table;
  for (Records records(bytes_of(file), "f.csv", dialect, block); records.next();) {
    const auto cells = records.cells();
    table.emplace_back(cells.begin(), cells.end());
  }
  return table;
}

TEST(CsvRecords, HoldWhatStandsInQuotes) {
  const std::string text =
      "\xEF\xBB\xBFname;\"said, \"\"well\"\"\"\r\nA;\"1\n;2\n\"\r\n\"B\";\r\n\"\"\"C\";3";
  const Table expected = {{"name", "said, \"well\""}, {"A", "1\n;2\n"}, {"B", ""}, {"\"C", "3"}};
  EXPECT_EQ(records_in(text, Records::kBlock), expected);
}

TEST(CsvRecords, KnowTheLineThatTheyStartOn) {
  const std::string text = "a,b\n\"1\n2\n3\",4\n5,6\n";
  Records records(bytes_of(text), "f.csv");
  for (const std::size_t line : {1u, 2u, 5u}) {
    ASSERT_TRUE(records.next());
    EXPECT_EQ(records.line(), line);
  }
  EXPECT_EQ(records.where(), "f.csv line 5");
  EXPECT_FALSE(records.next());
}

// Whatever the file is made of, and however small the blocks are in which it is read.
TEST(CsvRecords, AreTheSameInBlocksOfAnySizePlainOrGzip) {
  EXPECT_TRUE(rc::check("any text", [] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element(
        'a', '1', '"', '"', ',', ';', '\t', '\n', '\n', '\r', ' ', '\xC3', '\xEF'));
    const auto read = [](const std::string& file, std::size_t block) {
      std::string refused;
      Table table;
      refused = refusal([&] { table = records_in(file, block); });
      return std::pair(refused, table);
    };
    const auto whole = read(text, Records::kBlock);
    for (const std::size_t block : {1u, 2u, 7u}) {
      RC_ASSERT(read(text, block) == whole);
      RC_ASSERT(read(gzipped(text), block) == whole);
    }
  }));
}

TEST(CsvRecords, ComeBackAsTheyWereWritten) {
  EXPECT_TRUE(rc::check("cells in quotes", [] {
    const auto cell = rc::gen::container<std::string>(
        rc::gen::element('a', '"', ',', ';', '\t', '\n', '\r', ' '));
    const auto row = rc::gen::container<std::vector<std::string>>(3, cell);
    const Table table = *rc::gen::container<Table>(row);
    const char separator = *rc::gen::element(',', ';', '\t', '|');
    std::string text;
    for (const auto& cells : table) {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) text += separator;
        text += '"';
        for (const char c : cells[i]) text += c == '"' ? "\"\"" : std::string(1, c);
        text += '"';
      }
      text += '\n';
    }
    RC_ASSERT(records_in(text, 3, Dialect{.separator = separator}) == table);
  }));
}

TEST(CsvRecords, RefuseWhatIsNoText) {
  const auto refused = [](const std::string& file) {
    return refusal([&] { records_in(file, Records::kBlock); });
  };
  EXPECT_EQ(refused("a,b\n1,\0002\n" + std::string(1, '\0')),
            "f.csv is no text: give CSV in UTF-8, plain or gzip");
  EXPECT_EQ(refused("\xFF\xFE" + std::string("a\0", 2)),
            "f.csv is in UTF-16: give the same file saved as UTF-8");
  const std::string whole = gzipped("a,b\n1,2\n");
  EXPECT_EQ(refused(whole.substr(0, whole.size() - 9)), "f.csv is cut short: give the whole file");
  std::string damaged = whole;
  damaged[whole.size() - 6] ^= 1;
  EXPECT_EQ(refused(damaged),
            "f.csv is a damaged gzip file: give one that gzip --test finds right");
}

// Twenty bytes of gzip hold a thousand times as many: they are never held at once.
TEST(CsvRecords, OfEndlessLengthAreRefused) {
  const std::string endless((std::size_t{1} << 26) + (std::size_t{1} << 21), 'x');
  for (const std::string start : {"a,b\n1,\"", "a,b\n"}) {
    EXPECT_EQ(refusal([&] { records_in(gzipped(start + endless), Records::kBlock); }),
              "f.csv line 2 is longer than 2^26 bytes: give shorter lines, and an end to every "
              "quote");
  }
}

TEST(CsvText, IsReadToItsEndUnlessItIsNone) {
  std::istringstream text("a,b\n"), endless(std::string(1 << 20, '\0'));
  EXPECT_EQ(text_of(text, "f.csv"), "a,b\n");
  EXPECT_EQ(refusal([&] { text_of(endless, "f.csv"); }),
            "f.csv is no text: give CSV in UTF-8, plain or gzip");
  EXPECT_EQ(endless.tellg(), 1 << 16);
}

TEST(CsvRows, AreCountedBeforeTheyAreRead) {
  Rows rows = rows_of("\xEF\xBB\xBF a,\"b,c\"\r\n1,2\r\n3, 4 \n\n  \n");
  EXPECT_EQ(rows.header(), (std::vector<std::string>{"a", "b,c"}));
  EXPECT_EQ(rows.count(), 2u);
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.where(1), "f.csv line 2 column 'b,c'");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.cells()[1], "4");
  EXPECT_EQ(rows.where(), "f.csv line 3");
  EXPECT_FALSE(rows.next());
  EXPECT_EQ(rows_of("a,b\n").count(), 0u);
  EXPECT_EQ(rows_of("a,b\n\"1\n\n\",2\n3,4").count(), 2u);
  // Tabs that part cells are a row, and no blank line.
  EXPECT_EQ(rows_of("a\tb\n1\t2\n\t\n").count(), 2u);
  EXPECT_EQ(rows_of("a,b\n1,2\n\t\n").count(), 1u);
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
  EXPECT_EQ(refused("a,b\n1,2\n\n \n3,4\n"),
            "f.csv line 3 is empty: give a row on every line up to the last");
  EXPECT_EQ(refused("a,\"b\n1,2\n"),
            "f.csv line 1 is a line with a quote that does not end: give a quote at the end of "
            "each such cell");
  EXPECT_EQ(refused("a,b\n1,2\n1,\"2\n3,4\n"),
            "f.csv line 3 is a line with a quote that does not end: give a quote at the end of "
            "each such cell");
  EXPECT_EQ(refused(std::string(1'000'000, ',')),
            "f.csv is more than 10^6 columns wide: give a CSV file of fewer");
}

}  // namespace
}  // namespace ration::csv
