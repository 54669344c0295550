// No command writes over what it reads, nor twice into the same file: it is refused before anything
// is opened, and everything is as it was.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "ration/file/npy.h"
#include "tests/cli/command.h"
#include "tests/cli/small_config.h"

namespace ration {
namespace {

namespace fs = std::filesystem;

class Overwrite : public CommandTest {
 protected:
  Overwrite() : CommandTest("") {
    write_npy<double>(files_.file("n.npy"), {2, 2}, std::vector<double>{1, 0.5, 1, 0.5});
    files_.put("plan.csv", "noise,rate,steps\n2,1,2\n");
    files_.put("pair.csv", "with,without\n0.5,0.4\n0.5,0.6\n");
    files_.put("groups.csv", "a\nb\n");
    files_.put("small.toml", small_config());
    fs::create_hard_link(files_.file("n.npy"), files_.file("hard.npy"));
    fs::create_symlink("n.npy", files_.file("symbolic.npy"));
    fs::create_directory_symlink(".", files_.file("here"));
  }

  std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(files_.file(""))) {
      const std::string name = entry.path().lexically_relative(files_.file(""));
      if (name != "out" && name != "err") {
        all[name] = entry.is_regular_file() ? contents(entry.path()) : "";
      }
    }
    return all;
  }
  void expect_spared(const std::string& arguments, const std::string& words) {
    const auto before = everything();
    expect_refused(arguments, words);
    EXPECT_TRUE(everything() == before) << arguments;
  }

  const std::string account_ = "account n.npy --noise 2 --delta 1e-5 ";
};

TEST_F(Overwrite, AccountSparesWhatItReads) {
  for (const char* same : {"n.npy", "./n.npy", "here/n.npy", "hard.npy", "symbolic.npy"}) {
    expect_spared(account_ + "--out " + same, "--out would overwrite n.npy, a file of norms");
    expect_spared(account_ + "--person 0 --curve " + same, "--curve would overwrite n.npy");
  }
  expect_spared(account_ + "--groups groups.csv --out groups.csv",
                "--out would overwrite groups.csv, a file of --groups");
  expect_spared("account n.npy --plan plan.csv --delta 1e-5 --out here/plan.csv",
                "--out would overwrite plan.csv, a file of --plan");
  fs::create_directory(files_.file("r"));
  fs::rename(files_.file("groups.csv"), files_.file("r/private.csv"));
  expect_spared(account_ + "--groups r/private.csv --results r",
                "--results would overwrite r/private.csv, a file of --groups");
}

TEST_F(Overwrite, AccountWritesNothingTwice) {
  expect_spared(account_ + "--out e.csv --person 0 --curve ./e.csv",
                "--curve would overwrite e.csv, a file of --out");
  expect_spared(account_ + "--out r/epsilons.csv --results r",
                "--results would overwrite r/epsilons.csv, a file of --out");
  expect_spared(account_ + "--out r.csv --results r.csv", "a file of --out");
}

TEST_F(Overwrite, StandardOutputCounts) {
  const auto before = everything();
  for (const std::string line : {"n.npy --out e.csv >>n.npy", "n.npy --out e.csv >e.csv"}) {
    const std::string shell = "cd " + files_.file("") + " && " + RATION_PROGRAM +
                              " account --noise 2 --delta 1e-5 " + line + " 2>err";
    EXPECT_EQ(WEXITSTATUS(std::system(shell.c_str())), 2);
    EXPECT_NE(contents(files_.file("err")).find("standard output would overwrite"),
              std::string::npos);
    fs::remove(files_.file("e.csv"));
    EXPECT_TRUE(everything() == before) << line;
  }
}

TEST_F(Overwrite, StandardInputCounts) {
  files_.put("long.csv", "person,step,norm\nA,0,1\nB,0,1\n");
  const auto before = everything();
  for (const std::string option : {"--out", "--person A --curve"}) {
    const std::string shell = "cd " + files_.file("") + " && " + RATION_PROGRAM +
                              " account - --noise 2 --delta 1e-5 " + option +
                              " long.csv <long.csv >out 2>err";
    EXPECT_EQ(WEXITSTATUS(std::system(shell.c_str())), 2) << option;
    EXPECT_NE(contents(files_.file("err")).find("would overwrite"), std::string::npos);
  }
  EXPECT_TRUE(everything() == before);
}

TEST_F(Overwrite, ADryRunIsNotPrintedIntoItsSettings) {
  const auto before = everything();
  const std::string shell = "cd " + files_.file("") + " && " + RATION_PROGRAM +
                            " train small.toml --dry-run >>small.toml 2>err";
  EXPECT_EQ(WEXITSTATUS(std::system(shell.c_str())), 2);
  EXPECT_TRUE(everything() == before);
}

TEST_F(Overwrite, ComposeSparesWhatItReads) {
  expect_spared("compose --plan plan.csv --delta 1e-5 --curve here/plan.csv",
                "--curve would overwrite plan.csv, a file of --plan");
  expect_spared("compose --pair pair.csv --epsilon 1 --curve pair.csv",
                "--curve would overwrite pair.csv, a file of --pair");
}

TEST_F(Overwrite, TrainSparesItsSettingsAndItsData) {
  fs::create_directory(files_.file("run"));
  fs::rename(files_.file("small.toml"), files_.file("run/settings.toml"));
  expect_spared("train run/settings.toml --out run",
                "--out would overwrite run/settings.toml, a file of CONFIG");
  files_.put("run/epochs.csv", "label,x\n0,1\n1,0\n");
  files_.put("csv.toml", R"([data]
source = "csv"
train = "run/epochs.csv"
labels = ["label"]
[optimiser]
rate = 0.01
[privacy]
mode = "gd"
noise = 10
clip = 1
delta = 1e-5
[run]
epochs = 1
)");
  expect_spared("train csv.toml --out run", "--out would overwrite run/epochs.csv, a file of data");
  EXPECT_EQ(run("train run/settings.toml --out elsewhere").status, 0);
  EXPECT_EQ(run("train elsewhere/settings.toml --resume --out elsewhere").status, 0);
}

TEST_F(Overwrite, ReproduceSparesItsData) {
  fs::create_directory(files_.file("mimic"));
  fs::create_directory(files_.file("paper"));
  files_.put("mimic/train_X.npy", "precious");
  fs::create_symlink("../mimic/train_X.npy", files_.file("paper/claims.csv"));
  expect_spared("reproduce gdp-vs-rdp --quick --mimic mimic --out paper",
                "--out would overwrite mimic/train_X.npy, a file of --mimic");
}

}  // namespace
}  // namespace ration
