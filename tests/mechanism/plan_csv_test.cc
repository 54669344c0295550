#include "ration/mechanism/plan_csv.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

#include "ration/base/error.h"
#include "tests/refusal.h"

namespace ration {
namespace {

Plan read(const std::string& text) {
  std::istringstream in(text);
  return read_plan(in, "plan.csv");
}
std::string refusal(const std::string& text) {
  return ration::refusal([&] { read(text); });
}

TEST(PlanCsv, ReadsRowsInAnyColumnOrder) {
  const Plan plan = read("steps,noise,rate\r\n10, 2.5 ,0.01\n\n20,3,1\n");
  ASSERT_EQ(plan.size(), 2u);
  const auto first = std::get<SubsampledGaussian>(plan[0].mechanism);
  EXPECT_EQ(first.noise, 2.5);
  EXPECT_EQ(first.rate, 0.01);
  EXPECT_EQ(plan[0].steps, 10);
  EXPECT_EQ(std::get<Gaussian>(plan[1].mechanism).noise, 3);
}

TEST(PlanCsv, RefusalsNameLineColumnAndWhatIsAccepted) {
  EXPECT_EQ(refusal(""),
            "plan.csv is empty: give a plan: the columns noise, rate and steps, each once");
  EXPECT_EQ(
      refusal("noise,steps\n1,2\n"),
      "header of plan.csv is without rate: give the columns noise, rate and steps, each once");
  EXPECT_EQ(refusal("noise,rate,steps\n1,0.1,5\n1,x,5\n"),
            "plan.csv line 3, rate is 'x': give a number");
  EXPECT_EQ(refusal("noise,rate,steps\n1,0.1\n"),
            "plan.csv line 2 is 2 values long: give 3 values");
  EXPECT_EQ(refusal("noise,rate,steps\n-1,0.1,5\n"),
            "plan.csv line 2: noise is -1: give a number from 0.0001 to 1e8");
  EXPECT_EQ(refusal("noise,rate,steps\n1,nan,5\n"),
            "plan.csv line 2: rate is nan: give a probability from 1e-12 to 1");
  EXPECT_EQ(refusal("noise,rate,steps\n"),
            "plan.csv is without rows: give at least one row of noise, rate and steps");
  EXPECT_EQ(
      refusal("noise,rate,steps,noise\n1,1,1,1\n"),
      "header of plan.csv is 4 columns wide: give the columns noise, rate and steps, each once");
}

TEST(PlanCsv, MissingFilesAndFoldersAreRefused) {
  EXPECT_THROW(read_plan(std::filesystem::path("no/such/file.csv")), Error);
  EXPECT_THROW(read_plan(std::filesystem::path(".")), Error);
}

TEST(PlanCsv, AnyTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check("text after a good header", [](const std::string& text) {
    try {
      read("noise,rate,steps\n" + text);
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
    const Plan plan = read(out.str());
    RC_ASSERT(plan.size() == 1u);
    RC_ASSERT(std::get<SubsampledGaussian>(plan[0].mechanism).noise == noise);
    RC_ASSERT(std::get<SubsampledGaussian>(plan[0].mechanism).rate == rate);
    RC_ASSERT(plan[0].steps == steps);
  }));
}

}  // namespace
}  // namespace ration
