// `ration reproduce` as its users see it.

#include <gtest/gtest.h>

#include <filesystem>

#include "ration/dataset/load_dataset.h"
#include "tests/cli/command.h"
#include "tests/paper/mimic_files.h"

namespace ration {
namespace {

using nlohmann::json;

class ReproduceCommand : public CommandTest {
 protected:
  ReproduceCommand() : CommandTest("reproduce") {}
};

TEST_F(ReproduceCommand, WritesTheFiguresAndSaysWhichClaimsHeld) {
  const json j = answer("gdp-vs-rdp --quick --out paper");
  ASSERT_EQ(j["figures"].size(), 3u);
  for (const json& figure : j["figures"]) {
    EXPECT_FALSE(figure["claim"].get<std::string>().empty());
    EXPECT_GE(figure["files"].size(), 3u);
    for (const json& file : figure["files"]) {
      EXPECT_TRUE(std::filesystem::exists(files_.file(file))) << file;
    }
    bool all = true;
    for (const json& each : figure["findings"]) all = all && each["held"].get<bool>();
    EXPECT_EQ(figure["held"], all);
  }
  EXPECT_EQ(j["figures"][0]["name"], "gdp-vs-rdp-delta");
  EXPECT_EQ(j["figures"][0]["held"], true);
  EXPECT_EQ(j["figures"][2]["name"], "gdp-vs-rdp-largest-k");
  EXPECT_EQ(j["figures"][2]["held"], false);  // at eps = 0.8 itself, 478 and 405
  EXPECT_EQ(j["figures"][2]["findings"][0]["finding"],
            "478 steps fit under GDP and 405 under RDP.");
  EXPECT_EQ(j["figures"][2]["private"], false);
  for (const char* file : {"page", "claims"}) {
    EXPECT_TRUE(std::filesystem::exists(files_.file(j[file]))) << file;
  }
}

TEST_F(ReproduceCommand, TheTableOfLargestKIsInTheFile) {
  ASSERT_EQ(run("gdp-vs-rdp --out paper").status, 0);
  const auto rows = lines("paper/gdp-vs-rdp-largest-k.csv");
  EXPECT_EQ(rows.at(0), "epsilon,gdp,rdp,rdp_orders_2_to_32");
  for (const char* row :
       {"0.1,10,8,0", "0.2,37,31,0", "0.3,79,66,45", "0.5,202,170,170", "0.8,478,405,405",
        "1,718,611,611", "2,2515,2165,2163", "5,12571,11019,10989"}) {
    EXPECT_EQ(std::count(rows.begin(), rows.end(), row), 1) << row;
  }
}

TEST_F(ReproduceCommand, SaysForPeopleHowLongItTakesWhatHeldAndWhereThePageIs) {
  const Ended o = run("gdp-vs-rdp --out paper");
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.err, "This takes a few seconds on this machine.\n");
  EXPECT_NE(o.out.find("gdp-vs-rdp-largest-k  2 of 3"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("paper/index.html"), std::string::npos) << o.out;
  std::istringstream out(o.out);
  for (std::string line; std::getline(out, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(ReproduceCommand, ATestRunIsMarkedInEveryName) {
  ASSERT_EQ(run("gdp-vs-rdp --test-seed 1 --out t").status, 0);
  for (const auto& entry : std::filesystem::directory_iterator(files_.file("t"))) {
    EXPECT_NE(entry.path().string().find(".not-private."), std::string::npos) << entry.path();
  }
}

TEST_F(ReproduceCommand, DataThatDoNotFitAreRefusedBeforeAnythingIsDoneOrRemoved) {
  ASSERT_EQ(run("gdp-vs-rdp --out paper").status, 0);
  Dataset data = load_dataset(CohortSource{.people = 300, .test_people = 150});
  std::fill(data.train.labels.values.begin(), data.train.labels.values.end(), 0);
  paper::put_mimic(files_, data);
  const Ended o = run("all --quick --mimic mimic --out paper");
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("nobody is left for the group 'pneumonia'"), std::string::npos) << o.err;
  for (const char* file : {"index.html", "claims.csv", "gdp-vs-rdp-delta.csv"}) {
    EXPECT_TRUE(std::filesystem::exists(files_.file("paper/" + std::string(file)))) << file;
  }
  EXPECT_FALSE(std::filesystem::exists(files_.file("paper/mnist-one-person.csv")));
  std::filesystem::remove(files_.file("paper/claims.csv"));
  std::filesystem::create_directories(files_.file("paper/claims.csv/folder"));
  EXPECT_EQ(run("gdp-vs-rdp --out paper").status, 2);
  EXPECT_TRUE(std::filesystem::exists(files_.file("paper/index.html")));
}

TEST_F(ReproduceCommand, RefusesWhatItDoesNotKnowOrCannotWrite) {
  expect_refused("gdp-vs-rpd --out p",
                 "NAME is 'gdp-vs-rpd': give gdp-vs-rdp, mnist, clinical, tight-filter or all");
  expect_refused("--out p", "names is required; see 'ration reproduce --help'");
  expect_refused("gdp-vs-rdp", "--out is required");
  expect_refused("gdp-vs-rdp --quick --out p --test-seed x", "--test-seed is 'x'");
  files_.put("file", "");
  expect_refused("gdp-vs-rdp --quick --out file",
                 "--out is 'file': give the name of a directory: file is a file");
  expect_refused("gdp-vs-rdp --quick --out /proc/paper",
                 "--out is '/proc/paper': give a name in a folder that you may write to");
  EXPECT_FALSE(std::filesystem::exists(files_.file("p")));
}

}  // namespace
}  // namespace ration
