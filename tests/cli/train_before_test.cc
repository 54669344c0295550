// Directories of runs that were made before settings.toml held what is in force: a run that was
// killed goes on, and one that has finished is read and says the same again.

#include <gtest/gtest.h>

#include <filesystem>

#include "ration/train/read_results.h"
#include "tests/cli/command.h"

namespace ration {
namespace {

class TrainBefore : public CommandTest {
 protected:
  TrainBefore() : CommandTest("train") {
    const std::string before = RATION_SOURCE_DIR "/tests/train/before/";
    std::filesystem::copy(before + "people.csv", files_.file("people.csv"));
    for (const char* run : {"finished", "killed"}) {
      std::filesystem::copy(before + run, files_.file(run));
    }
  }
};

TEST_F(TrainBefore, AKilledRunGoesOn) {
  const auto j = answer("--resume --out killed");
  EXPECT_EQ(j["steps"], 240);
  EXPECT_GT(j["charged_steps"], 240);
  EXPECT_TRUE(j["made"].contains("version"));
  EXPECT_FALSE(j["made"].contains("started")) << "nobody wrote that down";
  const auto results = train::read_results(files_.file("killed"), results::Sight::everything);
  EXPECT_EQ(results.moments.size(), 60u);
  for (const auto& moment : results.moments) EXPECT_GT(moment.train_loss[0], 0.1) << moment.epoch;
  EXPECT_NE(results.settings.find("noise = 6.94"), std::string::npos) << "as it is in force";
}

// There was one kind of filter for samples, and its noise: with another one, steps would be charged
// for noise that they do not have.
TEST_F(TrainBefore, WithItsConfigurationARunGoesOnUnderTheFilterThatItHas) {
  std::filesystem::copy(files_.file("killed/settings.toml"), files_.file("config.toml"));
  expect_refused("config.toml --resume --out killed",
                 "checkpoint.state was made with filter.kind rdp: give --set filter.kind=rdp");
  const auto j = answer("config.toml --resume --out killed --set filter.kind=rdp");
  EXPECT_EQ(j["filter"], "rdp");
  EXPECT_EQ(j["steps"], 240);
}

TEST_F(TrainBefore, AFinishedRunIsReadAndSaysTheSameAgain) {
  const auto before = train::read_results(files_.file("finished"), results::Sight::everything);
  EXPECT_EQ(before.steps, 240u);
  EXPECT_TRUE(before.made.version.empty());
  const auto j = answer("--resume --out finished");
  EXPECT_EQ(bound(j["epsilon"]), *before.epsilon);
  // People's eps are sharper or wider than they were said to be, and hold the same truth.
  const Bound now = bound(j["individual"]["quantiles"]["0.5"]),
              then = before.individual->quantiles[3];
  EXPECT_NEAR(now.upper, then.upper, 1e-3 * then.upper);
  EXPECT_LE(now.lower, then.upper);
  EXPECT_GE(now.upper, then.lower);
  const auto after = train::read_results(files_.file("finished"), results::Sight::everything);
  EXPECT_EQ(after.settings, before.settings);
}

TEST_F(TrainBefore, SettingsThatWereCutOffOrChangedAreRefused) {
  const std::string text = contents(files_.file("finished/settings.toml"));
  std::string other = text;
  other.replace(other.find("'csv'"), 5, "\"csv\"");
  for (const std::string& changed : {text.substr(0, text.size() - 3), "# mine\n" + text, other}) {
    files_.put("finished/settings.toml", changed);
    EXPECT_NE(refusal([&] {
                train::read_results(files_.file("finished"), results::Sight::public_only);
              }).find("settings.toml is cut off or changed"),
              std::string::npos)
        << changed;
  }
}

}  // namespace
}  // namespace ration
