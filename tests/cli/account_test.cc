// `ration account` as its users see it.

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <sstream>
#include <string>
#include <vector>

#include "ration/compose/compose.h"
#include "ration/control/filter.h"
#include "ration/control/tight_currency.h"
#include "ration/file/npy.h"
#include "ration/loss/gdp.h"
#include "tests/cli/command.h"

namespace ration {
namespace {

using nlohmann::json;

class AccountCommand : public CommandTest {
 protected:
  AccountCommand() : CommandTest("account") {}

  // The same norms at every step.
  template <class Real>
  void norms(const std::string& file, std::size_t steps, const std::vector<Real>& row) {
    std::vector<Real> all;
    for (std::size_t s = 0; s < steps; ++s) all.insert(all.end(), row.begin(), row.end());
    write_npy<Real>(files_.file(file), {steps, row.size()}, all);
  }
};

TEST_F(AccountCommand, SaysWhatEverybodySpentUnderGaussianDp) {
  // 400 steps at noise 100: mu = 0.2 at the clip bound, 0.1 at half of it.
  norms<double>("n.npy", 400, {2, 0.5, 0});
  const json j = answer("n.npy --noise 100 --delta 1e-5");
  EXPECT_EQ(j["people"], 3);
  EXPECT_EQ(j["steps"], 400);
  EXPECT_EQ(j["method"], "gdp");
  EXPECT_EQ(j["delta"]["upper"], 1e-5);
  EXPECT_EQ(j["guarantee"]["certified"], true);
  EXPECT_FALSE(j.contains("filter") || j.contains("groups") || j.contains("wide"));
  const Bound full = gdp::epsilon({.mu = 0.2, .delta = 1e-5});
  const Bound half = gdp::epsilon({.mu = 0.1, .delta = 1e-5});
  const auto near = [](const json& found, const Bound& exact) {
    EXPECT_LE(bound(found).lower, exact.upper);
    EXPECT_GE(bound(found).upper, exact.lower);
    EXPECT_LT(width(bound(found)), 1e-9);
  };
  near(j["quantiles"]["1"], full);
  near(j["quantiles"]["0.5"], half);
  near(j["worst_case"], full);
  EXPECT_EQ(bound(j["quantiles"]["0"]), exactly(0));
  EXPECT_EQ(j["quantiles"].size(), 7u);
}

TEST_F(AccountCommand, EnclosesTheTightEpsilonAndRenyiIsAbove) {
  norms<float>("n.npy", 300, {1.0F, 0.5F, 0.25F});
  for (const double norm : {1.0, 0.25}) {
    const Plan plan = {entry({.noise = 2 / norm, .rate = 0.02, .steps = 300})};
    const Bound exact = compose(plan, 1e-5).epsilon;
    const json j = answer("n.npy --noise 2 --rate 0.02 --delta 1e-5");
    EXPECT_EQ(j["method"], "pld");
    const Bound found = bound(j["quantiles"][norm == 1.0 ? "1" : "0"]);
    EXPECT_LE(found.lower, exact.upper);
    EXPECT_GE(found.upper, exact.lower);
    EXPECT_LT(found.upper, 1.03 * exact.upper);
    const json rdp = answer("n.npy --noise 2 --rate 0.02 --delta 1e-5 --method rdp");
    EXPECT_GT(bound(rdp["quantiles"]["1"]).upper, bound(j["quantiles"]["1"]).upper);
    EXPECT_LE(bound(rdp["quantiles"]["1"]).upper, bound(rdp["worst_case"]).upper);
    EXPECT_EQ(rdp["guarantee"]["adaptive"], false);
  }
}

TEST_F(AccountCommand, BlackwellIsLabelledApproximate) {
  norms<float>("n.npy", 300, {1.0F, 0.5F});
  const json j =
      answer("n.npy --noise 2 --rate 0.02 --delta 1e-5 --method blackwell --range 0.01,0.5");
  EXPECT_EQ(j["guarantee"]["certified"], false);
  EXPECT_GT(bound(j["worst_case"]).upper, 0);
}

TEST_F(AccountCommand, Float32AndFloat64SayTheSame) {
  norms<float>("f.npy", 100, {0.5F, 0.75F});
  norms<double>("d.npy", 100, {0.5, 0.75});
  for (const std::string options :
       {" --noise 10 --delta 1e-5", " --noise 2 --rate 0.1 --delta 1e-5"}) {
    EXPECT_EQ(answer("f.npy" + options), answer("d.npy" + options));
  }
}

TEST_F(AccountCommand, TheFilterAdmits478StepsOf500) {
  norms<float>("n.npy", 500, {1.0F, 0.5F, 0.0F});
  const json j =
      answer("n.npy --noise 100 --delta 1e-5 --filter gdp --budget-epsilon 0.8 --out out.csv");
  EXPECT_EQ(j["filter"]["kind"], "gdp");
  EXPECT_LE(bound(j["filter"]["budget"]["epsilon"]).upper, 0.8);
  EXPECT_LE(bound(j["quantiles"]["1"]).upper, 0.8);
  EXPECT_LE(bound(j["worst_case"]).upper, 0.8);
  EXPECT_FALSE(j["filter"].contains("left_out"));
  const auto rows = lines("out.csv");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], "person,epsilon_lower,epsilon_upper,admitted,left_out,first_left_out");
  EXPECT_TRUE(rows[1].ends_with(",478,22,478")) << rows[1];
  EXPECT_TRUE(rows[2].ends_with(",500,0,")) << rows[2];
  EXPECT_EQ(rows[3], "2,0,0,500,0,");
  EXPECT_EQ(mode("out.csv"), 0600u);
}

