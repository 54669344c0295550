// Directories of runs as the program writes them, read back; and damaged ones, refused.

#include "ration/report/results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/cli/command.h"

namespace ration {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr const char* kSmall = R"([data]
source = "cohort"
people = 60
test_people = 40
[groups]
by = "label"
label = "pneumonia"
[model]
hidden = [4]
[optimiser]
rate = 0.01
[privacy]
mode = "gd"
noise = 10
clip = 0.5
delta = 1e-5
[run]
epochs = 4
checkpoint_seconds = 1000
)";
constexpr const char* kFiltered = " --clip 0.05 --set filter.after_epochs=2";
constexpr const char* kSampled =
    " --set privacy.mode=sgd --set privacy.rate=0.25 --set privacy.refresh=3";

constexpr const char* kFollow = " --set run.follow=[3,17]";

const std::vector<std::string> kFiles = {"summary.json", "settings.toml", "epochs.csv",
                                         "private.csv",  "epsilons.csv",  "followed.csv"};

class ResultsOfRuns : public CommandTest {
 protected:
  ResultsOfRuns() : CommandTest("train") { files_.put("small.toml", kSmall); }

  std::string trained(const std::string& options) {
    const Ended o = run("small.toml --out r" + options);
    EXPECT_EQ(o.status, 0) << o.err;
    return files_.file("r");
  }
  json summary() { return json::parse(contents(files_.file("r/summary.json"))); }
  std::string read_refusal(Sight sight = Sight::everything) {
    return refusal(files_, [&] { read_results(files_.file("r"), sight); });
  }
  void expect_read_refused(const std::string& words) {
    EXPECT_NE(read_refusal().find(words), std::string::npos) << read_refusal();
  }
};

TEST_F(ResultsOfRuns, HoldWhatTheFilesSay) {
  const Results results = read_results(trained(kFiltered), Sight::everything);
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
  const Results results = read_results(trained(kFiltered), Sight::everything);
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
  const Results results = read_results(trained(""), Sight::everything);
  EXPECT_FALSE(results.budget);
  EXPECT_TRUE(results.individual->attendance.empty());
  EXPECT_EQ(results.moments[3].active[0], 60u);
}

TEST_F(ResultsOfRuns, OfSamplesAreNotGaussianAndKnowMeansOnlyAtTheEnd) {
  const Results results = read_results(trained(kSampled), Sight::everything);
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
        read_results(trained(options + " --set run.follow=[17,3]"), Sight::everything);
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
    EXPECT_TRUE(read_results(files_.file("r"), Sight::public_only).individual == std::nullopt);
  }
}

TEST_F(ResultsOfRuns, KnowSettingsThatDoNotSayWhoIsFollowed) {
  const Results results = read_results(trained(kFollow), Sight::public_only);
  EXPECT_NE(results.settings.find("follow"), std::string::npos);
  EXPECT_EQ(results.shown_settings.find("follow"), std::string::npos);
  EXPECT_NE(results.shown_settings.find("epochs = 4"), std::string::npos);
  EXPECT_EQ(mode("r/settings.toml"), 0600u);
  fs::remove_all(files_.file("r"));
  const Results nobody = read_results(trained(""), Sight::public_only);
  EXPECT_EQ(nobody.settings, nobody.shown_settings);
  EXPECT_NE(mode("r/settings.toml") & 0004u, 0u);
}

TEST_F(ResultsOfRuns, OfTestRunsSaySo) {
  EXPECT_TRUE(read_results(trained(" --set run.test_seed=1"), Sight::everything).test_run);
}

TEST_F(ResultsOfRuns, WithoutPrivacyPromiseNothing) {
  const Results results = read_results(trained(" --set privacy.mode=none"), Sight::everything);
  EXPECT_FALSE(results.epsilon || results.delta || results.worst_case || results.guarantee);
  EXPECT_FALSE(results.individual);
  EXPECT_FALSE(results.gaussian);
  EXPECT_TRUE(std::isinf(*results.moments[0].epsilon));
  EXPECT_EQ(results.moments.size(), 4u);
}

