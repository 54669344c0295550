// What becomes of a figure: its files, its words and its place on the page.

#include "paper/reproduce.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>
#include <string>
#include <vector>

#include "paper/experiments.h"
#include "paper/figure.h"
#include "paper/reproduce_page.h"
#include "ration/dataset/load_dataset.h"
#include "tests/file/scratch.h"
#include "tests/paper/mimic_files.h"

namespace ration::paper {
namespace {

Figure figure(bool about_people) {
  return {.name = "some-figure",
          .title = "Some <figure>",
          .paper = "The paper shows this.",
          .here = "This was done.",
          .claims = {{.statement = "One is less than two.",
                      .finding = "1 < 2.",
                      .held = true,
                      .evidence = {{.what = "one, by run",
                                    .number = {.value = 1, .low = 0.5, .high = 1.5},
                                    .below = 2,
                                    .run = 3}}},
                     {.statement = "Two is less than one.", .finding = "2 > 1.", .held = false}},
          .corrections = {"The paper means three."},
          .charts = {report::LineChart{.frame = {.title = "A", .x = {}, .y = {}},
                                       .lines = {{.name = "l", .x = {0, 1}, .y = {0, 1}}}},
                     report::LineChart{.frame = {.title = "B", .x = {}, .y = {}},
                                       .lines = {{.name = "l", .x = {0, 1}, .y = {0, 2}}}}},
          .data = {.columns = {"x", "y"}, .rows = {{0.1, std::int64_t{3}}}},
          .about_people = about_people,
          .on = "a stand-in for <data>"};
}

mode_t mode(const std::filesystem::path& file) {
  struct stat status {};
  EXPECT_EQ(stat(file.c_str(), &status), 0) << file;
  return status.st_mode & 0777;
}

TEST(FigureFiles, AreAllThereAndOnlyTheirOwnersIfTheyAreAboutPeople) {
  for (const bool about_people : {false, true}) {
    const Scratch scratch;
    const auto made =
        write_figure(figure(about_people), results::RunDirectory(scratch.file("out"), false));
    ASSERT_EQ(made.files.size(), 6u);
    std::vector<std::string> names;
    for (const auto& file : made.files) {
      names.push_back(file.filename().string());
      if (about_people) {
        EXPECT_EQ(mode(file), 0600U) << file;
      } else {
        EXPECT_NE(mode(file), 0600U) << file;
      }
    }
    EXPECT_EQ(names, (std::vector<std::string>{"some-figure.csv", "some-figure-1.svg",
                                               "some-figure-1.pdf", "some-figure-2.svg",
                                               "some-figure-2.pdf", "some-figure.md"}));
    EXPECT_EQ(contents(made.files[0].string()), "x,y\n0.1,3\n");
  }
}

TEST(FigureFiles, OfATestRunSayThatTheyAreNotPrivate) {
  const Scratch scratch;
  for (const auto& file :
       write_figure(figure(true), results::RunDirectory(scratch.file("out"), true)).files) {
    EXPECT_NE(file.filename().string().find(".not-private."), std::string::npos) << file;
  }
}

TEST(FigureFiles, ClaimsAreARowForEachNumberWithItsRunAndLimits) {
  const std::vector<ReproducedFigure> figures = {{.figure = figure(true), .files = {}}};
  EXPECT_EQ(csv_of(claims_table(figures)),
            "figure,statement,run,number,value,lower,upper,above,below,held\n"
            "some-figure,One is less than two.,3,\"one, by run\",1,0.5,1.5,,2,1\n");
  EXPECT_TRUE(any_about_people(figures));
  EXPECT_FALSE(any_about_people({}));
}

TEST(FigureText, SaysBothWaysWhetherAClaimHeld) {
  const std::string text = markdown_of(figure(false));
  EXPECT_NE(text.find("One is less than two. This held. 1 < 2."), std::string::npos);
  EXPECT_NE(text.find("Two is less than one. This did not hold. 2 > 1."), std::string::npos);
  EXPECT_NE(text.find("The paper means three."), std::string::npos);
  EXPECT_FALSE(held(figure(false)));
  EXPECT_EQ(held_claims(figure(false)), 1U);
}

TEST(FigureText, OfPeopleIsNotPrintedBeyondWhichClaimsHeld) {
  const Claim claim = figure(true).claims[0];
  EXPECT_EQ(printable_finding(figure(false), claim), "1 < 2.");
  EXPECT_EQ(printable_finding(figure(true), claim), std::nullopt);
}

TEST(ExpectedTime, IsSaidInRoundNumbersThatAreNotFarOff) {
  using std::chrono::seconds;
  EXPECT_EQ(in_words(seconds(9)), "a few seconds");
  EXPECT_EQ(in_words(seconds(61)), "about 60 seconds");
  EXPECT_EQ(in_words(seconds(123)), "about 2 minutes");
  EXPECT_EQ(in_words(seconds(5401)), "about 1.5 hours");
  for (int time = 10; time < 20000; ++time) {
    std::istringstream words(in_words(seconds(time)));
    std::string about, unit;
    double number = 0;
    words >> about >> number >> unit;
    const double said = number * (unit == "seconds" ? 1 : unit == "minutes" ? 60 : 3600);
    EXPECT_LT(said, 1.26 * time) << words.str();
    EXPECT_GT(said, time / 1.26) << words.str();
  }
}

PreparedExperiment experiment(Experiment which, const std::string& data) {
  return {.experiment = which, .data = data, .expected = {}, .figures = {}};
}

std::string page(const Reproduction& asked, bool about_people) {
  const std::vector<PreparedExperiment> experiments = {
      experiment(Experiment::clinical, "people & others")};
  const std::vector<ReproducedFigure> figures = {
      {.figure = figure(about_people), .files = {"out/some-figure.csv"}}};
  return reproduction_page(asked, experiments, figures);
}

TEST(ReproductionPage, HasEveryClaimEveryPictureAndTheDataThatWereUsed) {
  const std::string text = page({.experiments = {}, .out = "out", .quick = true}, false);
  for (const char* part :
       {"1 of 2 claims held", "✓ held", "✗ did not hold", "Some &lt;figure&gt;",
        "people &amp; others", "href=\"some-figure.csv\"", "<main", "<nav", "<header", "<footer",
        "lang=\"en\"", "name=\"viewport\"", "--quick", "The paper means three.",
        "from the operating system", "a stand-in for &lt;data&gt;", "claims.csv"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = text.find("<svg ", at)) != std::string::npos; ++at) ++pictures;
  EXPECT_EQ(pictures, 2u);
  // Needs nothing from anywhere.
  for (const char* part : {"<script", "<link", "src=", "@import", "Some <figure>"}) {
    EXPECT_EQ(text.find(part), std::string::npos) << part;
  }
}

TEST(ReproductionPage, WarnsOfPrivateValuesAndOfTestRunsAndOnlyThen) {
  const Reproduction asked{.experiments = {}, .out = "out"};
  Reproduction test = asked;
  test.test_seed = 7;
  const std::string open = page(asked, false), closed = page(asked, true),
                    seeded = page(test, false);
  EXPECT_EQ(open.find("contains private values"), std::string::npos);
  EXPECT_NE(closed.find("contains private values"), std::string::npos);
  EXPECT_EQ(open.find("This was a test run"), std::string::npos);
  EXPECT_NE(seeded.find("This was a test run"), std::string::npos);
  EXPECT_NE(open.find("full: the paper"), std::string::npos);
  EXPECT_NE(open.find("Chosen here"), std::string::npos);
}

TEST(Reproduce, KnowsItsExperimentsByName) {
  using Names = std::vector<std::string>;
  const auto named = [](const Names& names) { return experiments_named(names); };
  EXPECT_EQ(named({"all"}), (std::vector{Experiment::gdp_vs_rdp, Experiment::mnist,
                                         Experiment::clinical, Experiment::tight_filter}));
  EXPECT_EQ(named({"clinical", "gdp-vs-rdp", "clinical"}),
            (std::vector{Experiment::gdp_vs_rdp, Experiment::clinical}));
  EXPECT_EQ(refusal([&] {
              named({"gdp-vs-rdp", "minst"});
            }),
            "NAME is 'minst': give gdp-vs-rdp, mnist, clinical, tight-filter or all");
  EXPECT_EQ(refusal([&] { named({}); }),
            "NAME is missing: give gdp-vs-rdp, mnist, clinical, tight-filter or all");
}

TEST(Reproduce, TellsHowFarItIsAndEndsWithThePage) {
  const Scratch scratch;
  std::vector<double> fractions;
  const Reproduced made =
      reproduce({.experiments = {Experiment::gdp_vs_rdp}, .out = scratch.file("out")},
                [&](const ReproductionProgress& at) { fractions.push_back(at.fraction); });
  EXPECT_EQ(made.figures.size(), 3u);
  EXPECT_EQ(fractions, std::vector<double>{0});  // these formulas take no time
  EXPECT_TRUE(std::filesystem::exists(made.page));
  for (const auto& each : made.figures) {
    for (const auto& file : each.files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
    EXPECT_EQ(each.figure.on, "none: closed formulas");
  }
}

// What the verdicts say can be found again from the file alone.
TEST(Reproduce, VerdictsFollowFromTheClaimsFile) {
  const Scratch scratch;
  const Reproduced made =
      reproduce({.experiments = {Experiment::gdp_vs_rdp}, .out = scratch.file("out")});
  EXPECT_EQ(contents(made.claims.string()), csv_of(claims_table(made.figures)));
  EXPECT_NE(mode(made.claims), 0600U);
  for (const auto& each : made.figures) {
    for (const Claim& claim : each.figure.claims) {
      EXPECT_FALSE(claim.evidence.empty()) << claim.statement;
      EXPECT_EQ(claim.held, is_held(tally(claim.evidence))) << claim.statement;
    }
  }
}

TEST(Reproduce, LeavesNoPageWhenItStopsHalfWay) {
  const Scratch scratch;
  const Reproduction asked{.experiments = {Experiment::gdp_vs_rdp}, .out = scratch.file("out")};
  reproduce(asked);
  ASSERT_TRUE(std::filesystem::exists(scratch.file("out/index.html")));
  std::filesystem::remove(scratch.file("out/gdp-vs-rdp-steps.csv"));
  std::filesystem::create_directories(scratch.file("out/gdp-vs-rdp-steps.csv/in the way"));
  EXPECT_NE(refusal([&] { reproduce(asked); }), "accepted");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("out/index.html")));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("out/claims.csv")));
}

