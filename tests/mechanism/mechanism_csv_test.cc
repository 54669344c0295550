#include "ration/mechanism/mechanism_csv.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>
#include <stdexcept>
#include <streambuf>

#include "ration/base/error.h"
#include "tests/file/gzipped.h"
#include "tests/refusal.h"

namespace ration {
namespace {

Plan plan_of(const std::string& text) {
  std::istringstream in(text);
  return read_plan(in, "plan.csv");
}
std::string refused_plan(const std::string& text) {
  return refusal([&] { plan_of(text); });
}

TEST(PlanCsv, ReadsRowsInAnyColumnOrder) {
  const Plan plan = plan_of("steps,noise,rate\r\n10, 2.5 ,0.01\n\n20,3,1\n");
  ASSERT_EQ(plan.size(), 2u);
  const auto first = std::get<SubsampledGaussian>(plan[0].mechanism);
  EXPECT_EQ(first.noise, 2.5);
  EXPECT_EQ(first.rate, 0.01);
  EXPECT_EQ(plan[0].steps, 10);
  EXPECT_EQ(std::get<Gaussian>(plan[1].mechanism).noise, 3);
}

TEST(PlanCsv, ReadsSemicolonsTabsQuotesAndGzip) {
  for (const std::string text :
       {"noise;rate;steps\n2.5;0.01;10\n", "\xEF\xBB\xBFnoise\trate\tsteps\r\n2.5\t0.01\t10\r\n",
        "\"noise\",\"rate\",\"steps\"\n\"2.5\",0.01,10\n"}) {
    for (const std::string& file : {text, gzipped(text)}) {
      const Plan plan = plan_of(file);
      ASSERT_EQ(plan.size(), 1u);
      EXPECT_EQ(std::get<SubsampledGaussian>(plan[0].mechanism).noise, 2.5);
      EXPECT_EQ(plan[0].steps, 10);
    }
  }
  EXPECT_EQ(refused_plan("noise;rate;steps\n2,5;0.01;10\n"),
            "plan.csv line 2, noise is '2,5': give a decimal point, as in 1.5, and nothing between "
            "thousands");
}

TEST(PlanCsv, RefusalsNameLineColumnAndWhatIsAccepted) {
  EXPECT_EQ(refused_plan(""),
            "plan.csv is empty: give a plan: the columns noise, rate and steps, each once");
  EXPECT_EQ(
      refused_plan("noise,steps\n1,2\n"),
      "header of plan.csv is without rate: give the columns noise, rate and steps, each once");
  EXPECT_EQ(refused_plan("noise,rate,steps\n1,0.1,5\n1,x,5\n"),
            "plan.csv line 3, rate is 'x': give a number");
  EXPECT_EQ(refused_plan("noise,rate,steps\n1,0.1\n"),
            "plan.csv line 2 is 2 values long: give 3 values");
  EXPECT_EQ(refused_plan("noise,rate,steps\n-1,0.1,5\n"),
            "plan.csv line 2: noise is -1: give a number from 0.0001 to 1e8");
  EXPECT_EQ(refused_plan("noise,rate,steps\n1,nan,5\n"),
            "plan.csv line 2: rate is nan: give a probability from 1e-12 to 1");
  EXPECT_EQ(refused_plan("noise,rate,steps\n"),
            "plan.csv is without rows: give at least one row of noise, rate and steps");
  EXPECT_EQ(
      refused_plan("noise,rate,steps,noise\n1,1,1,1\n"),
      "header of plan.csv is 4 columns wide: give the columns noise, rate and steps, each once");
}

TEST(PlanCsv, MissingFilesAndFoldersAreRefused) {
  EXPECT_THROW(read_plan(std::filesystem::path("no/such/file.csv")), Error);
  EXPECT_THROW(read_plan(std::filesystem::path(".")), Error);
}

TEST(PlanCsv, AnyTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check("text after a good header", [](const std::string& text) {
    try {
      plan_of("noise,rate,steps\n" + text);
    } catch (const Error&) {
    }
  }));
}

TEST(PlanCsv, WhatIsWrittenIsReadBack) {
  EXPECT_TRUE(rc::check("round trip", [] {
    const double noise = *rc::gen::inRange(1, 1'000'000) / 1000.0;
    const double rate = *rc::gen::inRange(1, 1000) / 1000.0;
    const int steps = *rc::gen::inRange(1, 1'000'000);
    std::ostringstream out;
    out.precision(17);
    out << "noise,rate,steps\n" << noise << ',' << rate << ',' << steps << '\n';
    const Plan plan = plan_of(out.str());
    RC_ASSERT(plan.size() == 1u);
    RC_ASSERT(std::get<SubsampledGaussian>(plan[0].mechanism).noise == noise);
    RC_ASSERT(std::get<SubsampledGaussian>(plan[0].mechanism).rate == rate);
    RC_ASSERT(plan[0].steps == steps);
  }));
}

DiscretePair pair_of(const std::string& text) {
  std::istringstream in(text);
  return read_pair(in, "pair.csv");
}
std::string refused_pair(const std::string& text) {
  return refusal([&] { pair_of(text); });
}

TEST(PairCsv, ReadsTwoColumnsWithAndWithoutAHeader) {
  for (const char* text : {"0.25,0.5\n0.75,0.5\n", "with,without\n0.25, 0.5\n\n0.75,0.5",
                           "without,with\r\n0.5,0.25\r\n0.5,0.75\r\n",
                           "\xEF\xBB\xBF"
                           "0.25,0.5\n0.75,0.5\n"}) {
    EXPECT_EQ(pair_of(text).with(), (std::vector{0.25, 0.75})) << text;
    EXPECT_EQ(pair_of(text).without(), (std::vector{0.5, 0.5})) << text;
  }
}

TEST(PairCsv, RefusalsNameTheLine) {
  EXPECT_EQ(refused_pair(""), "pair.csv is empty: give a pair: two probabilities a row");
  EXPECT_EQ(refused_pair("0.5,0.5\n-0.5,0.5\n"),
            "pair.csv line 2 is -0.5: give a probability from 0 to 1");
  EXPECT_EQ(refused_pair("with,without\n0.5,0.5\n0.5\n"),
            "pair.csv line 3 is 1 values long: give 2 values");
  EXPECT_EQ(refused_pair("0.5,0.5\n0.5,x\n"), "pair.csv line 2 is 'x': give a number");
  EXPECT_EQ(refused_pair("0.5,0.5\n0.4,0.5\n"),
            "pair.csv: sum of the probabilities with, rows 1 to 2 is 0.9: give probabilities that "
            "sum to 1 within 1e-12");
  EXPECT_EQ(refused_pair("p,q\n0.5,0.5\n"),
            "header of pair.csv is something else: give the columns with and without, each once");
  EXPECT_EQ(refused_pair("with,without\n"),
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
