#include "ration/file/id_file.h"

#include <gtest/gtest.h>

#include "tests/file/gzipped.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

using Texts = std::vector<std::string>;

class IdFile : public testing::Test {
 protected:
  Texts read(const std::string& bytes, const std::optional<std::string>& column = {}) {
    const Ids ids = read_ids(files_.put("ids.csv", bytes), column, "--ids");
    return {ids.all().begin(), ids.all().end()};
  }
  std::string refused(const std::string& bytes, const std::optional<std::string>& column = {}) {
    return refusal(files_, [&] { read(bytes, column); });
  }

  Scratch files_;
};

TEST_F(IdFile, OneALine) {
  const Texts expected = {"P-17", "4", "a,b"};
  for (const std::string text : {"P-17\n4\na,b\n", "id\r\nP-17\r\n4\r\na,b", "P-17\n4\n\"a,b\"\n\n",
                                 "person\nP-17\n4\na,b\n"}) {
    EXPECT_EQ(read(text), expected) << text;
    EXPECT_EQ(read(gzipped(text)), expected) << text;
  }
}

TEST_F(IdFile, AColumnOfATable) {
  const Texts expected = {"P-17", "a;b"};
  EXPECT_EQ(read("age;patient\n3;P-17\n4;\"a;b\"\n", "patient"), expected);
  EXPECT_EQ(read(gzipped("patient,age\nP-17,3\na;b,4\n"), "patient"), expected);
}

TEST_F(IdFile, RefusalsNameTheLineAndNoId) {
  EXPECT_EQ(refused("secret\nb\nsecret\n"),
            "ids.csv has the same id in lines 1 and 3: give each person once");
  EXPECT_EQ(refused("id,age\nx,1\ny,2\n\"x\",3\n", "id"),
            "ids.csv has the same id in lines 2 and 4: give each person once");
  EXPECT_EQ(refused("a\n\nb\n"), "ids.csv line 2 is empty: give everybody an id");
  EXPECT_EQ(refused("id,age\n,1\n", "id"),
            "ids.csv line 2 column 'id' is empty: give everybody an id");
  EXPECT_EQ(refused("a,b\n1,2\n", "id"),
            "ids.csv has no column 'id': give one that its header has");
  EXPECT_EQ(refused("id,id\n1,2\n", "id"),
            "ids.csv has the column 'id' twice: give each a name of its own");
  EXPECT_EQ(refused("a\n\" b\"\n"),
            "ids.csv line 2 has blanks around it: one person would have two ids");
  EXPECT_EQ(refused(""), "ids.csv is empty: give the name of a file of ids (--ids)");
}

}  // namespace
}  // namespace ration
