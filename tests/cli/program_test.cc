// The program as its users see it: what it prints and how it ends.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/file/scratch.h"

namespace {

using nlohmann::json;

struct Outcome {
  int status;
  std::string out, err;
};

using ration::contents;
using ration::Scratch;

const Scratch& scratch() {
  static const Scratch folder;
  return folder;
}

Outcome run(const std::string& arguments) {
  const std::string out = scratch().file("out"), err = scratch().file("err");
  const std::string command =
      std::string(RATION_PROGRAM) + " " + arguments + " >" + out + " 2>" + err + " </dev/null";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), contents(out), contents(err)};
}

json answer(const std::string& arguments) {
  const Outcome o = run(arguments + " --json");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  return json::parse(o.out);
}

// Exit 2, nothing on standard output, one line that names the argument, its value and what is
// accepted.
void expect_refused(const std::string& arguments, const std::string& words) {
  const Outcome o = run(arguments);
  EXPECT_EQ(o.status, 2) << arguments;
  EXPECT_EQ(o.out, "") << arguments;
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
}

TEST(Convert, GivesTheThirdOfThree) {
  EXPECT_NEAR(answer("convert --epsilon 1 --delta 1e-5")["mu"]["upper"], 0.2680511232112942, 1e-14);
  EXPECT_NEAR(answer("convert --mu 0.2680511232112942 --delta 1e-5")["epsilon"]["upper"], 1, 1e-13);
  EXPECT_NEAR(answer("convert --mu 0.2680511232112942 --epsilon 1")["delta"]["upper"], 1e-5, 1e-18);
}

TEST(Convert, EchoesWhatWasGivenAsAnExactBound) {
  const json j = answer("convert --mu 1 --delta 1e-300");
  EXPECT_EQ(j["mu"], (json{{"lower", 1.0}, {"upper", 1.0}}));
  EXPECT_EQ(j["delta"], (json{{"lower", 1e-300}, {"upper", 1e-300}}));
}

TEST(Convert, InfinityIsAString) {
  EXPECT_EQ(answer("convert --epsilon 1 --delta 1")["mu"]["upper"], "inf");
}

// What is printed is safe to use: an allowed mu is rounded down, a spent eps is rounded up.
TEST(Convert, PrintsTheSafeEnd) {
  EXPECT_EQ(run("convert --epsilon 1 --delta 1e-5").out.substr(0, 29),
            "mu               0.2680511232");
  EXPECT_EQ(
      run("convert --mu 0.2680511232112942 --delta 1e-5").out.find("epsilon          1.0000000") ==
          std::string::npos,
      false);
}

TEST(Convert, PrintsNumbersBelowTheSmallestNormal) {
  EXPECT_EQ(run("convert --mu 1 --epsilon 38.5").status, 0);
  EXPECT_EQ(run("convert --mu 1e-8 --epsilon 1e8").status, 0);
}

TEST(Compose, SaysMethodDirectionAndGuarantee) {
  const json j = answer("compose --noise 100 --steps 420 --delta 1e-5");
  EXPECT_NEAR(j["epsilon"]["upper"], 0.745138235521, 6e-13);
  EXPECT_EQ(j["method"], "gdp");
  EXPECT_EQ(j["direction"], "remove");
  EXPECT_EQ(j["guarantee"]["certified"], true);
  EXPECT_EQ(j["guarantee"]["adaptive"], true);
  EXPECT_FALSE(j["guarantee"]["theorem"].get<std::string>().empty());
  EXPECT_FALSE(j["guarantee"]["neighbours"].get<std::string>().empty());
}

TEST(Compose, TakesListedOrders) {
  const json j = answer("compose --noise 100 --steps 420 --delta 1e-5 --method rdp --orders 2..32");
  EXPECT_NEAR(j["epsilon"]["upper"], 0.815629987, 6e-10);
}

