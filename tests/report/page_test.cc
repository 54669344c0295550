#include "ration/report/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "ration/base/error.h"
#include "ration/report/attack.h"
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
  EXPECT_EQ(chart_of(page, "chart-people")["markers"][0]["name"], "worst case, approximated 4.086");
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
  const std::vector<std::string> ids = {
      "chart-trade-off",    "chart-deltas",       "chart-people",       "chart-group-epsilons",
      "chart-group-losses", "chart-epsilon-loss", "chart-group-scores", "chart-epsilon-over-time",
      "chart-active",       "chart-loss",         "chart-score",        "chart-person"};
  EXPECT_EQ(chart_ids(page), ids);
  EXPECT_EQ(count(page, "<canvas role=\"img\" aria-label=\""), ids.size());
  EXPECT_EQ(count(page, "<details class=\"values\">"), ids.size());
  EXPECT_EQ(count(page, "<table><caption>"), count(page, "<table>"));
}

TEST(Page, SaysWhichChartsShowBounds) {
  const auto charts = charts_of(page_of("private", example_run(), {.person = 7}));
  for (const auto& chart : charts) {
    const std::string id = chart["id"];
    const bool measured = id == "chart-people" || id == "chart-active" || id == "chart-loss" ||
                          id == "chart-score" || id == "chart-group-losses" ||
                          id == "chart-group-scores";
    EXPECT_EQ(chart["bounds"], !measured) << id;
  }
}

TEST(Page, HistogramCountsEverybodyOnceAndMarksThePromise) {
  const Results results = example_run();
  const auto chart = chart_of(page_of("private", results), "chart-people");
  double people = 0;
  for (const double height : chart["series"][0]["heights"]) people += height;
  EXPECT_EQ(people, 3000);
  EXPECT_EQ(chart["markers"][0]["x"], 2.751022);
  EXPECT_EQ(chart["markers"][1]["name"], "worst case 4.086");
}

