// Directories of runs as the program writes them, read back.

#include "ration/train/read_results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/results/run_results.h"

namespace ration::results {
namespace {

namespace fs = std::filesystem;

TEST_F(ResultsOfRuns, HoldWhatTheFilesSay) {
  const Results results = train::read_results(trained(kFiltered), Sight::everything);
  const json j = summary();
  EXPECT_EQ(results.kind, Results::Kind::run);
  EXPECT_FALSE(results.test_run);
  EXPECT_TRUE(results.gaussian);
  EXPECT_EQ(results.data, j["data"]);
  EXPECT_EQ(results.people, 60u);
  EXPECT_EQ(results.steps, 4u);
  EXPECT_EQ(results.charged_steps, 4u);
  EXPECT_EQ(*results.delta, 1e-5);
  EXPECT_EQ(*results.epsilon, bound(j["epsilon"]));
  EXPECT_EQ(*results.worst_case, bound(j["worst_case"]));
  EXPECT_EQ(*results.budget, bound(j["budget"]));
  EXPECT_EQ(results.guarantee->theorem, j["guarantee"]["theorem"]);
  EXPECT_TRUE(results.guarantee->adaptive);
  EXPECT_EQ(results.score_name, "macro AUC");
  EXPECT_EQ(results.groups, (std::vector<std::string>{"pneumonia", "no pneumonia"}));
  EXPECT_EQ(results.settings, contents(files_.file("r/settings.toml")));
  EXPECT_EQ(results.test_people.at("pneumonia") + results.test_people.at("no pneumonia"), 40u);
  EXPECT_EQ(results.test_people.at("pneumonia"), j["test"]["people"]["pneumonia"]);
  ASSERT_EQ(results.moments.size(), 4u);
  EXPECT_EQ(results.moments[3].epoch, 4u);
  EXPECT_EQ(*results.moments[3].epsilon, results.epsilon->upper);
  EXPECT_EQ(*results.moments[3].test_loss[0], j["test"]["loss"].get<double>());
  EXPECT_EQ(*results.moments[3].test_score[0], j["test"]["macro_auc"].get<double>());
  EXPECT_EQ(results.moments[0].test_score.size(), 3u);
}

TEST_F(ResultsOfRuns, HoldEverybodysValuesInTheIndividualPart) {
  const Results results = train::read_results(trained(kFiltered), Sight::everything);
  const json j = summary()["individual"];
  const IndividualResults& individual = *results.individual;
  EXPECT_EQ(individual.method, "gdp");
  EXPECT_EQ(individual.guarantee.theorem, j["guarantee"]["theorem"]);
  EXPECT_EQ(individual.quantiles[3], bound(j["quantiles"]["0.5"]));
  ASSERT_EQ(individual.groups.size(), 2u);
  EXPECT_EQ(individual.groups[1].people, j["groups"]["no pneumonia"]["people"]);
  EXPECT_EQ(individual.groups[1].quantiles[6],
            bound(j["groups"]["no pneumonia"]["quantiles"]["1"]));
  ASSERT_EQ(individual.epsilons.size(), 60u);
  ASSERT_EQ(individual.attendance.size(), 60u);
  // A second way: the lines of the file, cut apart here.
  const auto rows = lines("r/epsilons.csv");
  double sum = 0;
  std::uint64_t active = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    std::istringstream in(rows[i + 1]);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    EXPECT_EQ(cells[0], std::to_string(i));
    EXPECT_EQ(individual.epsilons[i].lower, std::stod(cells[1]));
    EXPECT_EQ(individual.epsilons[i].upper, std::stod(cells[2]));
    EXPECT_EQ(individual.attendance[i].admitted, std::stoul(cells[3]));
    EXPECT_EQ(individual.attendance[i].left_out, std::stoul(cells[4]));
    EXPECT_EQ(individual.attendance[i].first_left_out,
              cells.size() > 5 ? std::stoul(cells[5]) : Attendance::kNever);
    sum += individual.epsilons[i].upper;
    active += individual.attendance[i].admitted;
  }
  EXPECT_LT(active, 60u * 4) << "the filter left nobody out, and the test says little";
  const auto& moments = results.moments;
  EXPECT_NEAR(moments[3].mean_epsilon[0], sum / 60, 1e-14);
  EXPECT_GE(moments[3].mean_epsilon[0] * (1 + 1e-15), sum / 60);
  std::uint64_t counted = 0;
  for (const ResultsMoment& moment : moments) counted += moment.active[0];
  EXPECT_EQ(counted, active);
  EXPECT_EQ(moments[3].active[1] + moments[3].active[2], moments[3].active[0]);
  EXPECT_EQ(moments[0].train_loss.size(), 3u);
}

TEST_F(ResultsOfRuns, WithoutAFilterNobodyIsCounted) {
  const Results results = train::read_results(trained(""), Sight::everything);
  EXPECT_FALSE(results.budget);
  EXPECT_TRUE(results.individual->attendance.empty());
  EXPECT_EQ(results.moments[3].active[0], 60u);
}

TEST_F(ResultsOfRuns, OfSamplesAreNotGaussianAndKnowMeansOnlyAtTheEnd) {
  const Results results = train::read_results(trained(kSampled), Sight::everything);
  EXPECT_FALSE(results.gaussian);
  EXPECT_EQ(results.steps, 16u);
  EXPECT_EQ(results.individual->method, "pld");
  EXPECT_TRUE(results.moments[0].mean_epsilon.empty());
  EXPECT_EQ(results.moments[3].mean_epsilon.size(), 3u);
}

TEST_F(ResultsOfRuns, FollowPeopleToWhatTheySpentInTheEnd) {
  for (const std::string& options : {std::string(kFiltered), std::string(kSampled)}) {
    fs::remove_all(files_.file("r"));
    const Results results =
        train::read_results(trained(options + " --set run.follow=[17,3]"), Sight::everything);
    const IndividualResults& individual = *results.individual;
    ASSERT_EQ(individual.followed.size(), 2u);
    EXPECT_EQ(individual.followed[0].person, 17u);
    for (const FollowedPerson& followed : individual.followed) {
      ASSERT_EQ(followed.points.size(), 4u);
      EXPECT_EQ(followed.points[0].steps, results.moments[0].steps);
      EXPECT_GT(followed.points[0].epsilon.upper, 0);
      EXPECT_LT(followed.points[0].epsilon.upper, followed.points[3].epsilon.upper);
      EXPECT_EQ(followed.points[3].epsilon, individual.epsilons[followed.person]);
    }
    EXPECT_TRUE(train::read_results(files_.file("r"), Sight::public_only).individual ==
                std::nullopt);
  }
}

TEST_F(ResultsOfRuns, KnowSettingsThatDoNotSayWhoIsFollowed) {
  const Results results = train::read_results(trained(kFollow), Sight::public_only);
  EXPECT_NE(results.settings.find("follow"), std::string::npos);
  EXPECT_EQ(results.shown_settings.find("follow"), std::string::npos);
  EXPECT_NE(results.shown_settings.find("epochs = 4"), std::string::npos);
  EXPECT_EQ(mode("r/settings.toml"), 0600u);
  fs::remove_all(files_.file("r"));
  const Results nobody = train::read_results(trained(""), Sight::public_only);
  EXPECT_EQ(nobody.settings, nobody.shown_settings);
  EXPECT_NE(mode("r/settings.toml") & 0004u, 0u);
}

TEST_F(ResultsOfRuns, OfTestRunsSaySo) {
  EXPECT_TRUE(train::read_results(trained(" --set run.test_seed=1"), Sight::everything).test_run);
}

TEST_F(ResultsOfRuns, WithoutPrivacyPromiseNothing) {
  const Results results =
      train::read_results(trained(" --set privacy.mode=none"), Sight::everything);
  EXPECT_FALSE(results.epsilon || results.delta || results.worst_case || results.guarantee);
  EXPECT_FALSE(results.individual);
  EXPECT_FALSE(results.gaussian);
  EXPECT_TRUE(std::isinf(*results.moments[0].epsilon));
  EXPECT_EQ(results.moments.size(), 4u);
}

TEST_F(ResultsOfRuns, WithoutTestPeopleAndGroupsHaveNoScores) {
  std::string ungrouped = small_config();
  ungrouped.erase(ungrouped.find("[groups]"),
                  ungrouped.find("[model]") - ungrouped.find("[groups]"));
  files_.put("small.toml", ungrouped);
  const Results results =
      train::read_results(trained(" --set data.test_people=0"), Sight::everything);
  EXPECT_EQ(results.score_name, "");
  EXPECT_TRUE(results.groups.empty());
  EXPECT_TRUE(results.moments[0].test_loss.empty());
  EXPECT_TRUE(results.moments[0].test_score.empty());
  EXPECT_EQ(results.moments[0].active.size(), 1u);
}

TEST_F(ResultsOfRuns, ThePublicPartNeedsNoPrivateFile) {
  const Results all =
      train::read_results(trained(std::string(kFiltered) + kFollow), Sight::everything);
  for (const char* name : {"private.csv", "epsilons.csv", "followed.csv", "accounts.state",
                           "checkpoint.state", "journal", "model.npz"}) {
    fs::remove(files_.file("r/") + name);
  }
  json j = summary();
  j.erase("individual");
  files_.put("r/summary.json", j.dump(2) + "\n");
  const Results shown = train::read_results(files_.file("r"), Sight::public_only);
  EXPECT_FALSE(shown.individual);
  EXPECT_EQ(shown.groups, all.groups);
  EXPECT_EQ(*shown.epsilon, *all.epsilon);
  EXPECT_EQ(shown.moments[3].test_loss, all.moments[3].test_loss);
  for (const ResultsMoment& moment : shown.moments) {
    EXPECT_TRUE(moment.active.empty() && moment.train_loss.empty() && moment.mean_epsilon.empty());
  }
}

}  // namespace
}  // namespace ration::results
