// What was written is read back equal, without the program: train() from C++ leaves a directory
// that a page is made from.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "ration/base/error.h"
#include "ration/dataset/load_dataset.h"
#include "ration/report/page.h"
#include "ration/results/directory.h"
#include "ration/results/moments_csv.h"
#include "ration/results/summary_json.h"
#include "ration/train/read_results.h"
#include "ration/train/run.h"
#include "tests/cli/small_config.h"
#include "tests/file/scratch.h"

namespace ration::results {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_same_summary(const Results& written, const Results& read) {
  EXPECT_EQ(summary_text(written), summary_text(read));
  EXPECT_EQ(written.gaussian, read.gaussian);
  EXPECT_EQ(written.groups, read.groups);
  EXPECT_EQ(written.individual.has_value(), read.individual.has_value());
}

// It counts people's labels, and is not looked at for a page that may be shown.
TEST(ResultsRoundTrip, HowOftenTheMostFrequentLabelIsRightIsReadOnlyByThoseWhoMaySeeAll) {
  Results written = {.kind = Results::Kind::run,
                     .data = "some",
                     .people = 3,
                     .steps = 1,
                     .charged_steps = 1,
                     .score_name = {},
                     .groups = {},
                     .moments = {},
                     .settings = {}};
  written.test = Results::Test{.loss = 1, .score = 0.5, .majority = 0.625};
  const std::string text = summary_text(written);
  const auto read = [](const std::string& summary, Sight sight) {
    return parse_summary(summary, "summary.json", Results::Kind::run, sight).test->majority;
  };
  EXPECT_EQ(read(text, Sight::everything), 0.625);
  EXPECT_EQ(read(text, Sight::public_only), std::nullopt);
  written.test->majority = 1.5;
  EXPECT_THROW(read(summary_text(written), Sight::everything), Error);
  written.test->majority.reset();
  EXPECT_EQ(read(summary_text(written), Sight::everything), std::nullopt);
}

TEST(ResultsRoundTrip, ARunFromCppIsReadBackEqualAndAPageIsMadeOfIt) {
  for (const std::string more : {"", "privacy.clip=0.05 filter.after_epochs=2", "run.follow=[3,17]",
                                 "privacy.mode=sgd privacy.rate=0.25 privacy.refresh=3",
                                 "run.test_seed=5", "privacy.mode=none"}) {
    const Scratch scratch;
    std::istringstream words(more);
    const std::vector<std::string> overrides{std::istream_iterator<std::string>(words), {}};
    train::Settings settings = train::parse_settings(small_config(), "small", overrides);
    settings.out = scratch.file("run");
    const Dataset data = load_dataset(settings.data.source, settings.data.options);
    const Results written = train::train(settings, data, train::Start::fresh);

    const Results read = train::read_results(settings.out, Sight::everything);
    expect_same_summary(written, read);
    EXPECT_EQ(read.settings, written.settings) << more;
    EXPECT_EQ(read.moments.size(), 4u) << more;
    const std::string summary =
        run_file(settings.out, written.test_run, "summary", ".json").string();
    EXPECT_EQ(contents(summary), summary_text(read)) << more;
    report::PageOptions options;
    options.date = "2025-06-01";
    EXPECT_NE(report::report_page(read, options).find("training run"), std::string::npos) << more;
  }
}

TEST(ResultsRoundTrip, RowsOfMomentsAreReadBackEqual) {
  Results results = {.kind = Results::Kind::run,
                     .data = "d",
                     .people = 5,
                     .steps = 4,
                     .charged_steps = 4,
                     .delta = 1e-5,
                     .epsilon = Bound{0.25, 0.3},
                     .score_name = {},
                     .groups = {"a", "nobody"},
                     .moments = {},
                     .settings = {}};
  results.individual.emplace();
  const std::vector<ResultsMoment> moments = {{.epoch = 1,
                                               .steps = 2,
                                               .epsilon = 0.1 + 0.2,
                                               .test_loss = {1.0 / 3, 2.0 / 3, std::nullopt},
                                               .test_score = {0.5, 0.125, std::nullopt},
                                               .train_loss = {0.1, 0.1, 7},
                                               .mean_epsilon = {},
                                               .active = {4, 4, 0}},
                                              {.epoch = 2,
                                               .steps = 4,
                                               .epsilon = 0.3,
                                               .test_loss = {1e-300, 1e300, std::nullopt},
                                               .test_score = {0, 1, std::nullopt},
                                               .train_loss = {0.25, 0.5, 1},
                                               .mean_epsilon = {0.2, 0.2, 0.1},
                                               .active = {5, 3, 2}}};
  std::string shown = epochs_header(results.groups, false) + "\n";
  std::string hidden = private_header(Results::Kind::run, results.groups) + "\n";
  for (const ResultsMoment& moment : moments) {
    shown += epochs_row(moment, 2);
    hidden += private_row(Results::Kind::run, moment, 2);
  }
  read_epochs(ResultsRows(shown, "epochs.csv"), results);
  read_private(ResultsRows(hidden, "private.csv"), results);
  ASSERT_EQ(results.moments.size(), 2u);
  EXPECT_EQ(results.score_name, "macro AUC");
  for (std::size_t i = 0; i < 2; ++i) {
    const ResultsMoment &read = results.moments[i], &written = moments[i];
    EXPECT_EQ(read.epoch, written.epoch);
    EXPECT_EQ(read.steps, written.steps);
    EXPECT_EQ(read.epsilon, written.epsilon);
    EXPECT_EQ(read.test_loss, written.test_loss);
    EXPECT_EQ(read.test_score, written.test_score);
    EXPECT_EQ(read.train_loss, written.train_loss);
    EXPECT_EQ(read.mean_epsilon, written.mean_epsilon);
    EXPECT_EQ(read.active, written.active);
  }
}

}  // namespace
}  // namespace ration::results