TEST_F(ResultsOfRuns, WithoutTestPeopleAndGroupsHaveNoScores) {
  std::string ungrouped = kSmall;
  ungrouped.erase(ungrouped.find("[groups]"),
                  ungrouped.find("[model]") - ungrouped.find("[groups]"));
  files_.put("small.toml", ungrouped);
  const Results results = read_results(trained(" --set data.test_people=0"), Sight::everything);
  EXPECT_EQ(results.score_name, "");
  EXPECT_TRUE(results.groups.empty());
  EXPECT_TRUE(results.moments[0].test_loss.empty());
  EXPECT_TRUE(results.moments[0].test_score.empty());
  EXPECT_EQ(results.moments[0].active.size(), 1u);
}

TEST_F(ResultsOfRuns, ThePublicPartNeedsNoPrivateFile) {
  const Results all = read_results(trained(std::string(kFiltered) + kFollow), Sight::everything);
  for (const char* name : {"private.csv", "epsilons.csv", "followed.csv", "accounts.state",
                           "checkpoint.state", "journal", "model.npz"}) {
    fs::remove(files_.file("r/") + name);
  }
  json j = summary();
  j.erase("individual");
  files_.put("r/summary.json", j.dump(2) + "\n");
  const Results shown = read_results(files_.file("r"), Sight::public_only);
  EXPECT_FALSE(shown.individual);
  EXPECT_EQ(shown.groups, all.groups);
  EXPECT_EQ(*shown.epsilon, *all.epsilon);
  EXPECT_EQ(shown.moments[3].test_loss, all.moments[3].test_loss);
  for (const ResultsMoment& moment : shown.moments) {
    EXPECT_TRUE(moment.active.empty() && moment.train_loss.empty() && moment.mean_epsilon.empty());
  }
}

TEST_F(ResultsOfRuns, AreRefusedWhereThereAreNone) {
  expect_read_refused("r is not there: give the directory of a run");
  files_.put("r", "text");
  expect_read_refused("r is no directory");
  fs::remove(files_.file("r"));
  fs::create_directory(files_.file("r"));
  expect_read_refused("r is a directory without results");
}

TEST_F(ResultsOfRuns, OfARunThatHasNotFinishedSayHowToGoOn) {
  trained("");
  fs::remove(files_.file("r/summary.json"));
  expect_read_refused("has not finished: go on with it by ration train --resume --out ");
  fs::remove(files_.file("r/checkpoint.state"));
  expect_read_refused("has not finished: start it again");
}

TEST_F(ResultsOfRuns, AreRefusedWithoutOneOfTheirFiles) {
  trained(std::string(kFiltered) + kFollow);
  for (const std::string& name : kFiles) {
    const std::string text = contents(files_.file("r/" + name));
    files_.put("r/" + name, "");
    expect_read_refused("r/" + name + " is empty");
    if (name.ends_with(".csv")) {
      fs::remove(files_.file("r/" + name));
      expect_read_refused("cannot read r/" + name);
    }
    files_.put("r/" + name, text);
  }
  EXPECT_EQ(read_refusal(), "accepted");
}

TEST_F(ResultsOfRuns, CutOffAnywhereAreRefusedByTheNameOfTheFile) {
  trained(std::string(kFiltered) + kFollow);
  for (const std::string& name : kFiles) {
    const std::string text = contents(files_.file("r/" + name));
    for (std::size_t k = 1; k < text.size(); k += 1 + text.size() / 97) {
      files_.put("r/" + name, text.substr(0, text.size() - k));
      const std::string refused = read_refusal();
      EXPECT_EQ(refused.find("r/" + name), 0u) << k << " " << refused;
    }
    files_.put("r/" + name, text);
  }
}

TEST_F(ResultsOfRuns, WithLinesSwappedAreRefusedAndShowNothingOfThem) {
  trained(std::string(kFiltered) + kFollow);
  for (const std::string& name : kFiles) {
    if (!name.ends_with(".csv")) continue;
    auto rows = lines("r/" + name);
    const std::string text = contents(files_.file("r/" + name));
    std::swap(rows[2], rows[3]);
    std::string swapped;
    for (const std::string& row : rows) swapped += row + "\n";
    files_.put("r/" + name, swapped);
    const std::string refused = read_refusal();
    EXPECT_EQ(refused.find("r/" + name + " line 3 is "), 0u) << refused;
    files_.put("r/" + name, text);
  }
}