TEST_F(AccountCommand, BudgetsInStepsHoldForBothFilters) {
  norms<double>("n.npy", 30, {1, 3});
  for (const std::string filter : {"gdp", "rdp", "rdp --order 8"}) {
    answer("n.npy --noise 5 --delta 1e-5 --out o.csv --budget-steps 20 --filter " + filter);
    for (const std::size_t person : {1U, 2U}) {
      EXPECT_TRUE(lines("o.csv")[person].ends_with(",20,10,20")) << filter;
    }
  }
  answer("n.npy --noise 5 --rate 0.1 --delta 1e-5 --out o.csv --budget-steps 20 --filter rdp");
  EXPECT_TRUE(lines("o.csv")[1].ends_with(",20,10,20"));
}

TEST_F(AccountCommand, ATightFilterAdmitsAsManyStepsAsItsPricesSay) {
  norms<double>("n.npy", 60, {1, 0.5, 3, 0});
  const std::string given = "n.npy --noise 2 --rate 0.1 --delta 1e-5 --out o.csv --filter ";
  const CurrencyPtr prices = tight_currency({.noise = 2, .rate = 0.1}, Epsilon{1.5}, 1e-5);
  Filter filter(4, prices, EpsilonBudget{.epsilon = 1.5, .delta = 1e-5});
  std::vector<std::uint32_t> times(4);
  filter.could_admit({.noise = 2, .clip = 1, .rate = 0.1}, std::vector<double>{1, 0.5, 3, 0}, 60,
                     times);
  const json j = answer(given + "tight --budget-epsilon 1.5 --results r --follow 0");
  EXPECT_EQ(j["filter"]["kind"], "tight");
  EXPECT_LE(bound(j["filter"]["budget"]["epsilon"]).upper, 1.5);
  const auto admitted = [&](std::size_t person) {
    std::istringstream row(lines("o.csv")[person + 1]);
    std::string cell;
    for (int i = 0; i < 4; ++i) std::getline(row, cell, ',');
    return std::stoul(cell);
  };
  for (std::size_t person = 0; person < 4; ++person) EXPECT_EQ(admitted(person), times[person]);
  EXPECT_EQ(times[3], 60u);
  EXPECT_EQ(json::parse(contents(files_.file("r/summary.json")))["filter"], "tight");
  EXPECT_TRUE(lines("r/followed.csv").back().ends_with(fmt::format(",{}", times[0])));
  answer(given + "rdp --budget-epsilon 1.5");
  EXPECT_LT(admitted(0), times[0]);
  answer(given + "tight --budget-steps 20");
  EXPECT_EQ(admitted(0), 20u);
  // Several kinds of steps: the worst decides the prices, and the others cost no more.
  files_.put("p.csv", "noise,rate,steps\n4,0.05,30\n2,0.1,30\n");
  answer("n.npy --plan p.csv --delta 1e-5 --out o.csv --filter tight --budget-epsilon 1.5");
  EXPECT_GT(admitted(0), times[0]);
}

