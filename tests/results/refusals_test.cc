// Directories that are damaged, or of several runs: refused.

#include "ration/train/read_results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/results/run_results.h"

namespace ration::results {
namespace {

namespace fs = std::filesystem;

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
  EXPECT_EQ(refused("/warnings", "one").find("r/summary.json: warnings is not a list"), 0u);
  EXPECT_EQ(refused("/settings", 3).find("r/summary.json: settings is not a list of names"), 0u);
  EXPECT_EQ(refused("/made/version", 1).find("r/summary.json: made.version is not a text"), 0u);
  EXPECT_EQ(refused("/not_private", "no").find("r/settings.toml is of another run"), 0u);
  EXPECT_EQ(refused("/epsilon/upper", 0.9).find("r/epochs.csv is not of the run"), 0u);
  EXPECT_EQ(refused("/individual/quantiles/0/lower", 0).find("r/epsilons.csv is of other values"),
            0u);
  for (const auto& [key, value] : j.items()) {
    const std::vector<std::string> optional = {"directory", "test",     "budget", "filter",
                                               "warnings",  "settings", "made"};
    if (std::find(optional.begin(), optional.end(), key) != optional.end()) continue;
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
  expect_read_refused("r/settings.toml is of another run than the summary");
  std::string settings = contents(files_.file("r/settings.toml"));
  const std::string same = settings;
  settings.replace(settings.rfind("people = 60"), 11, "people = 61");  // of the record
  files_.put("r/settings.toml", settings);
  expect_read_refused("r/epsilons.csv is not of as many people as the summary, or cut off");
  files_.put("r/settings.toml", same);
  std::string renamed = kept;
  const std::string label = "\"pneumonia\"";
  renamed.replace(renamed.find(label), label.size(), "\"influenza\"");
  files_.put("r/summary.json", renamed);
  expect_read_refused("r/epochs.csv is of other groups than the summary");
  renamed = kept;
  renamed.replace(renamed.find(label, renamed.find("individual")), label.size(), "\"influenza\"");
  files_.put("r/summary.json", renamed);
  expect_read_refused("r/epochs.csv is of other groups than the summary");
}

}  // namespace
}  // namespace ration::results