TEST_F(ResultsOfRuns, WithAnyCellDamagedAreRefusedAndShowNothingOfIt) {
  trained(std::string(kFiltered) + kFollow);
  for (const std::string& name : kFiles) {
    if (!name.ends_with(".csv")) continue;
    const std::string text = contents(files_.file("r/" + name));
    const std::size_t line = text.find('\n') + 1;
    for (std::size_t at = line; at < text.find('\n', line); ++at) {
      if (text[at] == ',') continue;
      std::string damaged = text;
      damaged[at] = 'x';
      files_.put("r/" + name, damaged);
      const std::string refused = read_refusal();
      EXPECT_EQ(refused.find("r/" + name + " line 2 is without a"), 0u) << refused;
      EXPECT_EQ(refused.find('x', 20), std::string::npos) << refused;
    }
    files_.put("r/" + name, text);
  }
}

// What stands in a summary, and what is refused in its place.
TEST_F(ResultsOfRuns, WithASummaryOfOtherTypesOrValuesAreRefused) {
  trained(kFiltered);
  const json j = summary();
  const auto refused = [&](const std::string& pointer, const json& value) {
    json changed = j;
    changed[json::json_pointer(pointer)] = value;
    files_.put("r/summary.json", changed.dump(2) + "\n");
    const std::string text = read_refusal();
    EXPECT_NE(text, "accepted") << pointer << " " << value;
    return text;
  };
  EXPECT_EQ(refused("/delta", 2),
            "r/summary.json: delta is not a value that it can have: "
            "give the file as it was written");
  EXPECT_EQ(refused("/people", "many"),
            "r/summary.json: people is not a whole number up to 1099511627776: give the file as it "
            "was written");
  EXPECT_EQ(refused("/people", -1).find("r/summary.json: people"), 0u);
  EXPECT_EQ(refused("/people", 0).find("r/summary.json: people"), 0u);
  EXPECT_EQ(refused("/steps", 1.5).find("r/summary.json: steps"), 0u);
  EXPECT_EQ(refused("/epsilon/lower", 1e6).find("r/summary.json: epsilon"), 0u);
  EXPECT_EQ(refused("/epsilon", json::array()).find("r/summary.json: epsilon"), 0u);
  EXPECT_EQ(refused("/epsilon/upper", nullptr).find("r/summary.json: epsilon.upper"), 0u);
  EXPECT_EQ(refused("/guarantee/adaptive", 1).find("r/summary.json: guarantee.adaptive"), 0u);
  EXPECT_EQ(refused("/individual/quantiles/1/upper", 0).find("r/summary.json: individual."), 0u);
  EXPECT_EQ(refused("/individual/groups/pneumonia/people", 1)
                .find("r/summary.json: individual.groups is not of as many people"),
            0u);
  EXPECT_EQ(refused("/charged_steps", 3).find("r/summary.json: charged_steps"), 0u);
  // Right in itself, and not what the other files say.
  EXPECT_EQ(refused("/delta", 1e-6).find("r/settings.toml is of another run"), 0u);
  EXPECT_EQ(refused("/steps", 3).find("r/epochs.csv is not of the run"), 0u);
  EXPECT_EQ(refused("/charged_steps", 5).find("r/settings.toml is of another run"), 0u);
  EXPECT_EQ(refused("/worst_case/upper", 99).find("r/settings.toml is of another run"), 0u);
  EXPECT_EQ(refused("/guarantee/theorem", "T").find("r/settings.toml is of another run"), 0u);
  EXPECT_EQ(refused("/not_private", "no").find("r/settings.toml is of another run"), 0u);
  EXPECT_EQ(refused("/epsilon/upper", 0.9).find("r/epochs.csv is not of the run"), 0u);
  EXPECT_EQ(refused("/individual/quantiles/0/lower", 0).find("r/epsilons.csv is of other values"),
            0u);
  for (const auto& [key, value] : j.items()) {
    if (key == "directory" || key == "test" || key == "budget") continue;
    json changed = j;
    changed.erase(key);
    files_.put("r/summary.json", changed.dump(2) + "\n");
    EXPECT_EQ(read_refusal(), "r/summary.json: " + key +
                                  " is missing: give the file as it was "
                                  "written");
  }
  json changed = j;
  changed.erase("budget");
  files_.put("r/summary.json", changed.dump(2) + "\n");
  expect_read_refused("r/settings.toml is of another run than the summary");
}

