// People who are followed: what they have spent at the end of every epoch.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "ration/compose/compose.h"
#include "ration/dataset/load_dataset.h"
#include "ration/loss/gdp.h"
#include "ration/train/run.h"
#include "tests/file/scratch.h"

namespace ration::train {
namespace {

// Everybody's norm is above a tiny clip bound: what they spend is known.
constexpr const char* kSettings = R"([data]
source = "cohort"
people = 50
test_people = 10
[optimiser]
rate = 0.01
[privacy]
mode = "gd"
noise = 10
clip = 1e-6
delta = 1e-5
[run]
epochs = 4
checkpoint_seconds = 0
follow = [17, 3]
)";
const std::vector<std::string> kSampled = {"privacy.mode=sgd", "privacy.rate=0.25",
                                           "privacy.refresh=3"};

class Follow : public testing::Test {
 protected:
  void train_in(const std::string& directory, std::vector<std::string> overrides,
                std::uint64_t stop_after = 0) {
    Settings settings = parse_settings(kSettings, "test", overrides);
    settings.out = files_.file(directory);
    const Dataset data = load_dataset(settings.data.source, settings.data.options);
    const auto stop = [&](const RunProgress& at) {
      if (at.step == stop_after) throw std::runtime_error("stopped");
    };
    if (stop_after == 0) {
      train(settings, data, Start::fresh);
      return;
    }
    EXPECT_THROW(train(settings, data, Start::fresh, {.on_progress = stop}), std::runtime_error);
    train(settings, data, Start::resumed);
  }

  std::vector<std::vector<double>> rows_of(const std::string& file) {
    std::istringstream in(contents(files_.file(file)));
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line,
              "epoch,steps,epsilon_lower:17,epsilon_upper:17,admitted:17,epsilon_lower:3,"
              "epsilon_upper:3,admitted:3");
    std::vector<std::vector<double>> rows;
    while (std::getline(in, line)) {
      std::istringstream cells(line);
      rows.emplace_back();
      for (std::string cell; std::getline(cells, cell, ',');)
        rows.back().push_back(std::stod(cell));
    }
    return rows;
  }

  Scratch files_;
};

TEST_F(Follow, EveryEpochHasTheEpsilonOfItsSteps) {
  train_in("r", {});
  const auto rows = rows_of("r/followed.csv");
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t k = 1; k <= 4; ++k) {
    const std::vector<double>& row = rows[k - 1];
    const auto steps = static_cast<double>(k);
    const Bound exact = gdp::epsilon({.mu = std::sqrt(steps) / 10, .delta = 1e-5});
    ASSERT_EQ(row.size(), 8u);
    EXPECT_EQ(row[0], steps);
    EXPECT_EQ(row[1], steps);
    for (const std::size_t person : {2U, 5U}) {
      EXPECT_NEAR(row[person], exact.lower, 1e-7);  // of a delta that is smaller by 1e-12 of it
      EXPECT_GE(row[person + 1], exact.lower);
      EXPECT_NEAR(row[person + 1], exact.upper, 1e-7);
      EXPECT_EQ(row[person + 2], steps);
    }
  }
  EXPECT_EQ(std::filesystem::status(files_.file("r/followed.csv")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(Follow, AFilterHoldsThemBackAndWhatTheySpentStays) {
  train_in("r", {"filter.after_epochs=2"});
  const auto rows = rows_of("r/followed.csv");
  EXPECT_EQ(rows[1][4], 2);
  EXPECT_EQ(rows[3][4], 2);
  EXPECT_NEAR(rows[3][3], rows[1][3], 1e-9);
}

TEST_F(Follow, WithSamplingTheEpsilonIsTightAndNotAboveThePromise) {
  train_in("r", kSampled);
  const auto rows = rows_of("r/followed.csv");
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t k = 1; k <= 4; ++k) {
    const Plan plan = {entry({.noise = 10, .rate = 0.25, .steps = 4.0 * static_cast<double>(k)})};
    const Bound exact = compose(plan, 1e-5).epsilon;
    EXPECT_GE(rows[k - 1][3], exact.lower);
    EXPECT_NEAR(rows[k - 1][3], exact.upper, 1e-6);
    EXPECT_EQ(rows[k - 1][4], 4.0 * static_cast<double>(k));
  }
}

// How far it had come was noted after every step: nothing is charged again.
TEST_F(Follow, ARunThatWasInterruptedGoesOnWithoutAGap) {
  for (const bool sampled : {false, true}) {
    const std::string directory = sampled ? "sampled" : "whole";
    std::vector<std::string> overrides = sampled ? kSampled : std::vector<std::string>{};
    overrides.emplace_back("run.epochs=5");
    train_in(directory, overrides, sampled ? 11 : 3);
    const auto rows = rows_of(directory + "/followed.csv");
    ASSERT_EQ(rows.size(), 5u);
    double before = 0;
    for (std::size_t k = 1; k <= 5; ++k) {
      EXPECT_EQ(rows[k - 1][0], static_cast<double>(k));
      EXPECT_GT(rows[k - 1][3], before);
      before = rows[k - 1][3];
    }
    EXPECT_GE(rows[4][4], rows[4][1]);
    EXPECT_EQ(rows[4][4], sampled ? 20 : 5);
  }
}

TEST_F(Follow, ATestRunSaysSoInTheNameAndNobodyLeavesNoFile) {
  train_in("t", {"run.test_seed=1"});
  EXPECT_EQ(rows_of("t/followed.not-private.csv").size(), 4u);
  train_in("n", {"run.follow=[]"});
  EXPECT_FALSE(std::filesystem::exists(files_.file("n/followed.csv")));
  train_in("p", {"privacy.mode=none", "run.follow=[99]"});
  EXPECT_FALSE(std::filesystem::exists(files_.file("p/followed.csv")));
}

TEST_F(Follow, IsRefusedForPeopleWhoAreNotThereOrThereTwice) {
  EXPECT_EQ(refusal([&] { train_in("r", {"run.follow=[49,50]"}); }),
            "run.follow is 50: give people from 0 to 49");
  EXPECT_EQ(refusal([&] { train_in("r", {"run.follow=[4,4]"}); }),
            "run.follow is a list with somebody twice: give each once");
  std::string many = "run.follow=[0";
  for (int i = 1; i <= 100; ++i) many += "," + std::to_string(i);
  EXPECT_EQ(refusal([&] { train_in("r", {many + "]"}); }),
            "run.follow is 101 people: give at most 100");
  EXPECT_FALSE(std::filesystem::exists(files_.file("r")));
}

}  // namespace
}  // namespace ration::train
