// `ration train` as its users see it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "ration/file/checksum.h"
#include "ration/file/npz.h"
#include "ration/loss/gdp.h"
#include "ration/state/saved.h"
#include "tests/cli/command.h"
#include "tests/cli/small_config.h"

namespace ration {
namespace {

using nlohmann::json;

// Large enough that people differ; a checkpoint at the end of every epoch.
const std::string kSmall =
    small_config({.people = 300, .test_people = 100, .hidden = 8, .checkpoint_seconds = 0});

constexpr const char* kSampled =
    " --set privacy.mode=sgd --set privacy.rate=0.25 --set privacy.refresh=3";

class TrainCommand : public CommandTest {
 protected:
  TrainCommand() : CommandTest("train") { files_.put("small.toml", kSmall); }
};

TEST_F(TrainCommand, EndsWithTheGuaranteeAndWhatEverybodySpent) {
  const json j = answer("small.toml");
  // Four steps of mu = 1/10 at the clip bound.
  const Bound exact = gdp::epsilon({.mu = 0.2, .delta = 1e-5});
  EXPECT_NEAR(bound(j["epsilon"]).upper, exact.upper, 1e-8);
  EXPECT_GE(bound(j["epsilon"]).upper, exact.lower);
  EXPECT_EQ(j["delta"], 1e-5);
  EXPECT_EQ(j["steps"], 4);
  EXPECT_EQ(j["people"], 300);
  EXPECT_GT(j["test"]["loss"], 0);
  EXPECT_GT(j["test"]["macro_auc"], 0.3);
  EXPECT_LE(bound(j["individual"]["quantiles"]["1"]).upper, bound(j["epsilon"]).upper);
  EXPECT_EQ(j["individual"]["groups"].size(), 2u);
  EXPECT_TRUE(j["guarantee"]["certified"]);
  EXPECT_FALSE(j.contains("not_private"));
}

TEST_F(TrainCommand, WritesARunDirectoryWhosePrivateFilesAreItsOwnersAlone) {
  ASSERT_EQ(run("small.toml --out r --set filter.after_epochs=2").status, 0);
  EXPECT_EQ(lines("r/epochs.csv").size(), 5u);
  EXPECT_EQ(lines("r/private.csv").size(), 5u);
  EXPECT_EQ(lines("r/epsilons.csv").size(), 301u);
  for (const char* name : {"private.csv", "epsilons.csv", "accounts.state", "summary.json",
                           "checkpoint.state", "journal", "model.npz"}) {
    EXPECT_EQ(mode(std::string("r/") + name), 0600U) << name;
  }
  const std::string shown = contents(files_.file("r/epochs.csv"));
  for (const char* word : {"train", "active", "mean_epsilon"}) {
    EXPECT_EQ(shown.find(word), std::string::npos) << word;
  }
  const auto model = read_npz(files_.file("r/model.npz"));
  EXPECT_EQ(model.at("layer0.weight").shape, (std::vector<std::size_t>{8, 714}));
  EXPECT_EQ(model.at("layer1.bias").shape, (std::vector<std::size_t>{25}));
  EXPECT_EQ(load<Accounts>(files_.file("r/accounts.state")).steps(), 4u);
  EXPECT_EQ(json::parse(contents(files_.file("r/summary.json")))["steps"], 4);
}

TEST_F(TrainCommand, ResultsSayEverythingThatWasInForce) {
  const json j = answer("small.toml --out r --epsilon 3 --set run.follow=[1]");
  const json& privacy = j["settings"]["privacy"];
  EXPECT_FALSE(privacy.contains("epsilon"));
  EXPECT_EQ(privacy["delta"], 1e-5);
  EXPECT_EQ(privacy["rate"], 1);
  EXPECT_EQ(j["settings"]["optimiser"]["kind"], "adam");
  EXPECT_EQ(j["settings"]["data"]["seed"], 1);
  EXPECT_EQ(j["settings"]["filter"]["kind"], "none");
  const json dry = answer("small.toml --epsilon 3 --dry-run");
  EXPECT_EQ(privacy["noise"], dry["noise"]);

  EXPECT_EQ("ration " + j["made"]["version"].get<std::string>() + "\n", [&] {
    const std::string line = std::string(RATION_PROGRAM) + " --version >" + files_.file("v");
    EXPECT_EQ(std::system(line.c_str()), 0);
    return contents(files_.file("v"));
  }());
  const std::string started = j["made"]["started"];
  EXPECT_EQ(started.size(), 20u);
  EXPECT_TRUE(started.starts_with("20") && started.ends_with("Z")) << started;
  const std::string model = contents(files_.file("r/model.npz"));
  const Bytes bytes = std::as_bytes(std::span(model));
  EXPECT_EQ(j["made"]["model_blake2b"], hexadecimal(checksum_of({&bytes, 1})));
  EXPECT_EQ(j["made"]["data_blake2b"].get<std::string>().size(), 64u);

  const std::string settings = contents(files_.file("r/settings.toml"));
  for (const std::string line : {"delta = 1e-05\n", "checkpoint_seconds = 0\n",
                                 "noise_for_epsilon = 3\n", "people = 300\n", "steps = 4\n"}) {
    EXPECT_NE(settings.find(line), std::string::npos) << line << settings;
  }
  EXPECT_NE(settings.find("started = \"" + started + "\""), std::string::npos);
  EXPECT_EQ(settings.find(j["made"]["data_blake2b"]), std::string::npos);
  // What was written makes the same run again.
  EXPECT_EQ(answer("r/settings.toml --dry-run"), dry);
  EXPECT_EQ(answer("--resume --out r"), j);
}

TEST_F(TrainCommand, OptionsTakeThePlaceOfWhatTheFileSaysInOtherWords) {
  EXPECT_LE(bound(answer("small.toml --epsilon 1.5 --dry-run")["epsilon"]).upper, 1.5);
  EXPECT_EQ(answer("small.toml --noise 7 --dry-run")["noise"], 7);
  files_.put("e.toml", std::string(kSmall).replace(kSmall.find("noise = 10"), 10, "epsilon = 1.5"));
  EXPECT_EQ(answer("e.toml --noise 7 --dry-run")["noise"], 7);
}

TEST_F(TrainCommand, WarnsOnStandardErrorAndInTheSummary) {
  const Ended quiet = run("small.toml --out quiet --epochs 1 --set data.test_people=0");
  EXPECT_EQ(quiet.err, "");
  const Ended o = run("small.toml --out r --delta 0.001 --clip 1e-6 --set filter.after_epochs=1");
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(o.err.starts_with("ration: warning: delta is 0.001, and there are 300 people: "))
      << o.err;
  const json j = json::parse(contents(files_.file("r/summary.json")));
  EXPECT_EQ("ration: warning: " + j["warnings"][0].get<std::string>(), lines("err")[0]);
  // That nearly everybody was left out is for the owner: with the quantiles, and nowhere else.
  ASSERT_EQ(j["individual"]["warnings"].size(), 1u);
  EXPECT_TRUE(j["individual"]["warnings"][0].get<std::string>().starts_with("the filter left"));
  EXPECT_EQ(o.err.find("the filter left"), std::string::npos);
  EXPECT_NE(o.out.find("warning    the filter left"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("(private)"), std::string::npos);
}

TEST_F(TrainCommand, AFilterKeepsThePromiseToItsBudget) {
  // Everybody's norm is above a tiny clip bound: two steps fit, then nobody is left.
  const json j = answer("small.toml --clip 1e-6 --set filter.after_epochs=2");
  const Bound budget = gdp::epsilon({.mu = std::sqrt(2) / 10, .delta = 1e-5});
  EXPECT_NEAR(bound(j["epsilon"]).upper, budget.upper, 1e-8);
  EXPECT_NEAR(bound(j["individual"]["quantiles"]["0"]).upper, budget.upper, 1e-8);
  EXPECT_TRUE(j["guarantee"]["adaptive"]);
  for (const std::string& line : lines("run/epsilons.csv")) {
    if (line.starts_with("person")) continue;
    EXPECT_TRUE(line.ends_with(",2,2,2")) << line;
  }
}

TEST_F(TrainCommand, ASampledRunIsAccountedForByPrivacyLossDistributions) {
  const json j = answer("small.toml" + std::string(kSampled) + " --set filter.epsilon=1");
  EXPECT_EQ(j["steps"], 16);
  EXPECT_EQ(j["individual"]["method"], "pld");
  EXPECT_LE(bound(j["individual"]["quantiles"]["1"]).upper, bound(j["epsilon"]).upper);
}

TEST_F(TrainCommand, WithoutNormsEverybodysOwnEpsilonIsTheWorstCase) {
  const std::string clip =
      "small.toml --set privacy.mode=sgd --set privacy.rate=0.25 --set privacy.norms=clip ";
  const json j = answer(clip);
  EXPECT_EQ(bound(j["individual"]["quantiles"]["0"]).upper, bound(j["epsilon"]).upper);
  EXPECT_EQ(bound(j["worst_case"]).upper, bound(j["epsilon"]).upper);
  // Losses of the people trained on are there all the same.
  EXPECT_GT(std::stod(lines("run/private.csv").back().substr(5)), 0.1);
  EXPECT_TRUE(answer(clip + "--dry-run")["refresh"].is_null());
}

TEST_F(TrainCommand, TheDryRunReadsNoDataAndSaysThePromise) {
  const std::string nowhere =
      "small.toml --set data.source=npy --set data.train_features=no.npy --set "
      "data.train_labels=no.npy ";
  EXPECT_EQ(run(nowhere + "--set data.people=1 --dry-run").status, 2);  // no setting of npy
  files_.put("npy.toml",
             "[data]\nsource = \"npy\"\ntrain_features = \"no.npy\"\ntrain_labels = \"no.npy\"\n"
             "[optimiser]\nrate = 1\n[privacy]\nmode = \"gd\"\nepsilon = 2\ndelta = 1e-5\n"
             "clip = 1\n[run]\nepochs = 100\n");
  const json j = answer("npy.toml --dry-run");
  EXPECT_LE(bound(j["epsilon"]).upper, 2);
  EXPECT_GT(bound(j["epsilon"]).upper, 1.9999);
  EXPECT_NEAR(j["noise"], 19.93812446, 1e-6);  // as `ration calibrate` says, and a little more
  EXPECT_GE(j["noise"], 19.93812446);
  EXPECT_FALSE(std::filesystem::exists(files_.file("run")));
  EXPECT_EQ(run("npy.toml").status, 2);
}

TEST_F(TrainCommand, TheNoiseForAnEpsilonNeverOvershootsItWithAFilterEither) {
  for (const std::string& more :
       {std::string(), std::string(kSampled), std::string(" --set filter.after_epochs=3"),
        std::string(kSampled) + " --set filter.after_epochs=3"}) {
    files_.put("e.toml",
               std::string(kSmall).replace(kSmall.find("noise = 10"), 10, "epsilon = 1.5"));
    const json j = answer("e.toml --dry-run" + more);
    EXPECT_LE(bound(j["epsilon"]).upper, 1.5) << more;
    EXPECT_GT(bound(j["epsilon"]).upper, 1.45) << more;
  }
}

TEST_F(TrainCommand, UnderATightFilterPeopleStayLongerThanUnderARenyiFilter) {
  // Everybody's norm is above a tiny clip bound.
  const std::string given =
      "small.toml --noise 2 --clip 1e-6 --epochs 5 --set privacy.mode=sgd --set privacy.rate=0.1 "
      "--set privacy.refresh=10 --set filter.epsilon=1.5 --set data.people=60 ";
  const auto fits = [&](const std::string& kind) -> json {
    const std::string with = given + "--set filter.kind=" + kind;
    const json dry = answer(with + " --dry-run");
    const json j = answer(with + " --out " + kind);
    EXPECT_EQ(j["filter"], kind);
    EXPECT_EQ(j["settings"]["filter"]["kind"], kind);
    EXPECT_NE(contents(files_.file(kind + "/settings.toml")).find("kind = \"" + kind + "\""),
              std::string::npos);
    EXPECT_LE(bound(j["epsilon"]).upper, 1.5);
    EXPECT_LE(bound(j["individual"]["quantiles"]["1"]).upper, bound(j["epsilon"]).upper);
    const json& steps = dry["worst_case_steps"];
    EXPECT_EQ(steps.size(), 3u);
    const std::uint64_t fit = steps[kind], left = 50 - fit;
    EXPECT_EQ(dry["filter"]["first_step"], fit);
    for (const std::string& line : lines(kind + "/epsilons.csv")) {
      if (line.starts_with("person")) continue;
      EXPECT_TRUE(line.ends_with(fmt::format(",{},{},{}", fit, left, fit))) << line;
    }
    return steps;
  };
  const json tight = fits("tight"), rdp = fits("rdp");
  EXPECT_EQ(tight, rdp);
  EXPECT_GT(tight["tight"], tight["rdp"]);
  EXPECT_GE(tight["tight_accounting"], tight["tight"]);
  // By default it is the one that fits most, and the page says what it is.
  EXPECT_EQ(answer(given + "--dry-run")["filter"]["kind"], "tight");
  ASSERT_EQ(std::system((std::string("cd ") + files_.file("") + " && " + RATION_PROGRAM +
                         " report tight --out page.html >out 2>err")
                            .c_str()),
            0);
  EXPECT_NE(contents(files_.file("page.html")).find("<p>The filter is a tight one: "),
            std::string::npos);
}

TEST_F(TrainCommand, ATestRunIsMarkedInEveryOutput) {
  const json j = answer("small.toml --out t --set run.test_seed=1");
  EXPECT_TRUE(j.contains("not_private"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(files_.file("t"))) {
    EXPECT_NE(entry.path().filename().string().find("not-private"), std::string::npos)
        << entry.path();
    ++files;
  }
  EXPECT_GE(files, 9u);
  for (const char* arguments : {"--out u", "--dry-run"}) {
    const std::string shown = run("small.toml --set run.test_seed=1 " + std::string(arguments)).out;
    EXPECT_EQ(shown.find("differentially private for every"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("\nguarantee"), std::string::npos) << shown;
  }
}

TEST_F(TrainCommand, TestRunsOfOneSeedAreAlikeAndOthersAreNot) {
  const std::string with_seed = "small.toml --set run.test_seed=7 --out ";
  for (const std::string& mode : {std::string(), std::string(kSampled)}) {
    const std::string name = mode.empty() ? "gd" : "sgd";
    answer(with_seed + name + "1" + mode);
    answer(with_seed + name + "2" + mode);
    const std::string model = "/model.not-private.npz";
    EXPECT_EQ(read_npz(files_.file(name + "1" + model)), read_npz(files_.file(name + "2" + model)));
  }
  answer("small.toml --out a");
  answer("small.toml --out b");
  EXPECT_NE(read_npz(files_.file("a/model.npz")), read_npz(files_.file("b/model.npz")));
}

TEST_F(TrainCommand, WithoutPrivacyThereIsNoGuarantee) {
  const json j = answer("small.toml --set privacy.mode=none --set filter.epsilon=1");
  EXPECT_EQ(j["epsilon"], "inf");
  EXPECT_TRUE(j["guarantee"].is_null());
  EXPECT_FALSE(j.contains("individual"));
  EXPECT_FALSE(std::filesystem::exists(files_.file("run/accounts.state")));
}

TEST_F(TrainCommand, AFinishedRunCanBeResumedAndSaysTheSame) {
  const json first = answer("small.toml --out r --set filter.after_epochs=2");
  const json again = answer("--resume --out r");
  EXPECT_EQ(first, again);
}

TEST_F(TrainCommand, RefusesWhatIsNotThereOrWasMadeWithOtherSettings) {
  ASSERT_EQ(run("small.toml --out r").status, 0);
  expect_refused("small.toml --out r", "r holds a run already: give --resume");
  expect_refused("small.toml --out r --resume --clip 2", "was made with other settings");
  expect_refused("small.toml --out s --resume", "s holds no run that could be resumed");
  expect_refused("--resume --out s", "s holds no run");
  expect_refused("--out s", "CONFIG is missing");
  expect_refused("none.toml", "none.toml");
  expect_refused("small.toml --set nonsense", "--set is 'nonsense'");
  expect_refused("small.toml --set model.hiden=[3]",
                 "model.hiden is no setting: give model.hidden");
  expect_refused("small.toml --set model.hidden=3", "model.hidden is of another kind");
  expect_refused("small.toml --set mode.hidden=3", "mode.hidden is no setting: give model.hidden");
  expect_refused("small.toml --noise 1 --epsilon 1", "needs either noise, or epsilon");
  expect_refused("small.toml --noise=-1", "noise is -1");
  expect_refused("small.toml --set filter.kind=gdp", "[filter] has no budget");
  expect_refused("small.toml --set filter.kind=pld --set filter.mu=1", "filter is pld");
  expect_refused("small.toml --set filter.mu=1 --set filter.epsilon=1", "several budgets");
  expect_refused("small.toml --rate 0.5", "privacy.rate is 0.5");
  expect_refused("small.toml --set privacy.mode=sgd", "give privacy.rate");
  expect_refused("small.toml --set groups.by=column", "groups.by is 'column'");
  expect_refused("small.toml --set run.epochs=0", "epochs is 0");
  expect_refused("small.toml --set optimiser.rate=-1", "rate");
  expect_refused("small.toml --set 'groups.label=\"no such\"' --out t", "no such");
  files_.put("broken.toml", "[data\n");
  expect_refused("broken.toml", "broken.toml, line 1");
}

// Accounts are by place in the file.
TEST_F(TrainCommand, ARunIsNotResumedWithOtherPeopleOrInAnotherOrder) {
  const auto table = [](bool reversed) {
    std::string text = "x,y\n";
    for (int i = 0; i < 40; ++i) {
      const int k = reversed ? 39 - i : i;
      text += std::to_string(k) + "," + std::to_string(k % 2) + "\n";
    }
    return text;
  };
  files_.put("people.csv", table(false));
  files_.put("csv.toml",
             "[data]\nsource = \"csv\"\ntrain = \"people.csv\"\nlabels = [\"y\"]\nscale = 20\n"
             "[optimiser]\nrate = 0.1\n[privacy]\nmode = \"gd\"\nnoise = 5\ndelta = 1e-5\n"
             "clip = 1\n[run]\nepochs = 3\n");
  ASSERT_EQ(run("csv.toml --out r").status, 0);
  files_.put("people.csv", table(true));
  expect_refused("csv.toml --out r --resume", "checkpoint.state is of other people");
  files_.put("people.csv", table(false));
  EXPECT_EQ(run("csv.toml --out r --resume").status, 0);
}

TEST_F(TrainCommand, AGroupWithoutPeopleIsNoReasonToStop) {
  std::string train, test;
  for (int i = 0; i < 300; ++i) train += "a\n";
  for (int i = 0; i < 100; ++i) test += i == 0 ? "b\n" : "a\n";
  files_.put("train.txt", train);
  files_.put("test.txt", test);
  std::string settings = kSmall;
  const std::string by_label = "by = \"label\"\nlabel = \"pneumonia\"";
  settings.replace(settings.find(by_label), by_label.size(),
                   "by = \"file\"\ntrain = \"train.txt\"\ntest = \"test.txt\"");
  files_.put("groups.toml", settings);
  const json j = answer("groups.toml");
  EXPECT_EQ(j["individual"]["groups"]["b"]["people"], 0);
  EXPECT_TRUE(j["individual"]["groups"]["b"]["quantiles"].is_null());
  EXPECT_EQ(contents(files_.file("run/private.csv")).find("nan"), std::string::npos);
}

TEST_F(TrainCommand, NamesOfDirectoriesAreTakenAsTheyAre) {
  ASSERT_EQ(run("small.toml --epochs 1 --out 'we\"ird\\t'").status, 0);
  EXPECT_TRUE(std::filesystem::exists(files_.file("we\"ird\\t/model.npz")));
}

TEST_F(TrainCommand, NamesOfDirectoriesNeedNotBeUtf8AndMayNotBeTooLong) {
  EXPECT_EQ(answer("small.toml --out r\xff")["directory"], "r\uFFFD");
  const std::string lengthy(300, 'd');
  expect_refused("--resume --out " + lengthy, "cannot look at " + lengthy);
  expect_refused("small.toml --out " + lengthy, "File name too long");
}

TEST_F(TrainCommand, NoiseThatTheLatticeCannotHoldIsRefusedBeforeAnythingIsCharged) {
  expect_refused("small.toml --noise 0.0001 --out r", "noise is 0.0001: give");
  EXPECT_FALSE(std::filesystem::exists(files_.file("r/checkpoint.state")));
  EXPECT_EQ(run("small.toml --out r").status, 0);
}

// The lock is the file system's and goes with the process.
TEST_F(TrainCommand, TwoRunsDoNotShareADirectory) {
  const Ended o = [&] {
    const std::string line = "cd " + files_.file("") + " && mkdir r && flock r " + RATION_PROGRAM +
                             " train small.toml --out r >out 2>err </dev/null";
    const int status = std::system(line.c_str());
    return Ended{WEXITSTATUS(status), contents(files_.file("out")), contents(files_.file("err"))};
  }();
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("r is in use by another run"), std::string::npos) << o.err;
}

TEST_F(TrainCommand, ADamagedCheckpointOrJournalIsRefused) {
  ASSERT_EQ(run("small.toml --out r").status, 0);
  const std::string whole = contents(files_.file("r/checkpoint.state"));
  std::string damaged = whole;
  damaged[damaged.size() / 2] ^= 1;
  files_.put("r/checkpoint.state", damaged);
  expect_refused("--resume --out r", "checkpoint.state");
  files_.put("r/checkpoint.state", whole);
  std::filesystem::remove(files_.file("r/journal"));
  expect_refused("--resume --out r", "journal");
}

}  // namespace
}  // namespace ration
