#include "ration/report/page.h"

#include <gtest/gtest.h>

#include "ration/base/error.h"
#include "tests/report/example_page.h"

namespace ration::report {
namespace {

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
    EXPECT_FALSE(has(page, "ε lies in"));
    EXPECT_FALSE(has(page, "ε at most"));
    EXPECT_FALSE(has(page, "by their own account"));
    EXPECT_TRUE(has(page, "Worst case, approximated"));
  }
  const std::string page = page_of("approximation", results, {.person = 8});
  EXPECT_EQ(charts_of(page)[0]["markers"][0]["name"], "worst case, approximated 4.086");
  EXPECT_TRUE(has(page, "Person 8 has spent about"));
  EXPECT_FALSE(has(page, "that everybody is promised"));
}

TEST(Page, SaysForWhichStepsPeoplesOwnValuesHold) {
  Results results = example_run();
  EXPECT_TRUE(has(page_of("fixed", results), "for that these values are no guarantee"));
  results.kind = Results::Kind::account;
  EXPECT_TRUE(has(page_of("fixed", results), "If they followed from what was released before"));
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
  const std::string seeded = page_of("test-run", results, {.person = 7});
  EXPECT_TRUE(has(seeded, "Test run, without any guarantee: do not publish this page."));
  EXPECT_TRUE(has(seeded, "None. This is a test run"));
  EXPECT_FALSE(has(seeded, "times in 100"));
  EXPECT_FALSE(has(seeded, "id=\"attacks\""));
  EXPECT_FALSE(has(seeded, "-differential privacy</dd>"));
  for (const char* text : {"that everybody is promised", "promised to everybody", "Of the promise",
                           "<dt>Promise</dt><dd><span", "<dt>Certified</dt>"}) {
    EXPECT_FALSE(has(seeded, text)) << text;
  }
  EXPECT_THROW(report_page(results, {.for_the_public = true}), Error);
  results.test_run = false;
  results.individual.reset();
  results.epsilon.reset();
  results.delta.reset();
  results.guarantee.reset();
  results.worst_case.reset();
  results.budget.reset();
  const std::string page = page_of("without-privacy", results);
  EXPECT_TRUE(has(page, "This run was made without privacy"));
  EXPECT_TRUE(has(page, "What it shows may give away anything about the people"));
  EXPECT_FALSE(has(page, "their epsilons"));
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
  Results followed = example_run({.people = 300, .groups = 0, .moments = 3000});
  auto& points = followed.individual->followed[0].points;
  while (points.size() < 3000) {
    points.push_back({.steps = points.size() + 1, .epsilon = exactly(1), .admitted = 1});
  }
  const auto person = charts_of(page_of("long", followed, {.person = 7})).back();
  EXPECT_EQ(person["id"], "chart-person");
  for (const auto& line : person["series"]) {
    EXPECT_EQ(line["x"].size(), 500u);
    EXPECT_EQ(line["x"].back(), 3000);
  }
}

TEST(Page, OfPeopleWithoutGroupsOrTimesHasWhatThereIs) {
  Results results = example_run({.groups = 0, .moments = 0});
  results.kind = Results::Kind::account;
  const std::string page = page_of("account", results);
  EXPECT_EQ(chart_ids(page), std::vector<std::string>{"chart-people"});
  EXPECT_FALSE(has(page, "id=\"groups\""));
}

}  // namespace
}  // namespace ration::report
