// The examples, as their readers run them: each ends well, fits 80 columns and says what it claims.

#include <gtest/gtest.h>
#include <stdio.h>  // popen
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

namespace {

struct Outcome {
  int status;
  std::string out;
};

Outcome run(const std::string& example) {
  FILE* pipe = popen((std::string(RATION_EXAMPLES_DIR "/") + example + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no pipe");
  std::string out;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  return {WEXITSTATUS(pclose(pipe)), out};
}

// In characters: the bytes that do not continue one, in UTF-8.
std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(
      line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

std::string output_of(const std::string& example) {
  const Outcome outcome = run(example);
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 80u) << line;
  return outcome.out;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Examples, OneGaussianQueryCostsEps1_9931) {
  const std::string out = output_of("01_one_gaussian_query");
  EXPECT_TRUE(says(out, "eps at delta = 1e-5      1.9931\n")) << out;
  EXPECT_TRUE(says(out, "rightly in  3.39% of cases, and wrongly in    1%\n")) << out;
}

TEST(Examples, TheAdaptiveAnalystIsHaltedAtQuery479) {
  const std::string out = output_of("02_adaptive_analyst");
  EXPECT_TRUE(says(out, "query 478 admitted")) << out;
  EXPECT_TRUE(says(out, "query 479 HALTED")) << out;
  EXPECT_TRUE(says(out, "the analyst gets 403 of 478 queries")) << out;
}

TEST(Examples, MostPeopleLoseLessThanTheWorstCase) {
  const std::string out = output_of("03_individual_accounts");
  EXPECT_TRUE(says(out, "The norms are simulated")) << out;
  EXPECT_TRUE(says(out, "2182 of 5000 people lose at most half")) << out;
}

TEST(Examples, ASmallerNormIsAdmittedAgain) {
  const std::string out = output_of("04_two_kinds_of_budgets");
  EXPECT_TRUE(says(out, "A     eps 1    #######.......")) << out;
  EXPECT_TRUE(says(out, "E     eps 1    #######.............##################.....")) << out;
}

TEST(Examples, ASavedFilterGoesOnAsTheFirst) {
  const std::string out = output_of("05_save_and_resume");
  EXPECT_TRUE(says(out, "What both remember is equal to the last unit.")) << out;
  EXPECT_TRUE(says(out, "filter.state is damaged")) << out;
}

TEST(Examples, TrainingPromises2_259AndNobodyIsLeftOutBeforeStep21) {
  const std::string out = output_of("07_train_privately");
  EXPECT_TRUE(says(out, "promised eps 2.259 at delta 1e-5")) << out;
  const std::size_t at = out.find("\n   20 ");
  ASSERT_NE(at, std::string::npos) << out;
  EXPECT_TRUE(says(out.substr(at, 30), " 4000 ")) << out;
  EXPECT_TRUE(says(out, "and 2.259 at most")) << out;
}

TEST(Examples, GaussianAccountingFits478StepsWhereRenyiFits405) {
  const std::string out = output_of("06_steps_in_a_budget");
  EXPECT_TRUE(says(out, "     0.8            478            405 ")) << out;
}

TEST(Examples, AnOdometerTellsTheLevelBeforeTheQueryIsRun) {
  const std::string out = output_of("08_odometer");
  EXPECT_TRUE(says(out, "query   1: level 1 holds, eps 0.5000\n")) << out;
  EXPECT_TRUE(says(out, "query   9: level 2 holds, eps 1.0000\n")) << out;
  EXPECT_TRUE(says(out, "query 101 would pass the last level")) << out;
  EXPECT_TRUE(says(out, "D      0       0")) << out;
}

TEST(Examples, ALedgerKeepsOneBudgetForAllRuns) {
  const std::string out = output_of("09_ledger");
  EXPECT_TRUE(says(out, "reserved 2.0000")) << out;
  EXPECT_TRUE(says(out, "genomics reserves 1 and is killed   spent 0.3608  reserved 1.0000"))
      << out;
  EXPECT_TRUE(says(out, "the head that a witness saw is in it")) << out;
}

TEST(Examples, AllAreTestedHere) {
  std::size_t lessons = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RATION_SOURCE_DIR "/examples")) {
    lessons += entry.path().extension() == ".cc" ? 1 : 0;
  }
  EXPECT_EQ(lessons, 9u);
}

}  // namespace