TEST(Page, HistogramCountsWhoHasSpentAllOfThePromiseBelowIt) {
  for (const double promise : {2.751022, 0.1 + 0.2, 1.1 * 1.1, 1e-18, 5e-324}) {
    Results results = example_run({.people = 50});
    results.epsilon = results.budget = exactly(promise);
    results.individual->epsilons.assign(50, exactly(promise));
    results.individual->quantiles = quantiles_of(results.individual->epsilons);
    const auto chart = chart_of(page_of("private", results), "chart-people");
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
  const auto chart = chart_of(page_of("private", results), "chart-people");
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
  const std::string page =
      page_of("hostile", results,
              {.person = 7, .title = hostile, .purpose = hostile, .controller = hostile + "<img>"});
  EXPECT_EQ(count(page, "</script>"), 3u);
  EXPECT_EQ(count(page, "<script"), 3u);
  EXPECT_FALSE(has(page, "<!--"));
  EXPECT_FALSE(has(page, "<img"));
  EXPECT_FALSE(has(page, "\xff"));
  EXPECT_EQ(chart_of(page, "chart-group-epsilons")["categories"][0],
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
  EXPECT_EQ(chart_of(page, "chart-group-epsilons")["categories"].size(), 40u);
}

TEST(Page, OfThousandsOfEpochsShowsSomeOfThemTheFirstAndTheLastIncluded) {
  const std::string page =
      page_of("long", example_run({.people = 300, .groups = 4, .moments = 3000}));
  const auto x = chart_of(page, "chart-epsilon-over-time")["series"][0]["x"];
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
  EXPECT_EQ(chart_ids(page),
            (std::vector<std::string>{"chart-trade-off", "chart-deltas", "chart-people"}));
  EXPECT_FALSE(has(page, "id=\"groups\""));
}

TEST(Page, SaysWhatItIsCalledWhatForAndWhoAnswers) {
  const std::string named =
      page_of("named", example_run(), {.title = "Ward 7", .purpose = "Triage", .controller = "H"});
  EXPECT_TRUE(has(named, "<h1>Ward 7</h1>"));
  EXPECT_TRUE(has(named, "<dt>Purpose</dt><dd>Triage</dd>"));
  EXPECT_TRUE(has(named, "<dt>Controller</dt><dd>H</dd>"));
  const std::string plain = page_of("private", example_run());
  EXPECT_TRUE(has(plain, "<h1>Privacy report</h1>"));
  EXPECT_FALSE(has(plain, "<dt>Purpose</dt>"));
  EXPECT_FALSE(has(plain, "<dt>Controller</dt>"));
}

TEST(Page, SaysWhatTheWorstCaseIsBesideThePromise) {
  Results results = example_run();
  EXPECT_TRUE(has(page_of("private", results),
                  "The promise is what holds for everybody. The worst case is what the same steps "
                  "would cost somebody who always contributes as much as the clip bound allows"));
  results.budget.reset();
  results.epsilon = results.worst_case;
  EXPECT_TRUE(has(page_of("private", results), "Here it is the worst case: what the steps cost"));
}

// Every group, in whatever chart: lines, bars and points.
std::map<std::string, std::set<int>> colours_on(const std::string& page) {
  std::map<std::string, std::set<int>> colours;
  for (const auto& chart : charts_of(page)) {
    if (chart["kind"] == "lines") {
      for (const auto& line : chart["series"])
        colours[line["name"]].insert(line["colour"].get<int>());
    } else if (chart["kind"] == "bars") {
      EXPECT_EQ(chart["colours"].size(), chart["categories"].size());
      for (std::size_t i = 0; i < chart["categories"].size(); ++i) {
        colours[chart["categories"][i]].insert(chart["colours"][i].get<int>());
      }
    } else if (chart["kind"] == "points") {
      for (const auto& point : chart["points"]) {
        colours[point["name"]].insert(point["colour"].get<int>());
      }
    }
  }
  return colours;
}

TEST(Page, GivesAGroupOneColourInAllCharts) {
  for (const std::size_t groups : {2u, 4u, 5u, 9u, 30u}) {
    Results results = example_run({.groups = groups, .moments = 10});
    for (const bool for_the_public : {false, true}) {
      const auto colours =
          colours_on(page_of("colours", results, {.for_the_public = for_the_public}));
      std::set<int> of_groups;
      for (const std::string& group : results.groups) {
        ASSERT_EQ(colours.at(group).size(), 1u) << group;
        of_groups.insert(*colours.at(group).begin());
      }
      // Up to six of them differ, and none is everybody's or the promise's.
      EXPECT_EQ(of_groups.size(), std::min<std::size_t>(groups, 6));
      EXPECT_FALSE(of_groups.contains(*colours.at("everybody").begin()));
      EXPECT_FALSE(of_groups.contains(*colours.at("promise").begin()));
      EXPECT_EQ(colours.at("everybody").size(), 1u);
    }
  }
}

TEST(Page, DrawsTheTradeOffOfTheBestAttack) {
  Results results = example_run();
  for (const bool gaussian : {true, false}) {
    results.gaussian = gaussian;
    const std::string page = page_of("attack", results);
    const auto chart = chart_of(page, "chart-trade-off");
    const auto& best = chart["series"][0];
    EXPECT_EQ(best["name"], gaussian ? "best attack, by Gaussian DP" : "best attack, by ε and δ");
    EXPECT_EQ(
        has(page, "the line, which is the curve of Gaussian differential privacy with μ 0.6662"),
        gaussian);
    EXPECT_EQ(has(page, "the line, which follows from the promise of ε 2.752 and δ 1e-05 alone"),
              !gaussian);
    const Attacked what = {.epsilon = 2.751022, .delta = 1e-5, .gaussian = gaussian};
    for (std::size_t i = 0; i < best["x"].size(); ++i) {
      const double x = best["x"][i], y = best["y"][i];
      if (x <= 0 || x >= 100) continue;
      EXPECT_GE(y, 100 * most_true_positives(what, x / 100) * (1 - 1e-12)) << x;
      EXPECT_LE(y, 100 * most_true_positives(what, x / 100) * (1 + 1e-12)) << x;
    }
    EXPECT_EQ(best["x"].back(), 100);
    EXPECT_EQ(chart["series"][1]["name"], "guessing");
    EXPECT_EQ(chart["series"][1]["dashed"], true);
  }
}

TEST(Page, DrawsDeltaOverEpsilonWithThePromiseOnIt) {
  Results results = example_run();
  for (const bool gaussian : {true, false}) {
    results.gaussian = gaussian;
    const auto chart = chart_of(page_of("attack", results), "chart-deltas");
    const Attacked what = {.epsilon = 2.751022, .delta = 1e-5, .gaussian = gaussian};
    const auto& line = chart["series"][0];
    for (std::size_t i = 0; i < line["x"].size(); ++i) {
      EXPECT_EQ(line["y"][i], most_delta(what, line["x"][i].get<double>()));
      if (i > 0) {
        EXPECT_LE(line["y"][i], line["y"][i - 1]);
      }
    }
    EXPECT_EQ(chart["markers"][0]["x"], 2.751022);
  }
}

TEST(Page, ShowsEpsilonAgainstLossOfEachGroup) {
  const Results results = example_run();
  const auto chart = chart_of(page_of("private", results), "chart-epsilon-loss");
  ASSERT_EQ(chart["points"].size(), 4u);
  for (std::size_t g = 0; g < 4; ++g) {
    EXPECT_EQ(chart["points"][g]["name"], results.groups[g]);
    EXPECT_EQ(chart["points"][g]["x"], results.moments.back().mean_epsilon[1 + g]);
    EXPECT_EQ(chart["points"][g]["y"], results.moments.back().train_loss[1 + g]);
  }
}

TEST(Page, SaysWhatItTakesNoModelToReach) {
  Results results = example_run();
  const auto last_line = [&](const std::string& page) {
    return chart_of(page, "chart-score")["series"].back();
  };
  EXPECT_EQ(last_line(page_of("auc", results))["name"], "guessing");
  EXPECT_EQ(last_line(page_of("auc", results))["y"][0], 0.5);
  results.score_name = "accuracy";
  EXPECT_EQ(last_line(page_of("old", results))["name"], "other");  // of a group: nothing is known
  results.test = Results::Test{.loss = 0.3, .score = 0.8, .majority = 0.625};
  const std::string page = page_of("majority", results);
  EXPECT_EQ(last_line(page)["name"], "always the most frequent label");
  EXPECT_EQ(last_line(page)["y"][0], 0.625);
  EXPECT_TRUE(has(page, "Naming always the most frequent label gives 0.625."));
}

TEST(Page, ChartsWriteGreekLetters) {
  for (const auto& chart : charts_of(page_of("private", example_run(), {.person = 7}))) {
    for (const char* axis : {"x", "y"}) {
      const std::string title = chart[axis]["title"];
      EXPECT_EQ(title.find("epsilon"), std::string::npos) << title;
      EXPECT_EQ(title.find("delta"), std::string::npos) << title;
    }
  }
}

}  // namespace
}  // namespace ration::report