TEST(Compose, ReadsAPlan) {
  const std::string file = scratch().file("plan.csv");
  std::ofstream(file) << "noise,rate,steps\n100,1,200\n100,1,220\n";
  const json j = answer("compose --delta 1e-5 --plan " + file);
  EXPECT_NEAR(j["epsilon"]["upper"], 0.745138235521, 6e-13);
}

TEST(Compose, FourierStatesItsErrors) {
  const json j =
      answer("compose --noise 2 --rate 0.005 --steps 10000 --delta 1e-6 --method fourier");
  EXPECT_EQ(j["method"], "fourier");
  EXPECT_LE(j["epsilon"]["lower"], 1.1501786607954);
  EXPECT_GE(j["epsilon"]["upper"], 1.1501786607954);
  for (const char* term : {"grid", "tail", "wrap", "rounding"}) EXPECT_GE(j["errors"][term], 0);
  EXPECT_FALSE(answer("compose --noise 2 --steps 10 --delta 1e-6").contains("errors"));
}

TEST(Compose, TakesLaplaceNoiseResponsesAndPairs) {
  const std::string file = scratch().file("pair.csv");
  std::ofstream(file) << "with,without\n0.75,0.25\n0.25,0.75\n";
  const json response = answer("compose --response 0.75 --steps 10 --delta 1e-6");
  const json pair = answer("compose --steps 10 --delta 1e-6 --pair " + file);
  EXPECT_EQ(response["method"], "fourier");
  EXPECT_EQ(response["epsilon"], pair["epsilon"]);
  EXPECT_EQ(response["guarantee"]["neighbours"], "change one answer");
  EXPECT_EQ(pair["guarantee"]["neighbours"], "the two columns of the pair");
  // One Laplace query: delta(eps) = 1 - exp((eps - 1/b)/2).
  const json laplace = answer("compose --laplace 2 --epsilon 0.25");
  EXPECT_NEAR(laplace["delta"]["upper"], -std::expm1(-0.125), 1e-3);
}

TEST(Compose, RefusesWhatDoesNotBelongTogether) {
  expect_refused("compose --laplace 2 --noise 1 --steps 1 --delta 1e-5", "give one");
  expect_refused("compose --laplace 2 --rate 0.1 --delta 1e-5", "--rate belongs to --noise");
  expect_refused("compose --noise 1 --answers 3 --steps 2 --delta 1e-5", "--answers belongs");
  expect_refused("compose --response 1.5 --delta 1e-5", "truth is 1.5");
  expect_refused("compose --laplace 2 --delta 1e-5 --method gdp", "method gdp covers normal noise");
  expect_refused("compose --laplace 2 --delta 1e-5 --method contour", "choose fourier or rdp");
  expect_refused("compose --noise 2 --steps 5 --delta 1e-5 --grid 0.1", "belong to method fourier");
  expect_refused("compose --noise 2 --steps 5 --delta 1e-5 --method fourier --grid 1 --accuracy 1",
                 "give one");
  expect_refused(
      "compose --noise 2 --rate 0.1 --steps 50 --delta 1e-5 --method fourier "
      "--accuracy 1e-13",
      "accuracy is 1e-13");
  const std::string file = scratch().file("bad.csv");
  std::ofstream(file) << "0.5,0.5\n-0.5,0.5\n";
  expect_refused("compose --delta 1e-5 --pair " + file, "bad.csv line 2 is -0.5");
}