TEST_F(AccountCommand, ATightFilterIsRefusedWhereItHasNoPrices) {
  norms<double>("n.npy", 3, {1, 0.5});
  const std::string given = "n.npy --noise 2 --delta 1e-5 --filter tight ";
  expect_refused(given + "--budget-epsilon 1",
                 "--filter is tight: give gdp where every rate is 1, since it is exact there");
  const std::string sampled = given + "--rate 0.1 ";
  expect_refused(sampled + "--budget-mu 1", "a budget of sampled steps is no mu");
  expect_refused(sampled + "--budget-epsilon 1 --order 4", "--order belongs to --filter rdp");
  expect_refused(sampled + "--budget-epsilon 1 --ledger l --token t",
                 "--filter is tight: give gdp or rdp with --ledger");
  expect_refused(sampled + "--budget-epsilon 0.001", "too small for one step");
  expect_refused(sampled, "needs one budget");
}

TEST_F(AccountCommand, WhoIsLeftOutPaysNothingAndComesBack) {
  // The third step does not fit into a budget of two and a half, the fourth does.
  write_npy<double>(files_.file("n.npy"), {4, 1}, std::vector<double>{1, 1, 1, 0.5});
  answer("n.npy --noise 2 --delta 1e-5 --filter gdp --budget-mu 0.78 --out o.csv");
  EXPECT_TRUE(lines("o.csv")[1].ends_with(",3,1,2")) << lines("o.csv")[1];
}

TEST_F(AccountCommand, NpyOutputReadsBack) {
  norms<double>("n.npy", 30, {1, 0.1});
  const json j = answer("n.npy --noise 5 --delta 1e-5 --out o.npy");
  const NpyFile plain(files_.file("o.npy"));
  EXPECT_EQ(plain.rows(), 2u);
  ASSERT_EQ(plain.columns(), 2u);
  EXPECT_EQ(plain.values<double>()[1], bound(j["quantiles"]["1"]).upper);
  EXPECT_EQ(mode("o.npy"), 0600u);
  answer("n.npy --noise 5 --delta 1e-5 --out f.npy --filter gdp --budget-steps 20");
  const NpyFile filtered(files_.file("f.npy"));
  ASSERT_EQ(filtered.columns(), 5u);
  const auto values = filtered.values<double>();
  EXPECT_EQ(std::vector<double>(values.begin() + 2, values.begin() + 5),
            (std::vector<double>{20, 10, 20}));
  EXPECT_EQ(values[9], -1);
}

TEST_F(AccountCommand, GroupsHaveQuantilesOfTheirOwn) {
  norms<double>("n.npy", 30, {1, 0.1, 1, 0.1});
  files_.put("g.csv", "group\nhigh\nlow\nhigh\nlow\n");
  const json j = answer("n.npy --noise 5 --delta 1e-5 --groups g.csv");
  EXPECT_EQ(j["groups"]["high"]["people"], 2);
  EXPECT_EQ(j["groups"]["high"]["quantiles"]["0"], j["quantiles"]["1"]);
  EXPECT_EQ(j["groups"]["low"]["quantiles"]["1"], j["quantiles"]["0"]);
}

TEST_F(AccountCommand, APlanMayChangeFromStepToStep) {
  norms<double>("n.npy", 30, {1, 0.5});
  files_.put("p.csv", "noise,rate,steps\n5,1,10\n5,1,20\n");
  EXPECT_EQ(answer("n.npy --plan p.csv --delta 1e-5")["quantiles"],
            answer("n.npy --noise 5 --delta 1e-5")["quantiles"]);
  files_.put("p.csv", "noise,rate,steps\n5,1,10\n2,0.1,20\n");
  const json mixed = answer("n.npy --plan p.csv --delta 1e-5");
  EXPECT_EQ(mixed["method"], "pld");
  EXPECT_LE(bound(mixed["quantiles"]["1"]).upper, bound(mixed["worst_case"]).upper);
  files_.put("p.csv", "noise,rate,steps\n5,1,10\n");
  expect_refused("n.npy --plan p.csv --delta 1e-5", "number of steps in the plan is 10");
}

TEST_F(AccountCommand, WritesOnePersonsCurve) {
  norms<double>("n.npy", 30, {1, 0.5, 0});
  answer("n.npy --noise 2 --rate 0.1 --delta 1e-5 --curve c.csv --person 1");
  const auto rows = lines("c.csv");
  ASSERT_EQ(rows.size(), 42u);
  EXPECT_EQ(rows[0], "epsilon,pld_lower,pld_upper,rdp_lower,rdp_upper,blackwell");
  EXPECT_EQ(mode("c.csv"), 0600u);
  answer("n.npy --noise 2 --delta 1e-5 --curve c.csv --person 2");
  EXPECT_EQ(lines("c.csv")[1], "0,0,0,0,0,0,0,0");
}