TEST(ExperimentData, TheUsersOwnClinicalFilesTakeThePlaceOfTheCohort) {
  const Scratch scratch;
  const Dataset cohort = load_dataset(CohortSource{.people = 40, .test_people = 20});
  put_mimic(scratch, cohort);
  const ExperimentData own = clinical_data(scratch.file("mimic"));
  EXPECT_EQ(own.data.train.features, cohort.train.features);
  EXPECT_EQ(own.data.test.features, cohort.test.features);
  EXPECT_EQ(own.data.train.labels.kind, LabelKind::many);
  EXPECT_EQ(own.data.train.labels.values, cohort.train.labels.values);
  EXPECT_EQ(own.data.test.labels.values, cohort.test.labels.values);
  EXPECT_EQ(own.standing, "the paper's data, if these files hold them");
}

TEST(ExperimentData, TheUsersOwnFilesAreRefusedByNameWhereTheyAreMissing) {
  const Scratch scratch;
  EXPECT_NE(refusal([&] { mnist_data(scratch.file("")); }).find("train-images-idx3-ubyte"),
            std::string::npos);
  EXPECT_NE(refusal([&] { clinical_data(scratch.file("")); }).find("train_X.npy"),
            std::string::npos);
}

}  // namespace
}  // namespace ration::paper