TEST_F(ResultsOfRuns, WithTheSettingsOfAnotherRunAreRefused) {
  for (const std::string& of_run : {std::string(), std::string(kFiltered), std::string(kSampled),
                                    std::string(" --set privacy.mode=none")}) {
    fs::remove_all(files_.file("r"));
    trained(of_run);
    const std::string own = contents(files_.file("r/settings.toml"));
    for (const std::string other :
         {" --noise 11", " --epochs 5",
          " --epochs 2 --set privacy.mode=sgd --rate 0.5 --set "
          "privacy.refresh=1",
          " --set privacy.mode=none --epochs 3", " --set filter.mu=0.3"}) {
      fs::remove_all(files_.file("other"));
      ASSERT_EQ(run("small.toml --out other" + other).status, 0) << other;
      files_.put("r/settings.toml", contents(files_.file("other/settings.toml")));
      expect_read_refused("r/settings.toml is of another run than the summary");
    }
    files_.put("r/settings.toml", own);
    EXPECT_EQ(read_refusal(), "accepted");
  }
}

TEST_F(ResultsOfRuns, WithAFileOfAnotherRunOfTheSamePlanAreRefused) {
  // A clip bound that not everybody reaches: else all of them have spent the same in both.
  for (const std::string& options :
       {std::string(kFollow) + " --clip 2", std::string(kFollow) + " --clip 2 --set filter.mu=0.1",
        std::string(kSampled) + kFollow + " --clip 2"}) {
    fs::remove_all(files_.file("r"));
    fs::remove_all(files_.file("other"));
    trained(options);
    ASSERT_EQ(run("small.toml --out other" + options).status, 0);
    for (const std::string& name : kFiles) {
      if (name == "settings.toml") continue;  // the same
      const std::string own = contents(files_.file("r/" + name));
      files_.put("r/" + name, contents(files_.file("other/" + name)));
      EXPECT_NE(read_refusal(), "accepted") << name << options;
      files_.put("r/" + name, own);
    }
    EXPECT_EQ(read_refusal(), "accepted");
  }
}

TEST_F(ResultsOfRuns, FollowingSomebodyAboveThePromiseAreRefused) {
  trained(kFollow);
  const double promise = summary()["epsilon"]["upper"];
  auto rows = lines("r/followed.csv");
  const std::size_t first = rows[1].find(',', rows[1].find(',') + 1) + 1;
  const std::size_t second = rows[1].find(',', first) + 1;
  rows[1].replace(second, rows[1].find(',', second) - second, std::to_string(promise + 1));
  std::string text;
  for (const std::string& row : rows) text += row + "\n";
  files_.put("r/followed.csv", text);
  expect_read_refused("r/followed.csv line 2 is of an epsilon above what the summary promises");
}

TEST_F(ResultsOfRuns, OfATestRunDoNotPassAsPrivate) {
  trained(" --set run.test_seed=1");
  json j = json::parse(contents(files_.file("r/summary.not-private.json")));
  ASSERT_TRUE(j.contains("not_private"));
  j.erase("not_private");
  files_.put("r/summary.not-private.json", j.dump(2) + "\n");
  expect_read_refused("r/settings.not-private.toml is of another run than the summary");
  fs::remove_all(files_.file("r"));
  trained("");
  j = summary();
  j["not_private"] = "This was a test run.";
  files_.put("r/summary.json", j.dump(2) + "\n");
  expect_read_refused("r/settings.toml is of another run than the summary");
}

TEST_F(ResultsOfRuns, OfOtherPeopleOrGroupsAreRefused) {
  trained(kFiltered);
  const std::string kept = contents(files_.file("r/summary.json"));
  json j = summary();
  j["people"] = 61;
  j["individual"]["groups"]["pneumonia"]["people"] =
      j["individual"]["groups"]["pneumonia"]["people"].get<int>() + 1;
  files_.put("r/summary.json", j.dump(2) + "\n");
  expect_read_refused("r/epsilons.csv is not of as many people as the summary, or cut off");
  std::string renamed = kept;
  const std::string label = "\"pneumonia\"";
  renamed.replace(renamed.find(label), label.size(), "\"influenza\"");
  files_.put("r/summary.json", renamed);
  expect_read_refused("r/epochs.csv is of other groups than the summary");
  renamed = kept;
  renamed.replace(renamed.rfind(label), label.size(), "\"influenza\"");
  files_.put("r/summary.json", renamed);
  expect_read_refused("r/epochs.csv is of other groups than the summary");
}

}  // namespace
}  // namespace ration