TEST_F(AccountCommand, TakesAllOptionsTogether) {
  norms<float>("n.npy", 40, {1.0F, 0.5F, 3.0F});
  files_.put("g", "a\nb\na\n");
  const json j = answer(
      "n.npy --noise 2 --clip 2 --rate 0.1 --delta 1e-5 --method pld --buckets 100 --linear 2,30 "
      "--filter rdp --budget-epsilon 1 --order 10 --groups g --out o.csv --curve c.csv --person 0");
  EXPECT_EQ(j["groups"].size(), 2u);
  EXPECT_EQ(j["filter"]["kind"], "rdp");
  EXPECT_FALSE(j["private"].get<std::string>().empty());
  EXPECT_EQ(run("n.npy --noise 2 --delta 1e-5").status, 0);
}

TEST_F(AccountCommand, KeepsResultsInANewDirectoryForItsOwnerAlone) {
  norms<float>("n.npy", 500, {1.0F, 0.5F, 0.0F});
  const std::string given = "n.npy --noise 100 --delta 1e-5 --filter gdp --budget-epsilon 0.8 ";
  answer(given + "--results r --follow 0 --follow 2 --out o.csv");
  EXPECT_EQ(contents(files_.file("r/epsilons.csv")), contents(files_.file("o.csv")));
  const auto active = lines("r/private.csv"), followed = lines("r/followed.csv");
  ASSERT_EQ(active.size(), 201u);
  EXPECT_EQ(active[0], "steps,active");
  EXPECT_EQ(active[1], "3,3");
  EXPECT_EQ(active[200], "500,2");
  ASSERT_EQ(followed.size(), 201u);
  EXPECT_TRUE(followed[200].ends_with(",478,0,0,500")) << followed[200];
  const json summary = json::parse(contents(files_.file("r/summary.json")));
  EXPECT_EQ(summary["plan"].size(), 1u);
  EXPECT_EQ(summary["plan"][0]["steps"], 500);
  EXPECT_EQ(summary["filter"], "gdp");
  for (const char* name : {"summary.json", "epsilons.csv", "private.csv", "followed.csv"}) {
    EXPECT_EQ(mode(std::string("r/") + name), 0600u) << name;
  }
  expect_refused(given + "--results r", "r, which holds results already: give another directory");
  // An epsilon at a time that is asked for is that of a shorter run.
  write_npy<float>(files_.file("short.npy"), {125, 2}, std::vector<float>(250, 0.5F));
  answer("short.npy --noise 100 --delta 1e-5 --out s.csv");
  norms<float>("long.npy", 250, {0.5F, 0.5F});
  answer("long.npy --noise 100 --delta 1e-5 --results long --follow 1");
  const std::string row = lines("long/followed.csv")[100];
  EXPECT_EQ(row, "125," + lines("s.csv")[2].substr(2) + ",125");
}

TEST_F(AccountCommand, SaysWhyItCannotLookAtADirectoryForResults) {
  norms<float>("n.npy", 2, {1, 0.5F});
  expect_refused("n.npy --noise 20 --delta 1e-5 --results " + std::string(300, 'd'),
                 "File name too long");
}

