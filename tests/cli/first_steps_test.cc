// The program as somebody meets it who has never used it: what it says when asked for nothing, for
// help or for what there is not, and that it says so before any work is done.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "ration/file/npy.h"
#include "tests/cli/command.h"
#include "tests/cli/small_config.h"

namespace ration {
namespace {

class FirstSteps : public CommandTest {
 protected:
  FirstSteps() : CommandTest("") {
    write_npy<double>(files_.file("norms.npy"), {2, 4},
                      std::vector<double>{0.1, 0.5, 1, 1, 0.1, 0.5, 1, 1});
    files_.put("small.toml", small_config());
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  const std::string account_ = "account norms.npy --noise 2 --delta 1e-5 ";
};

TEST_F(FirstSteps, NothingIsAnsweredWithTheHelp) {
  const Ended nothing = run(""), help = run("help");
  EXPECT_EQ(nothing.status, 0);
  EXPECT_EQ(nothing.err, "");
  EXPECT_EQ(nothing.out, help.out);
  EXPECT_EQ(nothing.out, run("--help").out);
  EXPECT_TRUE(has(help.out, "Usage: ration"));
  EXPECT_TRUE(has(help.out, "\n  train "));
}

TEST_F(FirstSteps, HelpOfACommandIsItsHelp) {
  const Ended help = run("help train");
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.out, run("train --help").out);
  expect_refused("help trian", "command is 'trian': give train");
}

TEST_F(FirstSteps, TheVersionIsThatOfTheProgram) {
  const Ended version = run("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.out.starts_with("ration 0.")) << version.out;
}

TEST_F(FirstSteps, TyposAreNamedWithWhatWasMeant) {
  expect_refused("acount norms.npy", "command is 'acount': give account");
  expect_refused("train small.toml --epsilom 3",
                 "--epsilom is no option of ration train: did you mean --epsilon?");
  expect_refused("train small.toml --epsilom=3", "did you mean --epsilon?");
  expect_refused("compose --nosie 2 --steps 3 --delta 1e-5", "did you mean --noise?");
  // Also where the right option is one that must be given.
  expect_refused("report run --ot page.html",
                 "--ot is no option of ration report: did you mean --out?");
  expect_refused("compose --frobnicate 2", "--frobnicate is no option of ration compose; see");
  expect_refused("train small.toml other.toml", "'other.toml' is one argument too many");
  expect_refused("convert --mu", "--mu is without a value");
  expect_refused("convert --mu 1 --mu 2 --delta 1e-5", "--mu is given several times");
}

TEST_F(FirstSteps, SomebodyIsAPlaceInTheData) {
  const std::string accepted = "counted from 0: a whole number from 0 to 3";
  expect_refused(account_ + "--curve c.csv --person P-17", "--person is 'P-17': give");
  expect_refused(account_ + "--curve c.csv --person P-17", accepted);
  expect_refused(account_ + "--results r --follow 4", accepted);
  ASSERT_EQ(run(account_ + "--results r").status, 0);
  expect_refused("report r --out page.html --person Maria", "--person is 'Maria': give");
}

TEST_F(FirstSteps, MissingSettingsAreATomlFile) {
  expect_refused("train no.toml", "no.toml: give the name of a TOML file that can be read");
}

// Norms and settings are wrong too: the output is looked at first.
TEST_F(FirstSteps, WhatCannotBeWrittenIsTheUsersMistakeAndToldAtOnce) {
  const std::string account = "account none.npy --noise 2 --delta 1e-5 ";
  expect_refused(account + "--out no/folder/e.csv",
                 "--out is 'no/folder/e.csv': give a file in a folder that is there");
  expect_refused(account + "--out /proc/e.csv", "give a name in a folder that you may write to");
  expect_refused(account + "--curve no/c.csv --person 0", "--curve is 'no/c.csv'");
  expect_refused(account + "--results norms.npy/r", "norms.npy is a file");
  expect_refused("report none --out no/folder/page.html", "--out is 'no/folder/page.html'");
  expect_refused("reproduce all --out /proc/paper", "--out is '/proc/paper'");
  expect_refused("train small.toml --out /proc/run", "--out is '/proc/run'");
}

TEST_F(FirstSteps, ResultsGoIntoNewFoldersAtAnyDepth) {
  EXPECT_EQ(run(account_ + "--results deep/down/r").status, 0);
  EXPECT_TRUE(is_there("deep/down/r/summary.json"));
}

TEST_F(FirstSteps, WhatIsRefusedLeavesNoDirectory) {
  expect_refused("train small.toml --resume --out left/run", "holds no run");
  expect_refused("train small.toml --set run.follow=[100000] --out left/run", "run.follow");
  expect_refused("train small.toml --set optimiser.rate=1e9 --out left/run", "learning rate");
  expect_refused("train small.toml --set privacy.mode=none --resume --out left/run", "--resume");
  expect_refused("reproduce mnist --mnist /nowhere --out left/paper", "/nowhere");
  expect_refused(account_ + "--groups none.csv --results left/r", "none.csv");
  EXPECT_FALSE(is_there("left"));
}

// Half of four is two of them: an eps that somebody has, and not one between two people.
TEST_F(FirstSteps, TheMedianIsOneThingEverywhere) {
  const nlohmann::json j = answer(account_ + "--out e.csv --results r");
  const double half = bound(j["quantiles"]["0.5"]).upper;
  bool somebodys = false;
  for (const std::string& line : lines("e.csv")) {
    somebodys |= line.ends_with(fmt::format(",{}", half));
  }
  EXPECT_TRUE(somebodys) << half;
  const std::string words = "at most epsilon " + rounded_up(half, 6) + " (private)";
  EXPECT_TRUE(has(run(account_).out, words)) << words;
  ASSERT_EQ(run("report r --out page.html").status, 0);
  EXPECT_TRUE(has(contents(files_.file("page.html")),
                  fmt::format("half of the people have spent at most ε {}", rounded_up(half, 4))));
}

TEST_F(FirstSteps, BarsShowEverybodyAndSayThatTheyArePrivate) {
  const std::string out = run(account_ + "--filter gdp --budget-steps 1").out;
  std::istringstream all(out);
  std::uint64_t people = 0, bars = 0;
  for (std::string line; std::getline(all, line);) {
    EXPECT_LE(line.size(), 80u + 2 * 40u) << line;  // a block is three bytes
    double from = 0, to = 0;
    unsigned long count = 0;
    if (std::sscanf(line.c_str(), "%lf to %lf %lu", &from, &to, &count) != 3) continue;
    EXPECT_LT(from, to);
    people += count;
    ++bars;
  }
  EXPECT_EQ(bars, 10u);
  EXPECT_EQ(people, 4u);
  EXPECT_TRUE(has(out, "left out  2 of 4 people, of at least one step (private)")) << out;
  EXPECT_LT(out.find("\nprivate "), out.find(" to "));
  EXPECT_FALSE(has(run(account_ + "--json").out, " to "));
}

TEST_F(FirstSteps, BarsAreAsciiWhereTheTerminalIs) {
  const auto bars = [&](const std::string& locale) {
    const std::string line = "cd " + files_.file("") + " && LC_ALL=" + locale + " " +
                             RATION_PROGRAM + " " + account_ + ">bars";
    EXPECT_EQ(std::system(line.c_str()), 0);
    return contents(files_.file("bars"));
  };
  EXPECT_TRUE(has(bars("C.UTF-8"), "████"));
  const std::string plain = bars("C");
  EXPECT_TRUE(has(plain, "####"));
  EXPECT_TRUE(std::all_of(plain.begin(), plain.end(), [](char c) { return c > 0; }));
}

TEST_F(FirstSteps, ARunEndsWithWhatItCameTo) {
  const Ended o =
      run("train small.toml --out run --set filter.kind=gdp --set filter.after_epochs=2");
  ASSERT_EQ(o.status, 0) << o.err;
  std::size_t last = 0;
  for (const std::string part : {"\nprivate ", "\nepsilon ", "\ntest ", "\npromise ", "\nhalf ",
                                 "\nleft out ", "\nresults "}) {
    const std::size_t at = o.out.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << "\n" << o.out;
    last = at;
  }
  EXPECT_FALSE(has(o.out, "quantile 0"));
}

// As `man` reads it: every option of every command, and nothing that roff takes for a request.
TEST_F(FirstSteps, TheManPageHoldsEveryOption) {
  const std::string page = run("manual --man").out;
  EXPECT_TRUE(page.starts_with(".TH RATION 1"));
  for (const std::string part : {"RATION train", "\\-\\-dry\\-run", "\\-\\-budget\\-epsilon"}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  std::istringstream rows(page);
  for (std::string line; std::getline(rows, line);) {
    if (!line.starts_with('.')) continue;
    EXPECT_TRUE(line.starts_with(".TH ") || line.starts_with(".SH ") || line == ".TP" ||
                line == ".PP")
        << line;
  }
}

}  // namespace
}  // namespace ration
