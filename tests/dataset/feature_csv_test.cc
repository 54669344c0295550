#include "ration/dataset/feature_csv.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/file/gzipped.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

FeatureCsv read(const std::string& text, const CsvColumns& columns) {
  const Scratch scratch;
  return read_feature_csv(scratch.put("people.csv", text), columns);
}
std::string refused(const std::string& text, const CsvColumns& columns = {.labels = {"y"}}) {
  const Scratch scratch;
  const std::string file = scratch.put("people.csv", text);
  return refusal(scratch, [&] { read_feature_csv(file, columns); });
}
std::string refused_test(const FeatureCsv& train, const std::string& text,
                         const CsvColumns& columns = {.labels = {"y"}}) {
  const Scratch scratch;
  const std::string file = scratch.put("test.csv", text);
  return refusal(scratch, [&] { read_feature_csv(file, columns, train); });
}

TEST(FeatureCsv, ReadsFeaturesLabelsAndGroups) {
  const CsvColumns columns{.labels = {"y"}, .group = "ward", .leave_out = {"name"}};
  for (const std::string text :
       {"name,a,y,ward,b\nn1,1,yes,west,2\nn2,-3.5,no,east,4e1\n",
        "name,a,y,ward,b\r\nn1, 1 ,yes,west,2\r\nn2,-3.5,no,east,4e1\r\n\r\n",
        "\xEF\xBB\xBF\"name\",\"a\",\"y\",\"ward\",\"b\"\n\"n, \"\"1\"\"\",1,\"yes\",west,2\n"
        "\"n2\" ,\"-3.5\",no,\"east\",40"}) {
    const FeatureCsv csv = read(text, columns);
    EXPECT_EQ(csv.features, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(csv.people.features, (Table{.rows = 2, .columns = 2, .values = {1, 2, -3.5f, 40}}));
    EXPECT_EQ(csv.people.labels,
              (Labels{.kind = LabelKind::one, .names = {"no", "yes"}, .values = {1, 0}}));
    EXPECT_EQ(csv.people.groups.labels, (std::vector<std::string>{"east", "west"}));
    EXPECT_EQ(csv.people.groups.of_person, (std::vector<std::uint32_t>{1, 0}));
  }
}

// The same people, however their file was written.
TEST(FeatureCsv, ReadsSemicolonsTabsGzipAndLineBreaksInQuotes) {
  const CsvColumns columns{.labels = {"y"}, .leave_out = {"note"}};
  const FeatureCsv comma = read("a,y,note,b\n1,yes,,2\n-3.5,no,,40\n", columns);
  for (const std::string text :
       {"a;y;note;b\r\n1;yes;\"he said: \"\"1,5;\"\"\nand left\";2\r\n-3.5;no;\"a\n\n\";40\r\n",
        "a\ty\tnote\tb\n1\tyes\t a, b; c \t2\n-3.5\tno\t\"tab\t\"\t40\n"}) {
    for (const std::string& file : {text, gzipped(text)}) {
      const FeatureCsv csv = read(file, columns);
      EXPECT_EQ(csv.people.features, comma.people.features);
      EXPECT_EQ(csv.people.labels, comma.people.labels);
    }
  }
  CsvColumns bars = columns;
  bars.separator = '|';
  EXPECT_EQ(read("a|y|note|b\n1|yes|;,|2\n-3.5|no||40\n", bars).people.features,
            comma.people.features);
}

TEST(FeatureCsv, CategoriesBecomeFeaturesInTheOrderTheyWereNamed) {
  const CsvColumns columns{.labels = {"y"},
                           .categories = {{"ward", {"west", "", "the \"old\", east"}}}};
  const FeatureCsv csv =
      read("a,ward,y,b\n1,west,p,2\n3,,q,4\n5,\"the \"\"old\"\", east\",p,6\n", columns);
  EXPECT_EQ(csv.features, (std::vector<std::string>{"a", "ward", "b"}));
  EXPECT_EQ(
      csv.people.features,
      (Table{.rows = 3, .columns = 5, .values = {1, 1, 0, 0, 2, 3, 0, 1, 0, 4, 5, 0, 0, 1, 6}}));
  const Scratch scratch;
  const FeatureCsv test =
      read_feature_csv(scratch.put("t.csv", "ward;b;a;y\n;8;7;q\n"), columns, csv);
  EXPECT_EQ(test.people.features, (Table{.rows = 1, .columns = 5, .values = {7, 0, 1, 0, 8}}));
}

TEST(FeatureCsv, RefusesOtherCategoriesWithTheirLineAndWithoutThem) {
  const CsvColumns columns{.labels = {"y"}, .categories = {{"ward", {"east", "west"}}}};
  EXPECT_EQ(refused("ward,y\neast,p\nsecret,q\n", columns),
            "people.csv line 3 column 'ward' is none of its categories: give one of the 2 of "
            "data.categories, or add it there");
  EXPECT_EQ(refused("ward,y\neast,p\n,q\n", columns),
            "people.csv line 3 column 'ward' is empty: give one of the 2 of data.categories, or "
            "add it there");
  const auto with = [](std::vector<std::string> categories) {
    return refused("ward,y\neast,p\n", {.labels = {"y"}, .categories = {{"ward", categories}}});
  };
  EXPECT_EQ(with({"east"}), "categories of column 'ward' is 1 texts: give 2 to 10000");
  EXPECT_EQ(with({"a", "b", "a"}),
            "categories of column 'ward' is a list with 'a' twice: give each of them once");
  EXPECT_EQ(refused("x,y\n1,p\n", columns),
            "people.csv is without the column 'ward': give a file that has it");
}

TEST(FeatureCsv, StandardisesColumnsByNameWithTheConstantsGiven) {
  const CsvColumns columns{.labels = {"y"},
                           .categories = {{"ward", {"e", "w"}}},
                           .standardise = {{"age", {.mean = 40, .scale = 16}}}};
  const FeatureCsv csv = read("b,ward,age,y\n7,e,48,p\n9,w,0,q\n", columns);
  EXPECT_EQ(csv.people.features,
            (Table{.rows = 2, .columns = 4, .values = {7, 1, 0, 0.5f, 9, 0, 1, -2.5f}}));
  const Scratch scratch;
  EXPECT_EQ(read_feature_csv(scratch.put("t.csv", "age,y,ward,b\n40,p,w,1\n"), columns, csv)
                .people.features,
            (Table{.rows = 1, .columns = 4, .values = {1, 0, 1, 0}}));
  const auto with = [](const std::string& column, const Scale& scale) {
    return refused(
        "age,y,ward\n3e38,p,e\n",
        {.labels = {"y"}, .categories = {{"ward", {"e", "w"}}}, .standardise = {{column, scale}}});
  };
  for (const std::string column : {"y", "ward"}) {
    EXPECT_EQ(with(column, {}),
              "column '" + column +
                  "' to standardise is a label, a group, an id, of categories or left "
                  "out: give a column of numbers");
  }
  EXPECT_EQ(with("agee", {}), "people.csv is without the column 'agee': give a file that has it");
  EXPECT_EQ(with("age", {.scale = 0}),
            "scale of column 'age' to standardise is 0: give a finite number above 0");
  EXPECT_EQ(with("age", {.scale = 1e-3}),
            "people.csv line 2 column 'age' is beyond float32, standardised: give constants of its "
            "own size");
}

TEST(FeatureCsv, DecimalCommasAreRefusedForWhatTheyAre) {
  for (const std::string text : {"x;y\n1.5;p\n1,5;q\n", "x,y\n1.5,p\n\"1,5\",q\n"}) {
    EXPECT_EQ(refused(text),
              "people.csv line 3 column 'x' is a number with a comma: give a decimal point, as in "
              "1.5, and nothing between thousands");
  }
}

TEST(FeatureCsv, LinesAreCountedAsAnEditorCountsThem) {
  EXPECT_EQ(refused("x,y,z\n1,a,\"\n\n\"\nq,b,2\n", {.labels = {"y"}, .leave_out = {"z"}}),
            "people.csv line 5 column 'x' is no finite number within float32: give a number for "
            "each person, or list the column in data.categories or data.leave_out");
  const CsvColumns columns{.labels = {"y"}, .leave_out = {"z"}};
  const FeatureCsv train = read("x,y,z\n1,a,\n2,b,\n", columns);
  EXPECT_EQ(refused_test(train, "x,y,z\n1,a,\"\n\n\"\n1,c,2\n", columns),
            "test.csv line 5 column 'y' is a label that training has not: give labels that some "
            "training people have");
}

TEST(FeatureCsv, NamesOfColumnsMayHaveCommasAndQuotesUnlessTheyAreWrittenDown) {
  EXPECT_EQ(read("\"weight, \"\"dry\"\"\",y\n1,a\n2,b\n", {.labels = {"y"}}).features[0],
            "weight, \"dry\"");
  EXPECT_EQ(refused("x,\"p,q\",y\n1,0,1\n", {.labels = {"p,q", "y"}}),
            "label column 0 (from 0) is a label with a comma, a quote or a control character: give "
            "plain text");
}

TEST(FeatureCsv, ClassesAreSortedAsNumbersIfAllAreAndAsTextOtherwise) {
  EXPECT_EQ(read("x,y\n0,10\n0,9\n0,-1\n0,9.0\n0,1e1\n", {.labels = {"y"}}).people.labels,
            (Labels{.names = {"-1", "9", "10"}, .values = {2, 1, 0, 1, 2}}));
  EXPECT_EQ(read("x,y\n0,10\n0,9\n0,a\n", {.labels = {"y"}}).people.labels,
            (Labels{.names = {"10", "9", "a"}, .values = {0, 1, 2}}));
}

TEST(FeatureCsv, SeveralLabelColumnsHold0Or1InTheOrderTheyWereNamed) {
  const FeatureCsv csv = read("p,x,q\n1,5,0\n0.0,6,1.0\n", {.labels = {"q", "p"}});
  EXPECT_EQ(csv.people.labels,
            (Labels{.kind = LabelKind::many, .names = {"q", "p"}, .values = {0, 1, 1, 0}}));
  EXPECT_EQ(refused("p,x,q\n1,5,0\n0,6,2\n", {.labels = {"q", "p"}}),
            "people.csv line 3 column 'q' is neither 0 nor 1: give 0 or 1 in every column of "
            "several labels");
}

TEST(FeatureCsv, TestColumnsAreFoundByName) {
  const CsvColumns columns{.labels = {"y"}, .leave_out = {"name"}};
  const FeatureCsv train = read("a,b,y,name\n1,2,1,n\n3,4,0,n\n", columns);
  const Scratch scratch;
  const FeatureCsv test =
      read_feature_csv(scratch.put("t.csv", "y,b,a\n0.0,6,5\n"), columns, train);
  EXPECT_EQ(test.people.features, (Table{.rows = 1, .columns = 2, .values = {5, 6}}));
  EXPECT_EQ(test.people.labels, (Labels{.names = {"0", "1"}, .values = {0}}));
  EXPECT_EQ(test.features, train.features);
  EXPECT_EQ(refused_test(train, "y,a\n0,5\n", columns),
            "test.csv is without the column 'b': give a file that has it");
  EXPECT_EQ(refused_test(train, "y,a,b,c\n0,5,6,7\n", columns),
            "test.csv is with a column 'c' that training has not: give the columns of training");
  EXPECT_EQ(refused_test(train, "y,a,b\n0,1,1\n2,5,6\n", columns),
            "test.csv line 3 column 'y' is a label that training has not: give labels that some "
            "training people have");
}

TEST(FeatureCsv, RefusesCellsWithLineAndColumnAndNeverTheValue) {
  const std::string accepted =
      ": give a number for each person, or list the column in data.categories or data.leave_out";
  for (const std::string secret : {"abc", "1.5x", "1e39", "inf", "nan", "0x1p3", "1 2", "--1"}) {
    EXPECT_EQ(refused("x,y\n1,a\n" + secret + ",b\n"),
              "people.csv line 3 column 'x' is no finite number within float32" + accepted);
  }
  EXPECT_EQ(refused("x,y\n,a\n1,b\n"), "people.csv line 2 column 'x' is empty" + accepted);
  EXPECT_EQ(refused("x,y\n1,a\n2,\n"),
            "people.csv line 3 column 'y' is without a label: give one label for each person");
  EXPECT_EQ(refused("x,y\n1,a\n2,\"a,b\"\n"),
            "people.csv line 3 column 'y' is a label with a comma, a quote or a control "
            "character: give plain text");
  EXPECT_EQ(refused("x,y\n1,a\n2,a\n"),
            "people.csv column 'y' is of one class: give labels of at least two classes");
}

TEST(FeatureCsv, RefusesRowsOfAnotherLength) {
  const std::string accepted = ": give 2 values, as many as the header has";
  EXPECT_EQ(refused("x,y\n1,a\n2\n"), "people.csv line 3 is 1 values long" + accepted);
  EXPECT_EQ(refused("x,y\n1,a,\n"), "people.csv line 2 is longer than the header" + accepted);
  EXPECT_EQ(refused("x,y\n1,a\n\n2,b\n"),
            "people.csv line 3 is empty: give a row on every line up to the last");
  EXPECT_EQ(refused("x,y\n1,\"a\n"),
            "people.csv line 2 is a line with a quote that does not end: give a quote at the end "
            "of each such cell");
  EXPECT_EQ(refused("x,y\n1,\"a\"b\n"),
            "people.csv line 2 is a line with text behind a quote: give cells that are in quotes "
            "as a whole");
}

TEST(FeatureCsv, RefusesHeadersThatDoNotNameEachColumnOnce) {
  EXPECT_EQ(refused("x,,y\n"),
            "people.csv header, column 1 (from 0) is without a name: give a name for each column");
  EXPECT_EQ(refused("x,y,x\n"),
            "people.csv header, column 2 (from 0) is 'x' again: give another name for each column");
  EXPECT_EQ(refused("x,\x1b[2J\n"),
            "people.csv header, column 1 (from 0) is a name with a line break, a tab or another "
            "control character: give plain text");
  EXPECT_EQ(refused("x,y\n"),
            "people.csv is without rows: give a header and a row for each person");
  EXPECT_EQ(refused("x,z\n1,2\n"), "people.csv is without the column 'y': give a file that has it");
  EXPECT_EQ(refused("y\n1\n0\n"),
            "people.csv is without features: give columns of numbers besides labels and groups");
  EXPECT_EQ(refused(" \n\n"),
            "people.csv header, column 0 (from 0) is without a name: give a name for each column");
  EXPECT_EQ(refused(""), "people.csv is empty: give a CSV file with a header");
}

TEST(FeatureCsv, RefusesColumnsNamedTwiceOrNotAtAll) {
  const std::string text = "x,y\n1,a\n2,b\n";
  EXPECT_EQ(refused(text, {.labels = {}}),
            "label columns is not given: give the name of at least one");
  const std::string twice =
      "column 'y' is named twice: give each column as a label, as the group, as the id, by its "
      "categories or "
      "to leave out";
  EXPECT_EQ(refused(text, {.labels = {"y", "y"}}), twice);
  EXPECT_EQ(refused(text, {.labels = {"y"}, .group = "y"}), twice);
  EXPECT_EQ(refused(text, {.labels = {"y"}, .leave_out = {"y"}}), twice);
  EXPECT_EQ(refused(text, {.labels = {"y"}, .categories = {{"y", {"a", "b"}}}}), twice);
  EXPECT_EQ(refused(text, {.labels = {"y"}, .leave_out = {"z"}}),
            "people.csv is without the column 'z': give a file that has it");
}

TEST(FeatureCsv, RefusesAColumnOfMeasurementsAsLabels) {
  std::string text = "x,y\n";
  for (int i = 0; i <= 10'000; ++i) text += "1," + std::to_string(i) + "\n";
  EXPECT_EQ(refused(text),
            "people.csv column 'y' is of more than 10000 different names: give fewer of them: is "
            "it a column of measurements?");
}

TEST(FeatureCsv, AnyTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check("any text", [](const std::string& text) {
    refused(text);
    refused("x,y,g\n" + text, {.labels = {"y"}, .group = "g"});
    refused("x,y\n1,a\n2," + text);
  }));
}

TEST(FeatureCsv, NumbersComeBackAsTheyWereWritten) {
  EXPECT_TRUE(rc::check("round trip", [](const std::vector<std::int32_t>& numbers) {
    RC_PRE(numbers.size() >= 2);
    std::string text = "x,y\n";
    for (std::size_t i = 0; i < numbers.size(); ++i)
      text += std::to_string(numbers[i]) + (i % 2 == 0 ? ",a\n" : ",b\n");
    const FeatureCsv csv = read(text, {.labels = {"y"}});
    RC_ASSERT(csv.people.count() == numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      RC_ASSERT(csv.people.features.values[i] == static_cast<float>(numbers[i]));
  }));
}

}  // namespace
}  // namespace ration