TEST_F(AccountCommand, RefusesWhatIsWrong) {
  norms<float>("n.npy", 3, {1.0F, 0.5F});
  write_npy<float>(files_.file("nan.npy"), {2, 2}, std::vector<float>{1, 1, 1, NAN});
  write_npy<float>(files_.file("flat.npy"), {4}, std::vector<float>{1, 1, 1, 1});
  files_.put("g", "a\n");
  const std::string given = "n.npy --noise 2 --delta 1e-5 ";
  expect_refused("nan.npy --noise 2 --delta 1e-5", "person 1");
  expect_refused("nan.npy --noise 2 --delta 1e-5", "step 1");
  expect_refused("nan.npy --noise 2 --delta 1e-5 --filter gdp --budget-mu 1 --out o.csv", "step 1");
  expect_refused("flat.npy --noise 2 --delta 1e-5", "steps x people");
  expect_refused("no.npy --noise 2 --delta 1e-5", "no.npy");
  expect_refused("--noise 2 --delta 1e-5", "norms");
  expect_refused("n.npy --delta 1e-5", "--noise is missing");
  expect_refused("n.npy --noise 2", "--delta is missing");
  expect_refused(given + "--clip 0", "clip is 0");
  expect_refused(given + "--rate 2", "rate is 2");
  expect_refused(given + "--plan p.csv", "the file holds both");
  expect_refused(given + "--method magic", "--method is 'magic'");
  expect_refused(given + "--rate 0.5 --method gdp", "rate is 0.5");
  expect_refused(given + "--buckets 0", "--buckets is '0'");
  expect_refused(given + "--buckets 1.5", "--buckets is '1.5'");
  expect_refused(given + "--linear 2", "--linear is '2'");
  expect_refused(given + "--rate 0.5 --linear 3,30", "noise");
  expect_refused(given + "--range 0.1,0.2", "--range belongs");
  expect_refused(given + "--method blackwell --range 0.2,0.1", "--range is '0.2,0.1'");
  expect_refused(given + "--filter pld --budget-mu 1", "filter is pld");
  expect_refused(given + "--filter gdp", "needs one budget");
  expect_refused(given + "--filter gdp --budget-mu 1 --budget-steps 3", "needs one budget");
  expect_refused(given + "--budget-mu 1", "belong to --filter");
  expect_refused(given + "--filter gdp --budget-mu 1 --order 2", "orders belong to filter rdp");
  expect_refused(given + "--rate 0.5 --filter gdp --budget-mu 1", "rate is 0.5");
  expect_refused(given + "--groups g", "1 labels long");
  expect_refused(given + "--out o.txt", "ends in .csv or .npy");
  expect_refused(given + "--curve c.csv", "belong together");
  expect_refused(given + "--curve c.csv --person 2", "--person is '2'");
  expect_refused(given + "--out no/such/o.csv",
                 "give a file in a folder that is there, which no/such is not");
  expect_refused(given + "--follow 1", "--follow belongs to --results");
  expect_refused(given + "--results r --follow 2", "--follow is '2'");
  expect_refused(given + "--results r --follow 1 --follow 1", "--follow is 1 twice");
  expect_refused(given + "--results nan.npy", "give the name of a directory: nan.npy is a file");
  expect_refused(given + "--results n.npy", "--results would overwrite n.npy, a file of norms");
  expect_refused("nan.npy --noise 2 --delta 1e-5 --filter gdp --budget-mu 1 --results r", "step 1");
  EXPECT_FALSE(std::filesystem::exists(files_.file("r")));
  files_.put("p.csv", "noise,rate,steps\n2,1,1\n3,1,2\n");
  expect_refused("n.npy --plan p.csv --delta 1e-5 --filter gdp --budget-steps 2", "all alike");
  EXPECT_FALSE(std::filesystem::exists(files_.file("o.csv")));
  EXPECT_FALSE(std::filesystem::exists(files_.file("c.csv")));
}

TEST_F(AccountCommand, KilledHalfWayLeavesNothingBehind) {
  norms<float>("n.npy", 500, std::vector<float>(20000, 0.5F));
  const std::string in = files_.file("n.npy"), out = files_.file("o.csv");
  const std::size_t before = files_.files();
  const pid_t child = fork();
  if (child == 0) {
    const int quiet = open("/dev/null", O_WRONLY);
    dup2(quiet, STDOUT_FILENO);
    execl(RATION_PROGRAM, RATION_PROGRAM, "account", in.c_str(), "--noise", "2", "--rate", "0.01",
          "--delta", "1e-6", "--out", out.c_str(), nullptr);
    _exit(127);
  }
  usleep(30'000);
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (!WIFSIGNALED(status)) GTEST_SKIP() << "it was done before";
  EXPECT_EQ(files_.files(), before);
}

TEST_F(AccountCommand, HelpFitsIntoEightyColumnsAndItsExampleRuns) {
  norms<float>("norms.npy", 20, {1.0F, 0.5F});
  const std::string help = run("--help").out;
  std::istringstream in(help);
  for (std::string line; std::getline(in, line);) EXPECT_LE(line.size(), 80u) << line;
  const std::string before = "Example: ration account ";
  const auto at = help.find(before);
  ASSERT_NE(at, std::string::npos);
  const std::string example = help.substr(at + before.size());
  EXPECT_EQ(run(example.substr(0, example.find('\n'))).status, 0) << example;
}

}  // namespace
}  // namespace ration
