// Pages from results that are made up here. With RATION_PAGES=DIR they are written there, to look
// at.
#include "ration/report/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "ration/base/error.h"

namespace ration {
namespace {

std::vector<std::string> group_names(std::size_t count) {
  std::vector<std::string> names = {"no label", "pneumonia", "heart attack", "other"};
  while (names.size() < count) names.push_back("ward " + std::to_string(names.size()));
  names.resize(count);
  return names;
}

struct Shape {
  std::size_t people = 3000, groups = 4, moments = 100;
};

// A run whose people's eps is theirs alone: no number of theirs is also a public one.
Results example_run(const Shape& shape = {}) {
  std::mt19937_64 random(5);
  std::gamma_distribution<double> spread(4, 0.22);
  std::vector<Bound> epsilons;
  std::vector<Attendance::Person> attendance;
  std::vector<std::uint32_t> group_of;
  for (std::size_t i = 0; i < shape.people; ++i) {
    const double epsilon = std::min(2.751, 0.05 + spread(random));
    epsilons.push_back({.lower = epsilon * (1 - 1e-9), .upper = epsilon});
    const bool left_out = epsilon > 2;
    attendance.push_back({.admitted = left_out ? 71u : 100u,
                          .left_out = left_out ? 29u : 0u,
                          .first_left_out = left_out ? 71u : Attendance::kNever});
    if (shape.groups > 0) group_of.push_back(static_cast<std::uint32_t>(i * i % shape.groups));
  }
  Results results = {.kind = Results::Kind::run,
                     .gaussian = true,
                     .data = "synthetic cohort of 3000 people, 714 features, 25 labels",
                     .people = shape.people,
                     .steps = 100,
                     .charged_steps = 100,
                     .delta = 1e-5,
                     .epsilon = Bound{2.751020, 2.751022},
                     .worst_case = Bound{4.085655, 4.085657},
                     .budget = Bound{2.751020, 2.751022},
                     .guarantee = Guarantee{.theorem = "Individual Gaussian DP filter",
                                            .adaptive = true,
                                            .certified = true},
                     .score_name = "macro AUC",
                     .groups = group_names(shape.groups),
                     .test_people = {},
                     .moments = {},
                     .settings = "[privacy]\nmode = \"gd\"\nnoise = 10.6\n"};
  for (const std::string& label : results.groups) results.test_people[label] = 10;
  for (std::size_t m = 1; m <= shape.moments; ++m) {
    const double t = static_cast<double>(m) / static_cast<double>(shape.moments);
    ResultsMoment at = {
        .epoch = m, .steps = m, .epsilon = std::min(2.751022, 4.085657 * std::sqrt(t))};
    for (std::size_t g = 0; g <= shape.groups; ++g) {
      const double shift = 0.013 * static_cast<double>(g % 7);
      at.test_loss.push_back(0.3 + 0.4 * std::exp(-4 * t) + shift);
      at.test_score.push_back(0.8 - 0.3 * std::exp(-5 * t) - shift);
      at.train_loss.push_back(0.2912345 + 0.39 * std::exp(-4 * t) + shift);
      at.mean_epsilon.push_back((0.9187654 + 3 * shift) * std::sqrt(t));
      at.active.push_back(static_cast<std::uint64_t>(
          static_cast<double>(g == 0 ? shape.people : shape.people / shape.groups) *
          (t < 0.5 ? 1.0 : 1.5 - t)));
    }
    results.moments.push_back(std::move(at));
  }
  const Quantiles quantiles = quantiles_of(epsilons);
  results.individual = {.method = "gdp",
                        .guarantee = {.theorem = "Gaussian DP", .certified = true},
                        .epsilons = epsilons,
                        .attendance = attendance,
                        .quantiles = quantiles,
                        .groups = quantiles_of(epsilons, group_of, shape.groups),
                        .followed = {{.person = 7, .points = {}}}};
  for (std::uint64_t step = 1; step <= 100; ++step) {
    const double epsilon = 0.123456 * std::sqrt(static_cast<double>(step));
    results.individual->followed[0].points.push_back(
        {.steps = step, .epsilon = {epsilon, epsilon}, .admitted = step});
  }
  return results;
}

std::string page_of(const std::string& name, const Results& results, PageOptions options = {}) {
  options.date = "2025-06-01";
  const std::string page = report_page(results, options);
  if (const char* directory = std::getenv("RATION_PAGES")) {
    std::filesystem::create_directories(directory);
    std::ofstream(std::filesystem::path(directory) / (name + ".html")) << page;
  }
  return page;
}

bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

std::size_t count(const std::string& page, const std::string& text) {
  std::size_t found = 0;
  for (std::size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) {
    ++found;
  }
  return found;
}

nlohmann::json charts_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"charts\">";
  const std::size_t from = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

std::vector<std::string> chart_ids(const std::string& page) {
  std::vector<std::string> ids;
  for (const auto& chart : charts_of(page)) ids.push_back(chart["id"]);
  return ids;
}

TEST(Page, SaysTheGuaranteeInWordsAndExactly) {
  const std::string page = page_of("private", example_run(), {.person = 7});
  // 50 (1 + 2 Phi(mu/2) - 1) with mu = 0.66616: 63.1 (statistics.NormalDist in Python: 63.046).
  EXPECT_TRUE(has(page, "<strong>63.1 times in 100</strong>"));
  EXPECT_TRUE(has(page, "(2.75103, 1e-05)-differential privacy"));
  EXPECT_TRUE(has(page, "[2.75102, 2.751022]"));
  EXPECT_TRUE(has(page, "Individual Gaussian DP filter"));
  EXPECT_TRUE(has(page, "Private: do not publish this page."));
}

TEST(Page, OfAnApproximationPromisesNothingAndSaysWhatToDo) {
  Results results = example_run({.groups = 0, .moments = 0});
  results.kind = Results::Kind::account;
  results.budget.reset();
  results.epsilon = results.worst_case;
  results.guarantee = Guarantee{.theorem = "Approximation"};
  results.worst_case_proved = false;
  results.individual->guarantee = *results.guarantee;
  for (const bool for_the_public : {false, true}) {
    const std::string page = page_of("approximation", results, {.for_the_public = for_the_public});
    EXPECT_TRUE(has(page, "None that is proved."));
    EXPECT_TRUE(has(page, "<code>--method pld</code>"));
    EXPECT_FALSE(has(page, "times in 100"));
    EXPECT_FALSE(has(page, "id=\"attacks\""));
    EXPECT_FALSE(has(page, "-differential privacy</dd>"));
    EXPECT_FALSE(has(page, "<dt>Promise</dt><dd><span"));
    EXPECT_FALSE(has(page, "ε lies in</dt>"));
    EXPECT_TRUE(has(page, "Worst case, approximated"));
  }
  const std::string page = page_of("approximation", results, {.person = 8});
  EXPECT_EQ(charts_of(page)[0]["markers"][0]["name"], "worst case, approximated 4.086");
  EXPECT_TRUE(has(page, "Person 8 has spent about"));
  EXPECT_FALSE(has(page, "that everybody is promised"));
}

TEST(Page, SaysForWhichStepsPeoplesOwnValuesHold) {
  Results results = example_run();
  results.individual->guarantee.adaptive = true;
  EXPECT_TRUE(has(page_of("adaptive", results), "The values hold also for steps that are chosen"));
  results.individual->guarantee.adaptive = false;
  EXPECT_TRUE(has(page_of("fixed", results), "for that these values are no guarantee"));
  results.kind = Results::Kind::account;
  EXPECT_TRUE(has(page_of("fixed", results), "If they were chosen in view of what was released"));
}

TEST(Page, SaysAtMostWhereItHolds) {
  Results results = example_run({.people = 10, .groups = 0});
  for (std::size_t i = 0; i < 10; ++i) {
    results.individual->epsilons[i] = exactly(0.1 * static_cast<double>(1 + i));
  }
  results.individual->quantiles = quantiles_of(results.individual->epsilons);
  const std::string page = page_of("few", results);
  // Interpolated quantiles are 0.55 and 0.955: one in ten has spent more than the latter.
  EXPECT_TRUE(
      has(page, "half of the people have spent at most ε 0.5, and 95 % of them at most ε 1."))
      << page.substr(page.find("half of"), 200);
  EXPECT_TRUE(has(page, "<th scope=\"row\">95 %</th><td>1</td>"));
  EXPECT_TRUE(has(page, "<span class=\"value\">ε 0.5</span> <span class=\"note\">or less"));
}

TEST(Page, SaysHowMuchOfThePromisePeopleHaveSpentAlsoIfItIsMore) {
  Results results = example_run({.people = 4, .groups = 0});
  results.individual->epsilons = {exactly(1), exactly(2.751022), exactly(2.7510221), exactly(5.51)};
  results.individual->quantiles = quantiles_of(results.individual->epsilons);
  results.individual->guarantee.certified = false;
  const std::string page = page_of("more", results);
  EXPECT_TRUE(has(page, "<td>36.4\u00a0%</td>"));
  EXPECT_TRUE(has(page, "<td>100\u00a0%</td>"));
  EXPECT_TRUE(has(page, "<td>101\u00a0%</td>"));
  EXPECT_TRUE(has(page, "<td>201\u00a0%</td>"));
}

TEST(Page, HasEveryChartWithATableAndADescription) {
  const std::string page = page_of("private", example_run(), {.person = 7});
  const std::vector<std::string> ids = {"chart-people",
                                        "chart-group-epsilons",
                                        "chart-group-losses",
                                        "chart-group-scores",
                                        "chart-epsilon-over-time",
                                        "chart-active",
                                        "chart-loss",
                                        "chart-score",
                                        "chart-person"};
  EXPECT_EQ(chart_ids(page), ids);
  EXPECT_EQ(count(page, "<canvas role=\"img\" aria-label=\""), ids.size());
  EXPECT_EQ(count(page, "<details class=\"values\">"), ids.size());
  EXPECT_EQ(count(page, "<table><caption>"), count(page, "<table>"));
}

TEST(Page, SaysWhichChartsShowBounds) {
  const auto charts = charts_of(page_of("private", example_run(), {.person = 7}));
  for (const auto& chart : charts) {
    const std::string id = chart["id"];
    const bool bounds =
        id == "chart-group-epsilons" || id == "chart-epsilon-over-time" || id == "chart-person";
    EXPECT_EQ(chart["bounds"], bounds) << id;
  }
}

TEST(Page, HistogramCountsEverybodyOnceAndMarksThePromise) {
  const Results results = example_run();
  const auto charts = charts_of(page_of("private", results));
  double people = 0;
  for (const double height : charts[0]["series"][0]["heights"]) people += height;
  EXPECT_EQ(people, 3000);
  EXPECT_EQ(charts[0]["markers"][0]["x"], 2.751022);
  EXPECT_EQ(charts[0]["markers"][1]["name"], "worst case 4.086");
}

TEST(Page, HistogramCountsWhoHasSpentAllOfThePromiseBelowIt) {
  for (const double promise : {2.751022, 0.1 + 0.2, 1.1 * 1.1, 1e-18, 5e-324}) {
    Results results = example_run({.people = 50});
    results.epsilon = results.budget = exactly(promise);
    results.individual->epsilons.assign(50, exactly(promise));
    results.individual->quantiles = quantiles_of(results.individual->epsilons);
    const auto chart = charts_of(page_of("private", results))[0];
    double below = 0;
    for (std::size_t i = 0; i < chart["series"][0]["heights"].size(); ++i) {
      if (chart["edges"][i + 1].get<double>() <= promise)
        below += chart["series"][0]["heights"][i].get<double>();
    }
    if (promise > 1e-300) {
      EXPECT_EQ(below, 50) << promise;
    }
    EXPECT_LE(chart["edges"].size(), 300u) << promise;
  }
}

TEST(Page, HistogramOfATinyPromiseStaysSmall) {
  Results results = example_run();
  results.epsilon = exactly(1e-18);
  results.individual->guarantee.certified = false;  // approximations may be above it
  const auto chart = charts_of(page_of("private", results))[0];
  EXPECT_LE(chart["edges"].size(), 300u);
  double people = 0;
  for (const double height : chart["series"][0]["heights"]) people += height;
  EXPECT_EQ(people, 3000);
}

// In forms in which a page might show it.
void expect_absent(const std::string& page, double value) {
  for (const char* form : {"%.17g", "%.9g", "%.6g"}) {
    char text[40];
    std::snprintf(text, sizeof text, form, value);
    // What is shorter than that occurs by chance.
    if (std::strlen(text) < 8) continue;
    EXPECT_FALSE(has(page, text)) << text;
  }
}

TEST(Page, ForThePublicHoldsNothingPrivate) {
  const Results results = example_run();
  const std::string page = page_of("public", results, {.for_the_public = true});
  EXPECT_TRUE(has(page, "This page may be shown."));
  for (const std::string id : {"people", "group-epsilons", "active", "person"}) {
    EXPECT_FALSE(has(page, "chart-" + id)) << id;
  }
  for (std::size_t i = 0; i < 200; ++i) expect_absent(page, results.individual->epsilons[i].upper);
  for (const Bound& quantile : results.individual->quantiles) {
    if (quantile.upper < 2.7) expect_absent(page, quantile.upper);
  }
  for (const ResultsMoment& at : results.moments) {
    expect_absent(page, at.train_loss[1]);
    expect_absent(page, at.mean_epsilon[2]);
  }
  EXPECT_FALSE(has(page, "train\""));
  EXPECT_FALSE(has(page, "left out of"));
}

TEST(Page, ForThePublicLeavesSmallGroupsOut) {
  Results results = example_run();
  results.groups[0] = "only one was trained on";
  results.test_people["heart attack"] = 9;
  const std::string shown = page_of("public", results, {.for_the_public = true});
  EXPECT_FALSE(has(shown, "only one was trained on"));
  EXPECT_FALSE(has(shown, "heart attack"));
  EXPECT_TRUE(has(shown, "pneumonia"));
  EXPECT_TRUE(has(shown, "Groups with fewer than 10 test people are left out."));
  EXPECT_TRUE(has(page_of("private", results), "heart attack"));
  results.test_people.clear();
  EXPECT_FALSE(has(page_of("public", results, {.for_the_public = true}), "id=\"groups\""));
}

TEST(Page, ForThePublicSaysWhatIsNotCovered) {
  Results results = example_run();
  const std::string run = page_of("public", results, {.for_the_public = true});
  EXPECT_TRUE(has(run, "Losses and scores of test people are shown as they are"));
  results.kind = Results::Kind::account;
  const std::string account = page_of("public", results, {.for_the_public = true});
  EXPECT_TRUE(has(account, "The number of people is taken to be public."));
  EXPECT_FALSE(has(account, "test people are shown as they are"));
}

TEST(Page, ForThePublicIsTheSameWhateverIsPrivate) {
  const Results results = example_run();
  Results less = results;
  less.individual.reset();
  for (ResultsMoment& at : less.moments) {
    at.train_loss.clear();
    at.mean_epsilon.clear();
    at.active.clear();
  }
  EXPECT_EQ(page_of("public", results, {.for_the_public = true}),
            page_of("public", less, {.for_the_public = true}));
}

TEST(Page, ForThePublicDoesNotSayWhoWasFollowed) {
  Results results = example_run();
  results.settings = "[run]\nepochs = 20\nfollow = [ 3141,\n    2718 ]\n";
  results.shown_settings = "[run]\nepochs = 20\n";
  const std::string shown = page_of("public", results, {.for_the_public = true});
  EXPECT_FALSE(has(shown, "follow = ["));
  EXPECT_FALSE(has(shown, "3141"));
  EXPECT_FALSE(has(shown, "2718 ]"));
  EXPECT_TRUE(has(shown, "epochs = 20\n"));
  EXPECT_TRUE(has(page_of("private", results, {}), "follow = [ 3141,"));
}

TEST(Page, WhatUsersWroteCannotBecomeMarkup) {
  Results results = example_run();
  const std::string hostile = "</script><script>alert(1)</script><!--\" ' {{program}} \u2028\xff";
  results.groups[0] = hostile;
  results.data = hostile + "<img src=x onerror=alert(1)>";
  results.settings = hostile;
  results.score_name = hostile;
  results.guarantee->theorem = hostile;
  results.individual->method = hostile;
  const std::string page = page_of("hostile", results, {.person = 7});
  EXPECT_EQ(count(page, "</script>"), 3u);
  EXPECT_EQ(count(page, "<script"), 3u);
  EXPECT_FALSE(has(page, "<!--"));
  EXPECT_FALSE(has(page, "<img"));
  EXPECT_FALSE(has(page, "\xff"));
  EXPECT_EQ(charts_of(page)[1]["categories"][0],
            "</script><script>alert(1)</script><!--\" ' "
            "{{program}} \u2028\uFFFD");
}

TEST(Page, FetchesNothing) {
  const std::string page = page_of("private", example_run());
  EXPECT_TRUE(has(page, "default-src 'none'"));
  EXPECT_EQ(count(page, "src="), 0u);
  EXPECT_FALSE(has(page, "<link"));
  EXPECT_FALSE(has(page, "url("));
  EXPECT_FALSE(has(page, "@import"));
  EXPECT_TRUE(has(page, "Released under the MIT License"));
}

TEST(Page, OfOnePersonSaysHowToFollowThem) {
  Results results = example_run();
  const std::string run = page_of("person", results, {.person = 8});
  EXPECT_TRUE(has(run, "<code>follow = [8]</code>"));
  results.kind = Results::Kind::account;
  EXPECT_TRUE(has(page_of("person", results, {.person = 8}), "<code>--follow 8</code>"));
  EXPECT_TRUE(has(run, "Person 8 has spent at most"));
}

TEST(Page, RefusesAPersonWhoIsNotThereOrNotToBeShown) {
  const Results results = example_run();
  EXPECT_THROW(report_page(results, {.person = 3000}), Error);
  EXPECT_THROW(report_page(results, {.for_the_public = true, .person = 0}), Error);
  Results less = results;
  less.individual.reset();
  EXPECT_THROW(report_page(less, {.person = 0}), Error);
}

TEST(Page, OfATestRunAndOfOneWithoutPrivacySaysSo) {
  Results results = example_run();
  results.test_run = true;
  EXPECT_TRUE(has(page_of("test-run", results), "Test run: nothing here is private."));
  results.test_run = false;
  results.individual.reset();
  results.epsilon.reset();
  results.delta.reset();
  results.guarantee.reset();
  results.worst_case.reset();
  results.budget.reset();
  const std::string page = page_of("without-privacy", results);
  EXPECT_TRUE(has(page, "This run was made without privacy"));
  EXPECT_FALSE(has(page, "id=\"attacks\""));
  EXPECT_THROW(report_page(results, {.for_the_public = true}), Error);
}

TEST(Page, OfAMillionPeopleAndTenThousandGroupsIsSmall) {
  const Results results = example_run({.people = 1000000, .groups = 10000, .moments = 3});
  const std::string page = page_of("million", results, {.person = 7});
  EXPECT_LT(page.size(), 2000000u);
  const auto charts = charts_of(page);
  EXPECT_EQ(charts[1]["categories"].size(), 40u);
}

TEST(Page, OfThousandsOfEpochsShowsSomeOfThemTheFirstAndTheLastIncluded) {
  const std::string page =
      page_of("long", example_run({.people = 300, .groups = 4, .moments = 3000}));
  const auto x = charts_of(page)[4]["series"][0]["x"];
  EXPECT_EQ(x.size(), 500u);
  EXPECT_EQ(x.front(), 1);
  EXPECT_EQ(x.back(), 3000);
  EXPECT_LT(page.size(), 2000000u);
}

TEST(Page, OfPeopleWithoutGroupsOrTimesHasWhatThereIs) {
  Results results = example_run({.groups = 0, .moments = 0});
  results.kind = Results::Kind::account;
  const std::string page = page_of("account", results);
  EXPECT_EQ(chart_ids(page), std::vector<std::string>{"chart-people"});
  EXPECT_FALSE(has(page, "id=\"groups\""));
}

}  // namespace
}  // namespace ration
