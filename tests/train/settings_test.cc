#include "ration/train/settings.h"

#include <gtest/gtest.h>

#include "ration/train/training_plan.h"
#include "tests/refusal.h"

namespace ration::train {
namespace {

constexpr const char* kSettings = R"(
[data]
source = "cohort"
people = 100
[model]
hidden = [64, 32]
activation = "tanh"
[optimiser]
kind = "sgd"
rate = 0.1
momentum = 0.9
[privacy]
mode = "sgd"
noise = 2
clip = 1.5
delta = 1e-6
rate = 0.01
norms = "held"
refresh = 50
[filter]
kind = "rdp"
epsilon = 1
[run]
epochs = 3
)";

Settings with(std::vector<std::string> overrides) {
  return parse_settings(kSettings, "test", overrides);
}

TEST(Settings, AreWhatTheFileSays) {
  const Settings s = with({});
  EXPECT_EQ(std::get<CohortSource>(s.data.source).people, 100u);
  EXPECT_EQ(s.hidden, (std::vector<std::size_t>{64, 32}));
  EXPECT_EQ(s.activation, Activation::tanh);
  EXPECT_EQ(std::get<SgdRule>(s.optimiser), (SgdRule{.rate = 0.1, .momentum = 0.9}));
  ASSERT_TRUE(s.plan);
  EXPECT_EQ(s.plan->step.noise, 2);
  EXPECT_EQ(s.plan->step.clip, 1.5);
  EXPECT_EQ(s.plan->step.rate, 0.01);
  EXPECT_EQ(s.plan->delta, 1e-6);
  EXPECT_EQ(s.plan->refresh, 50u);
  EXPECT_EQ(s.plan->steps(), 300u);
  EXPECT_EQ(s.plan->filter->currency->name(), "rdp");
  EXPECT_FALSE(s.test_seed);
  EXPECT_EQ(s.out, "run");
}

TEST(Settings, OverridesTakeTheirPlaceWhateverTheirType) {
  const Settings s = with({"model.hidden=[7]", "model.activation=relu", "optimiser.rate=1e-2",
                           "filter.epsilon=2.5", "data.seed=9", "run.out=\xc3\xbc b"});
  EXPECT_EQ(s.hidden, std::vector<std::size_t>{7});
  EXPECT_EQ(s.activation, Activation::relu);
  EXPECT_EQ(std::get<SgdRule>(s.optimiser).rate, 0.01);
  EXPECT_EQ(std::get<CohortSource>(s.data.source).seed, 9u);
  EXPECT_EQ(s.out, "\xc3\xbc b");
}

TEST(Settings, NamesMayHaveAnyCharactersInDoubleQuotes) {
  std::string text = kSettings;
  text += "out = \"l\xc3\xa4ufe \\\"\xe2\x82\xac\\\\\xf0\x9f\x8e\xb2\"  # \xc3\xbc\xff\n";
  EXPECT_EQ(parse_settings(text, "t").out, "l\xc3\xa4ufe \"\xe2\x82\xac\\\xf0\x9f\x8e\xb2");
  EXPECT_EQ(parse_settings(kSettings + std::string("out = \"a\\\\\" # \xc3\xbc\n"), "t").out,
            "a\\");
}

TEST(Settings, TheTextOfEqualSettingsIsEqualAndReadsBackEqual) {
  const Settings a = with({"run.epochs=5", "run.out=x"}), b = with({"run.out=y", "run.epochs=5"});
  EXPECT_EQ(a.text, b.text);
  EXPECT_NE(a.text, with({}).text);
  EXPECT_EQ(parse_settings(a.text, "again").text, a.text);
}

// The noise that is found is never too little, whatever the filter does.
TEST(Settings, AnEpsilonIsTurnedIntoTheLeastNoiseThatKeepsIt) {
  std::string text = kSettings;
  text.replace(text.find("noise = 2"), 9, "epsilon = 2");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"filter.epsilon=2"}, {"filter.epsilon=5"}}) {
    const Settings s = parse_settings(text, "test", more);
    const Promise promise = promise_of(*s.plan, s.plan->steps());
    EXPECT_LE(promise.epsilon.upper, 2);
    EXPECT_GT(promise.worst_case.upper, 2 - 1e-6);
  }
}

TEST(Settings, AFilterFollowsFromItsBudgetAndTheMode) {
  const std::string text = kSettings;
  const std::string without = text.substr(0, text.find("[filter]")) + "[run]\nepochs = 3\n";
  EXPECT_FALSE(parse_settings(without, "t").plan->filter);
  const std::vector<std::string> after = {"filter.after_epochs=2"};
  EXPECT_EQ(parse_settings(without, "t", after).plan->filter->currency->name(), "rdp");
  const std::vector<std::string> none = {"filter.after_epochs=2", "filter.kind=none"};
  EXPECT_FALSE(parse_settings(without, "t", none).plan->filter);
}

TEST(Settings, NormsMayBeLeftToTheClipBoundIfThereIsNoFilter) {
  std::string text = kSettings;
  text.replace(text.find("norms = \"held\"\nrefresh = 50"), 27, "norms = \"clip\"");
  EXPECT_TRUE(refusal([&] { parse_settings(text, "t"); }).starts_with("filter has no norms"));
  text.replace(text.find("kind = \"rdp\""), 12, "kind = \"none\"");
  EXPECT_EQ(parse_settings(text, "t").plan->refresh, std::nullopt);
}

TEST(Settings, WhatIsWrongIsRefusedByName) {
  const auto refused = [](std::vector<std::string> overrides) {
    return refusal([&] { with(std::move(overrides)); });
  };
  EXPECT_EQ(refused({"model.activation=sine"}), "model.activation is 'sine': give relu or tanh");
  EXPECT_EQ(refused({"optimiser.kind=lion"}), "optimiser.kind is 'lion': give adam or sgd");
  EXPECT_EQ(refused({"optimiser.kind=adam"}),
            "optimiser.momentum belongs to kind sgd: leave it out");
  EXPECT_EQ(refused({"privacy.norms=exact"}),
            "privacy.refresh belongs to norms held: leave it out");
  EXPECT_EQ(refused({"privacy.norms=clip"}), refused({"privacy.norms=exact"}));
  EXPECT_EQ(refused({"privacy.norms=guessed"}),
            "privacy.norms is 'guessed': give exact, held or clip");
  EXPECT_EQ(refused({"privacy.refresh=0"}), "refresh is 0: give a whole number of steps from 1");
  EXPECT_EQ(refused({"privacy.refresh=1.5"}),
            "test: privacy.refresh is of another kind: give a whole number that is not negative");
  EXPECT_EQ(refused({"data.source=web"}), "data.source is 'web': give idx, npy, csv or cohort");
  EXPECT_EQ(refused({"filter.kind=gdp"}).substr(0, 13), "rate is 0.01:");
  EXPECT_EQ(
      refused({"data.peple=3"}),
      "test has data.peple, which is no setting here: give mean, people, scale, seed, source, "
      "split_seed, test_fraction, test_people");
  EXPECT_EQ(refusal([] { parse_settings("\n\xef\xbb\xb8 = 3\n", "t"); }),
            "t, line 2: a character that is not ASCII stands outside double quotes");
  EXPECT_EQ(refusal([] { parse_settings("epochs = 3\n", "t"); }),
            "t: epochs stands outside any section: put it below a line such as [run]");
  EXPECT_EQ(refusal([] { parse_settings("[data]\n", "t"); }),
            "data.source is missing: give idx, npy, csv or cohort");
}

}  // namespace
}  // namespace ration::train
