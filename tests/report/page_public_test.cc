// What a page for the public may hold, and what not.
#include "ration/report/page.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "tests/report/example_page.h"

namespace ration::report {
namespace {

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
  for (const std::string id : {"people", "group-epsilons", "epsilon-loss", "active", "person"}) {
    EXPECT_FALSE(has(page, "chart-" + id)) << id;
  }
  // What follows from the promise alone may be seen.
  for (const std::string id : {"trade-off", "deltas"}) {
    EXPECT_TRUE(has(page, "\"chart-" + id + "\"")) << id;
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

// It counts labels of people, without a model or noise before them.
TEST(Page, ForThePublicHoldsNoMajority) {
  Results results = example_run();
  results.score_name = "accuracy";
  results.test = Results::Test{.loss = 0.3, .score = 0.8, .majority = 0.618033988};
  EXPECT_TRUE(has(page_of("private", results), "0.618033988"));
  const std::string page = page_of("public", results, {.for_the_public = true});
  EXPECT_FALSE(has(page, "0.61803"));
  EXPECT_FALSE(has(page, "most frequent label"));
}

TEST(Page, ForThePublicLeavesSmallGroupsOut) {
  Results results = example_run();
  results.groups[0] = "only one was trained on";
  results.test_people["heart attack"] = 9;
  results.test_people["other"] = 1;
  const std::string shown = page_of("public", results, {.for_the_public = true});
  EXPECT_FALSE(has(shown, "only one was trained on"));
  EXPECT_FALSE(has(shown, "heart attack"));
  EXPECT_TRUE(has(shown, "pneumonia"));
  EXPECT_TRUE(has(shown, "Groups with fewer than 10 test people are left out, and others"));
  EXPECT_TRUE(has(page_of("private", results), "heart attack"));
  results.test_people.clear();
  EXPECT_FALSE(has(page_of("public", results, {.for_the_public = true}), "id=\"groups\""));
}

// What everybody is less what the shown ones are.
TEST(Page, ForThePublicLeavesNoFewPeopleToBeWorkedOut) {
  Results results = example_run({.groups = 4});
  results.groups = {"ward A", "ward B", "ward C", "ward D"};
  for (const std::string& label : results.groups) results.test_people[label] = 30;
  results.test_people[results.groups[1]] = 12;
  results.test_people[results.groups[3]] = 2;
  const std::string shown = page_of("public", results, {.for_the_public = true});
  EXPECT_TRUE(has(shown, results.groups[0]));
  EXPECT_FALSE(has(shown, results.groups[1]));
  EXPECT_TRUE(has(shown, results.groups[2]));
  EXPECT_FALSE(has(shown, results.groups[3]));
  results.test_people[results.groups[3]] = 0;
  EXPECT_TRUE(has(page_of("public", results, {.for_the_public = true}), results.groups[1]));
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
  Results results = example_run();
  results.score_name = "accuracy";
  results.test = Results::Test{.loss = 0.3, .score = 0.8, .majority = 0.618033988};
  Results less = results;
  less.individual.reset();
  less.test->majority.reset();
  for (ResultsMoment& at : less.moments) {
    at.train_loss.clear();
    at.mean_epsilon.clear();
    at.active.clear();
  }
  EXPECT_EQ(page_of("public", results, {.for_the_public = true}),
            page_of("public", less, {.for_the_public = true}));
}

// The checksum of the data confirms a guess of them.
TEST(Page, ForThePublicHasTheModelsChecksumAndNotThatOfTheData) {
  Results results = example_run();
  results.made = {
      .version = "9.8.7", .started = "2025-06-01T12:00:00Z", .model = "a1b2c3", .data = "d4e5f6"};
  results.warnings = {"delta is <large>"};
  results.individual->warnings = {"the filter left many out"};
  const std::string shown = page_of("public", results, {.for_the_public = true});
  EXPECT_TRUE(has(shown, "a1b2c3"));
  EXPECT_TRUE(has(shown, "9.8.7"));
  EXPECT_FALSE(has(shown, "d4e5f6"));
  EXPECT_FALSE(has(shown, "the filter left many out"));
  const std::string own = page_of("private", results, {});
  EXPECT_TRUE(has(own, "a1b2c3"));
  EXPECT_TRUE(has(own, "d4e5f6"));
  EXPECT_TRUE(has(own, "delta is &lt;large&gt;"));
  EXPECT_TRUE(has(own, "the filter left many out"));
}

TEST(Page, ForThePublicDoesNotSayWhoWasFollowed) {
  Results results = example_run();
  results.settings = "[run]\nepochs = 20\nfollow = [ 31415926,\n    2718 ]\n";
  results.shown_settings = "[run]\nepochs = 20\n";
  const std::string shown = page_of("public", results, {.for_the_public = true});
  EXPECT_FALSE(has(shown, "follow = ["));
  EXPECT_FALSE(has(shown, "31415926"));
  EXPECT_FALSE(has(shown, "2718 ]"));
  EXPECT_TRUE(has(shown, "epochs = 20\n"));
  EXPECT_TRUE(has(page_of("private", results, {}), "follow = [ 31415926,"));
}

}  // namespace
}  // namespace ration::report
