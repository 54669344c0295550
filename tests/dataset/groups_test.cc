#include "ration/dataset/groups.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

#include "ration/base/error.h"
#include "tests/file/gzipped.h"
#include "tests/refusal.h"

namespace ration {
namespace {

Groups read(const std::string& text, std::size_t people) {
  std::istringstream in(text);
  return read_groups(in, "groups.csv", people);
}
std::string refused(const std::string& text, std::size_t people) {
  return refusal([&] { read(text, people); });
}

TEST(Groups, ReadsLabelsWithAndWithoutAHeader) {
  for (const char* text :
       {"b\na\nb\n", "b\na\nb", "group\r\nb\r\n a\r\nb \r\n", "\xEF\xBB\xBFgroup\nb\na\nb\n",
        "person,group\n0,b\n1, a\n2,b\n", "person;group\r\n0;b\r\n1;\"a\"\r\n2;b\r\n",
        "person\tgroup\n0\tb\n1\ta\n2\tb\n", "\"b\"\n\"a\"\nb\n"}) {
    const Groups groups = read(text, 3);
    EXPECT_EQ(groups.labels, (std::vector<std::string>{"a", "b"})) << text;
    EXPECT_EQ(groups.of_person, (std::vector<std::uint32_t>{1, 0, 1})) << text;
  }
  EXPECT_EQ(read("M\xC3\xA4nner und Frauen\n", 1).labels[0], "M\xC3\xA4nner und Frauen");
}

TEST(Groups, OfPeopleWithIdsComeInAnyOrder) {
  const Ids ids({"P-17", "a,b", "0"});
  const auto of = [&](const std::string& text, OrderOfPeople order = OrderOfPeople::given) {
    std::istringstream in(text);
    return read_groups(in, "groups.csv", 3, ids, order).of_person;
  };
  const std::vector<std::uint32_t> expected = {0, 1, 1};
  EXPECT_EQ(of("person,group\n0,y\n\"a,b\",y\nP-17,x\n"), expected);
  EXPECT_EQ(of("id;group\na,b;y\nP-17;x\n0;y\n"), expected);
  EXPECT_EQ(of("x\ny\ny\n"), expected);
  const auto refused = [&](const std::string& text, OrderOfPeople order = OrderOfPeople::given) {
    return refusal([&] { of(text, order); });
  };
  EXPECT_EQ(refused("x\ny\ny\n", OrderOfPeople::none),
            "groups.csv is without ids: give a CSV file with the columns person,group");
  EXPECT_EQ(refused("person,group\n0,y\nsecret,y\nP-17,x\n"),
            "groups.csv line 3 is of an id that nobody has: give everybody once, by their ids");
  EXPECT_EQ(refused("person,group\n0,y\n0,y\nP-17,x\n"),
            "groups.csv line 3 is of somebody who had a line before: give everybody once");
  EXPECT_EQ(refused("person,group\n0,y\nP-17,x\n"),
            "groups.csv is 2 labels long: give one label for each of the 3 people");
}

TEST(Groups, ReadsGzipAndLabelsWithSemicolons) {
  EXPECT_EQ(read(gzipped("group\nb\na\nb\n"), 3).of_person, (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_EQ(read("a;b\nc;d\n", 2).labels, (std::vector<std::string>{"a;b", "c;d"}));
}

TEST(Groups, AreInAnOrderThatDoesNotSayWhoCameFirst) {
  const auto labels = [](const std::string& text) { return read(text, 4).labels; };
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels("b\na\n10\n9\n"), (Labels{"10", "9", "a", "b"}));
  EXPECT_EQ(labels("10\n9\n-1\n9.0\n"), (Labels{"-1", "9", "9.0", "10"}));
  EXPECT_EQ(labels("inf\n10\n9\n9\n"), (Labels{"10", "9", "inf"}));
  EXPECT_EQ(read("10\n9\n-1\n9\n", 4).of_person, (std::vector<std::uint32_t>{2, 1, 0, 1}));
}

TEST(Groups, TheNumberOfLinesIsTheNumberOfPeople) {
  EXPECT_EQ(refused("a\nb\n", 3),
            "groups.csv is 2 labels long: give one label for each of the 3 people");
  EXPECT_EQ(refused("a\nb\nc\nd\n", 3),
            "groups.csv is more than 3 labels long: give one label for each of the 3 people");
  EXPECT_EQ(refused("", 3), "groups.csv is 0 labels long: give one label for each of the 3 people");
  EXPECT_EQ(refused("group\n", 1),
            "groups.csv is 0 labels long: give one label for each of the 1 people");
}

TEST(Groups, RefusalsNameTheLineAndNoLabel) {
  EXPECT_EQ(refused("a\n\nc\n", 3),
            "groups.csv line 2 is without a label: give one label for each person");
  EXPECT_EQ(refused("group\nsecret," + std::string("x\n"), 1),
            "groups.csv line 2 is a label with a comma, a quote or a control character: give plain "
            "text");
  EXPECT_NE(refused("\"a\"\"b\"\n", 1), "accepted");
  EXPECT_NE(refused("\"a\nb\"\n", 1), "accepted");
  EXPECT_NE(refused("a\x1b[2J\n", 1), "accepted");
  EXPECT_NE(refused(std::string("a\0b\n", 4), 1), "accepted");
  EXPECT_EQ(refused(std::string(200, 'x') + "\n", 1), "accepted");
  EXPECT_EQ(refused(std::string(201, 'x') + "\n", 1),
            "groups.csv line 1 is a label of 201 bytes: give at most 200 bytes");
  EXPECT_EQ(refused("person,group\n0,a\n2,b\n", 2),
            "groups.csv line 3 is of another person: give person 1: everybody once, in order, "
            "counted from 0");
  EXPECT_EQ(refused("person,group\n0,a,b\n", 1),
            "groups.csv line 2 is 3 values long: give 2 values: person,group");
  EXPECT_NE(refused("person,group\n00,a\n", 1), "accepted");
}

TEST(Groups, LabelsAreUtf8) {
  for (const char* good : {"\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xF0\x90\x80\x80",
                           "\xF4\x8F\xBF\xBF", "\xE2\x82\xAC"}) {
    EXPECT_EQ(refused(good, 1), "accepted");
  }
  for (const char* bad :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC2", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xE2\x28\xA1", "\xFF", "a\xE9"}) {
    EXPECT_EQ(refused(bad, 1), "groups.csv line 1 is no UTF-8: give plain text in UTF-8");
  }
}

TEST(Groups, TenThousandLabelsAreTheMost) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += std::to_string(i) + "\n";
  EXPECT_EQ(read(text, 10'000).labels.size(), 10'000u);
  EXPECT_EQ(refused(text + "one more\n", 10'001),
            "groups.csv is a file of more than 10000 different labels: give fewer groups");
}

TEST(Groups, MissingFilesAreRefused) {
  EXPECT_THROW(read_groups(std::filesystem::path("no such file"), 1), Error);
  EXPECT_THROW(read_groups(std::filesystem::path("."), 1), Error);
}

TEST(Groups, AnyLabelsComeBackInOrder) {
  EXPECT_TRUE(rc::check("round trip", [](const std::vector<std::uint8_t>& labels) {
    std::string text = "group\n";
    for (const auto label : labels) text += std::to_string(label) + " years\n";
    const Groups groups = read(text, labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
      RC_ASSERT(groups.labels[groups.of_person[i]] == std::to_string(labels[i]) + " years");
  }));
}

TEST(Groups, ByLabelOfBothKinds) {
  const Labels one{.names = {"a", "b"}, .values = {1, 0, 1}};
  const Labels many{.kind = LabelKind::many, .names = {"p", "q"}, .values = {1, 0, 0, 0, 1, 1}};
  using Indices = std::vector<std::uint32_t>;
  EXPECT_EQ(groups_by_label(one, {}).of_person, (Indices{1, 0, 1}));
  EXPECT_EQ(groups_by_label(one, {}).labels, one.names);
  EXPECT_EQ(groups_by_label(one, {.label = "b"}).of_person, (Indices{0, 1, 0}));
  EXPECT_EQ(groups_by_label(many, {.label = "q"}).of_person, (Indices{1, 1, 0}));
  EXPECT_EQ(groups_by_label(many, {.label = "q"}).labels, (std::vector<std::string>{"q", "no q"}));
  EXPECT_EQ(groups_by_label(many, {}).of_person, (Indices{1, 0, 1}));
  EXPECT_EQ(groups_by_label(many, {}).labels, (std::vector<std::string>{"no label", "some label"}));
  EXPECT_EQ(refusal([&] { groups_by_label(many, {.label = "r"}); }),
            "label to group by is 'r': give a label's name");
}

}  // namespace
}  // namespace ration