TEST(Compose, WritesACurveOfEveryMethodSideBySide) {
  const std::string file = scratch().file("curve.csv");
  ASSERT_EQ(
      run("compose --noise 2 --rate 0.01 --steps 500 --delta 1e-6 --points 5 --to 2 --curve " +
          file)
          .status,
      0);
  std::istringstream lines(contents(file));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "epsilon,contour_lower,contour_upper,fourier_lower,fourier_upper,rdp_lower,rdp_upper");
  double last = 2;
  int rows = 0;
  while (std::getline(lines, line)) {
    double epsilon = 0, lower = 0, upper = 0, fourier_lower = 0, fourier_upper = 0, rdp_lower = 0,
           rdp_upper = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &epsilon, &lower, &upper,
                          &fourier_lower, &fourier_upper, &rdp_lower, &rdp_upper),
              7);
    EXPECT_LE(lower, upper);
    EXPECT_LE(lower, fourier_upper);
    EXPECT_LE(fourier_lower, upper);
    EXPECT_LE(upper, rdp_upper * (1 + 1e-9));
    EXPECT_LT(upper, last);
    last = upper;
    ++rows;
  }
  EXPECT_EQ(rows, 5);
  expect_refused("compose --noise 2 --steps 5 --delta 1e-6 --points 5", "--curve");
  expect_refused("compose --noise 2 --steps 5 --delta 1e-6 --points 1 --curve " + file,
                 "--points is 1");
  expect_refused("compose --noise 2 --steps 5 --delta 1e-6 --from 3 --to 2 --curve " + file,
                 "start of the curve");
  expect_refused("compose --noise 2 --steps 5 --delta 1e-6 --curve no/such/folder.csv",
                 "--curve is 'no/such/folder.csv': give a file in a folder that is there");
}

TEST(Compose, FindsDeltaToo) {
  const json j = answer("compose --noise 100 --steps 420 --epsilon 0.745138235521");
  EXPECT_NEAR(j["delta"]["upper"], 1e-5, 1e-15);
}

TEST(Calibrate, AnswersUnderItsOwnName) {
  EXPECT_EQ(answer("calibrate --solve steps --noise 100 --epsilon 0.8 --delta 1e-5")["steps"], 478);
  EXPECT_EQ(answer("calibrate --solve steps --noise 100 --epsilon 0.1 --delta 1e-5 --method rdp "
                   "--orders 2..32")["steps"],
            0);
  EXPECT_NEAR(answer("calibrate --solve noise --steps 478 --epsilon 0.8 --delta 1e-5")["noise"],
              99.9, 0.1);
  EXPECT_GT(answer("calibrate --solve rate --noise 1 --steps 100 --epsilon 1 --delta 1e-5")["rate"],
            0.001);
}

TEST(BadInput, IsRefusedInOneLine) {
  expect_refused("convert --mu nan --delta 1e-5", "--mu is 'nan': give a number");
  expect_refused("convert --mu 1", "give exactly two");
  expect_refused("convert --mu 1 --epsilon 1 --delta 1e-5", "give exactly two");
  expect_refused("compose --noise -1 --steps 5 --delta 1e-5", "noise is -1: give a number from");
  expect_refused("compose --noise nan --steps 5 --delta 1e-5", "--noise is 'nan'");
  expect_refused("compose --noise 1 --steps 5 --delta 0", "delta is 0: give a probability");
  expect_refused("compose --noise 1 --steps 5 --delta 2", "delta is 2: give a probability");
  expect_refused("compose --noise 1 --rate 0 --steps 5 --delta 1e-5", "rate is 0: give");
  expect_refused("compose --noise 1 --rate 1.5 --steps 5 --delta 1e-5", "rate is 1.5: give");
  expect_refused("compose --noise 1 --steps 0 --delta 1e-5", "steps is 0: give a whole number");
  expect_refused("compose --noise 1 --steps 1e30 --delta 1e-5", "steps is 1e+30: give a whole");
  expect_refused("compose --noise 1 --steps 2.5 --delta 1e-5", "steps is 2.5: give a whole");
  expect_refused("compose --noise 1 --steps ten --delta 1e-5", "--steps is 'ten': give a number");
  expect_refused("compose --noise 1 --delta 1e-5", "--steps is missing");
  expect_refused("compose --noise 1 --steps 5", "--delta");
  expect_refused("compose --noise 1 --rate 0.1 --steps 5 --delta 1e-5 --method gdp", "rate is 0.1");
  expect_refused("compose --noise 1 --steps 5 --delta 1e-5 --method magic", "--method is 'magic'");
  expect_refused("compose --noise 1 --steps 5 --delta 1e-5 --orders 1", "order is 1: give");
  expect_refused("compose --plan no-such-file.csv --delta 1e-5", "plan is no-such-file.csv: give");
  expect_refused("calibrate --solve joy --noise 1 --epsilon 1 --delta 1e-5", "--solve is 'joy'");
  expect_refused("calibrate --solve noise --noise 1 --steps 5 --epsilon 1 --delta 1e-5", "--noise");
  expect_refused("frobnicate", "command is 'frobnicate': give one of convert, compose");
  expect_refused("compose --frobnicate", "--frobnicate");
}

