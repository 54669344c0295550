// The picture in README.md: everybody's eps in the demo, whose people are the images of
// Fashion-MNIST, which are public. docs/demo.csv holds how many of them lie in each bin,
// docs/demo.svg is drawn from that and from the demo's settings. `make picture` makes both anew
// from a run of the demo; tests/utility.sh compares a fresh run with the numbers.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "ration/dataset/load_dataset.h"
#include "ration/report/chart.h"
#include "ration/report/everybody_chart.h"
#include "ration/train/read_results.h"
#include "ration/train/settings.h"
#include "ration/train/training_plan.h"
#include "tests/file/scratch.h"

namespace ration::report {
namespace {

using results::Results;

const std::string kSource = RATION_SOURCE_DIR;
const std::string kNumbers = kSource + "/docs/demo.csv", kPicture = kSource + "/docs/demo.svg";
constexpr const char* kHeader = "epsilon_up_to,people";

std::string csv_of(const HistogramChart& chart) {
  std::string text = fmt::format("{}\n", kHeader);
  const std::vector<double>& heights = chart.histograms.front().heights;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    text += fmt::format("{},{}\n", chart.edges[i + 1], heights[i]);
  }
  return text;
}

// People whose eps lie on the upper edges of their bins, where the demo's settings promise what
// they promise.
Results results_of_the_numbers() {
  const train::Settings settings =
      train::read_settings(kSource + "/examples/configs/fashion-mnist-gd.toml", {});
  const Promise promise = train::promise_of(*settings.plan, settings.plan->steps());
  std::istringstream rows(contents(kNumbers));
  std::string row;
  std::getline(rows, row);
  EXPECT_EQ(row, kHeader);
  std::vector<Bound> epsilons;
  for (double up_to = 0, people = 0; std::getline(rows, row);) {
    EXPECT_EQ(std::sscanf(row.c_str(), "%lf,%lf", &up_to, &people), 2) << row;
    epsilons.insert(epsilons.end(), static_cast<std::size_t>(people), exactly(up_to));
  }
  Results results{};
  results.kind = Results::Kind::run;
  results.people = epsilons.size();
  results.epsilon = promise.epsilon;
  results.worst_case = promise.worst_case;
  results.budget = promise.budget;
  results.guarantee = promise.guarantee;
  results.individual = {.method = {},
                        .guarantee = {},
                        .epsilons = epsilons,
                        .attendance = {},
                        .quantiles = quantiles_of(epsilons)};
  return results;
}

TEST(DemoPicture, IsWhatTheProjectDrawsFromTheDemosNumbers) {
  if (const char* const run = std::getenv("RATION_DEMO")) {
    const HistogramChart chart =
        everybody_chart(train::read_results(run, results::Sight::everything)).chart;
    std::ofstream(kNumbers) << csv_of(chart);
    std::ofstream(kPicture) << svg(chart);
  }
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
    GTEST_SKIP() << "the distribution's package of Fashion-MNIST is not installed";
  }
  const Results results = results_of_the_numbers();
  EXPECT_EQ(results.people, 60000u);
  EXPECT_EQ(svg(everybody_chart(results).chart), contents(kPicture));
}

}  // namespace
}  // namespace ration::report
