#include "ration/mechanism/pair_csv.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <streambuf>

#include "ration/base/error.h"
#include "tests/refusal.h"

namespace ration {
namespace {

DiscretePair read(const std::string& text) {
  std::istringstream in(text);
  return read_pair(in, "pair.csv");
}
std::string refusal(const std::string& text) {
  return ration::refusal([&] { read(text); });
}

TEST(PairCsv, ReadsTwoColumnsWithAndWithoutAHeader) {
  for (const char* text : {"0.25,0.5\n0.75,0.5\n", "with,without\n0.25, 0.5\n\n0.75,0.5",
                           "without,with\r\n0.5,0.25\r\n0.5,0.75\r\n",
                           "\xEF\xBB\xBF"
                           "0.25,0.5\n0.75,0.5\n"}) {
    EXPECT_EQ(read(text).with(), (std::vector{0.25, 0.75})) << text;
    EXPECT_EQ(read(text).without(), (std::vector{0.5, 0.5})) << text;
  }
}

TEST(PairCsv, RefusalsNameTheLine) {
  EXPECT_EQ(refusal(""), "pair.csv is empty: give a pair: two probabilities a row");
  EXPECT_EQ(refusal("0.5,0.5\n-0.5,0.5\n"),
            "pair.csv line 2 is -0.5: give a probability from 0 to 1");
  EXPECT_EQ(refusal("with,without\n0.5,0.5\n0.5\n"),
            "pair.csv line 3 is 1 values long: give 2 values");
  EXPECT_EQ(refusal("0.5,0.5\n0.5,x\n"), "pair.csv line 2 is 'x': give a number");
  EXPECT_EQ(refusal("0.5,0.5\n0.4,0.5\n"),
            "pair.csv: sum of the probabilities with, rows 1 to 2 is 0.9: give probabilities that "
            "sum to 1 within 1e-12");
  EXPECT_EQ(refusal("p,q\n0.5,0.5\n"),
            "header of pair.csv is something else: give the columns with and without, each once");
  EXPECT_EQ(refusal("with,without\n"),
            "pair.csv: pair is empty: give at least one row of two probabilities");
}

// A disk that fails in the middle of a file.
class Failing : public std::streambuf {
  int_type underflow() override {
    if (given_) throw std::runtime_error("read error");
    given_ = true;
    setg(text_, text_, text_ + 8);
    return text_[0];
  }
  bool given_ = false;
  char text_[9] = "0.5,0.5\n";
};
TEST(PairCsv, AFileThatBreaksOffIsRefused) {
  Failing source;
  std::istream in(&source);
  EXPECT_THROW(read_pair(in, "pair.csv"), Error);
}

TEST(PairCsv, AFileThatIsNotThereIsRefused) {
  EXPECT_THROW(read_pair(std::filesystem::path("no such file")), Error);
}

}  // namespace
}  // namespace ration