TEST(BadInput, PlansWithoutEndAreRefused) {
  expect_refused("compose --delta 1e-5 --plan /dev/zero", "zero is no text: give CSV in UTF-8");
}

TEST(BadInput, InPlansIsRefusedWithItsLine) {
  const std::string file = scratch().file("bad_plan.csv");
  std::ofstream(file) << "noise,steps\n1,5\n";
  expect_refused("compose --delta 1e-5 --plan " + file, "without rate");
  std::ofstream(file) << "noise,rate,steps\n1,often,5\n";
  expect_refused("compose --delta 1e-5 --plan " + file, "line 2, rate is 'often': give a number");
}

TEST(Help, FitsIntoEightyColumnsAndHasAnExampleThatRuns) {
  for (const std::string command : {"convert", "compose", "calibrate"}) {
    const Outcome o = run(command + " --help");
    EXPECT_EQ(o.status, 0);
    std::istringstream lines(o.out);
    std::string example;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 80u) << line;
      if (line.rfind("Example: ration ", 0) == 0) example = line.substr(16);
    }
    ASSERT_NE(example, "");
    EXPECT_EQ(run(example).status, 0) << example;
  }
}

TEST(Help, TheManualInDocsIsWhatTheProgramPrints) {
  const Outcome o = run("manual");
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.out, contents(std::string(RATION_SOURCE_DIR) + "/docs/commands.md"));
}

TEST(Help, EverySettingIsInDocsAndInTheTerminal) {
  const Outcome page = run("manual --settings"), text = run("train --settings");
  EXPECT_EQ(page.status, 0);
  EXPECT_EQ(page.out, contents(std::string(RATION_SOURCE_DIR) + "/docs/settings.md"));
  EXPECT_EQ(text.status, 0);
  for (const std::string key : {"leave_out = ", "categories = ", "checkpoint_seconds = "})
    EXPECT_NE(text.out.find("\n  " + key), std::string::npos) << key;
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(Completion, OffersCommandsAndOptions) {
  const std::string script = run("completion bash").out;
  EXPECT_NE(script.find("convert compose calibrate"), std::string::npos);
  EXPECT_NE(script.find("--orders"), std::string::npos);
  EXPECT_EQ(run("completion fish").status, 0);
  expect_refused("completion tcsh", "shell is 'tcsh': give bash, zsh or fish");
  const std::string base = scratch().file("completion.bash");
  std::ofstream(base)
      << script << "COMP_WORDS=(ration cal); COMP_CWORD=1; _ration; echo ${COMPREPLY[*]}\n"
      << "COMP_WORDS=(ration compose --ord); COMP_CWORD=2; _ration; echo ${COMPREPLY[*]}\n"
      << "COMP_WORDS=(ration calibrate --solve r); COMP_CWORD=3; _ration; echo "
         "${COMPREPLY[*]}\n";
  ASSERT_EQ(std::system(("bash " + base + " >" + base + ".out").c_str()), 0);
  EXPECT_EQ(contents(base + ".out"), "calibrate\n--orders\nrate\n");
}

}  // namespace
