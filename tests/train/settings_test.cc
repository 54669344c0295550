#include "ration/train/settings.h"

#include <gtest/gtest.h>

#include <algorithm>

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

TEST(Settings, TheTextHoldsTheNoiseThatWasFoundAndEveryDefault) {
  const Settings s = parse_settings(
      "[data]\nsource = \"cohort\"\n[optimiser]\nrate = 0.01\n[privacy]\nmode = \"gd\"\n"
      "epsilon = 2.0\ndelta = 1e-5\nclip = 1\n[run]\nepochs = 100\nfollow = [3, 4]\n",
      "t");
  const std::string in_force =
      "[data]\npeople = 29250\nseed = 1\nsource = \"cohort\"\ntest_people = 6281\n\n"
      "[filter]\nkind = \"none\"\n\n[model]\nactivation = \"relu\"\nhidden = []\n\n"
      "[optimiser]\nkind = \"adam\"\nrate = 0.01\nweight_decay = 0\n\n"
      "[privacy]\nclip = 1\ndelta = 1e-05\nmode = \"gd\"\nnoise = ";
  ASSERT_EQ(s.text.substr(0, in_force.size()), in_force);
  EXPECT_EQ(std::stod(s.text.substr(in_force.size())), s.plan->step.noise);
  EXPECT_NE(s.text.find("\nnorms = \"exact\"\nrate = 1\n\n[run]\ncheckpoint_seconds = 10\n"
                        "epochs = 100\nfollow = [3, 4]\n"),
            std::string::npos)
      << s.text;
  EXPECT_EQ(s.noise_for_epsilon, 2);
  const Settings again = parse_settings(s.text, "again");
  EXPECT_EQ(again.text, s.text);
  EXPECT_EQ(again.identity, s.identity);
  EXPECT_EQ(double{again.plan->step.noise}, double{s.plan->step.noise}) << "to the last bit";
  EXPECT_EQ(s.shown_text.find("follow"), std::string::npos);
  EXPECT_EQ(s.identity.find("checkpoint_seconds"), std::string::npos);
  EXPECT_NE(s.json.find("noise"), std::string::npos);
}

TEST(Settings, TheTextOfAnyValueReadsBackEqual) {
  for (const std::string value :
       {"0.1", "1e-300", "5e-324", "123456789.25", "1e22", "-0.0", "inf", "7"}) {
    const Settings s = with({"data.mean=[1, " + value + "]"});
    const Settings again = parse_settings(s.text, "again");
    EXPECT_EQ(again.data.options.standardise->mean, s.data.options.standardise->mean) << value;
  }
  for (const std::string& name : {std::string("a\"b\\c"), std::string("l\xc3\xa4ufe"),
                                  std::string("tab\there"), std::string("'")}) {
    std::string escaped;
    for (const char c : name) {
      escaped += c == '"' || c == '\\' ? std::string{'\\', c}
                 : c == '\t'           ? "\\t"
                                       : std::string(1, c);
    }
    std::string text = kSettings;
    text.replace(text.find("source = \"cohort\"\npeople = 100"), 30,
                 "source = \"csv\"\ntrain = \"" + escaped + "\"\nlabels = [\"y\"]");
    const Settings s = parse_settings(text, "t");
    EXPECT_EQ(std::get<CsvSource>(s.data.source).train, name);
    EXPECT_EQ(std::get<CsvSource>(parse_settings(s.text, "again").data.source).train, name);
    EXPECT_EQ(parse_settings(s.text, "again").text, s.text);
  }
}

TEST(Settings, AnOverrideTakesThePlaceOfWhatTheFileSaysInOtherWords) {
  const Settings by_epsilon = with({"privacy.epsilon=1.5"});  // the file has a noise
  EXPECT_LE(promise_of(*by_epsilon.plan, by_epsilon.plan->steps()).worst_case.upper, 1.5);
  std::string text = kSettings;
  text.replace(text.find("noise = 2"), 9, "epsilon = 2");
  EXPECT_EQ(parse_settings(text, "t", std::vector<std::string>{"privacy.noise=3"}).plan->step.noise,
            3);
  // The file has filter.epsilon.
  EXPECT_TRUE(std::holds_alternative<MuBudget>(with({"filter.mu=1"}).plan->filter->budget));
  const Settings by_epochs = with({"filter.after_epochs=2"});
  EXPECT_TRUE(std::holds_alternative<StepsBudget>(by_epochs.plan->filter->budget));
  EXPECT_EQ(
      refusal([] {
        with({"privacy.noise=1", "privacy.epsilon=1"});
      }),
      "[privacy] needs either noise, or epsilon for which the noise is to be found: give one");
  EXPECT_EQ(refusal([] {
              with({"filter.mu=1", "filter.after_epochs=1"});
            }),
            "[filter] has several budgets: give one of epsilon, mu and after_epochs");
}

TEST(Settings, TheRecordOfARunIsReadAndLeftAside) {
  const RunRecord record = {.version = "0.1.0",
                            .started = "2025-06-01T12:00:00Z",
                            .people = 100,
                            .steps = 300,
                            .noise_for_epsilon = 2.5};
  const Settings s = with({});
  const Settings again = parse_settings(s.text + text_of(record), "again");
  EXPECT_EQ(again.record, record);
  EXPECT_EQ(again.text, s.text);
  EXPECT_EQ(again.identity, s.identity);
  EXPECT_EQ(refusal([&] { parse_settings(s.text + "[record]\nsteps = 3\n", "t"); }),
            "[record] lacks a part: give the section as a run wrote it, or leave it out");
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
  EXPECT_EQ(parse_settings(without, "t", after).plan->filter->currency->name(), "tight");
  EXPECT_EQ(parse_settings(without, "t", after, "rdp").plan->filter->currency->name(), "rdp");
  const std::vector<std::string> mu = {"filter.mu=1"};
  EXPECT_EQ(parse_settings(without, "t", mu).plan->filter->currency->name(), "rdp");
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

constexpr const char* kCsvSettings = R"(
[data]
source = "csv"
train = "people.csv"
labels = ["y"]
[data.categories]
ward = ["east", "west", ""]
"Gr\u00f6\u00dfe" = ["S", "L"]
[optimiser]
rate = 0.1
[privacy]
mode = "gd"
noise = 2
clip = 1.5
delta = 1e-6
[run]
epochs = 3
)";
Settings of_csv(std::vector<std::string> overrides) {
  return parse_settings(kCsvSettings, "test", overrides);
}

TEST(Settings, SayWhatStandsInTheColumnsOfACsvFile) {
  const auto columns = [](std::vector<std::string> overrides) {
    return std::get<CsvSource>(of_csv(std::move(overrides)).data.source).columns;
  };
  using Categories = std::map<std::string, std::vector<std::string>>;
  EXPECT_EQ(columns({}).categories, (Categories{{"ward", {"east", "west", ""}},
                                                {"Gr\xc3\xb6\xc3\x9f"
                                                 "e",
                                                 {"S", "L"}}}));
  EXPECT_EQ(columns({"data.categories.ward=[\"a\", \"b\"]"}).categories["ward"],
            (std::vector<std::string>{"a", "b"}));
  const auto scales =
      columns({"data.standardise={age = [40, 15.5]}", "data.standardise.b.c=[1, 2]"}).standardise;
  EXPECT_EQ(scales.size(), 2u);
  EXPECT_EQ(scales.at("age").mean, 40);
  EXPECT_EQ(scales.at("age").scale, 15.5);
  EXPECT_EQ(scales.at("b.c").scale, 2);
  EXPECT_EQ(columns({}).separator, std::nullopt);
  EXPECT_EQ(columns({"data.separator=;"}).separator, ';');
  EXPECT_EQ(columns({"data.separator=\"\\t\""}).separator, '\t');
  for (const char* ward : {"[\"\", \"a \\\"b\\\"\\n, c\"]", "[\"\u00f6\", \"'\"]"}) {
    const std::string text = of_csv({std::string("data.categories.ward=") + ward}).text;
    EXPECT_EQ(parse_settings(text, "again").text, text);
    EXPECT_EQ(std::get<CsvSource>(parse_settings(text, "again").data.source).columns.categories,
              columns({std::string("data.categories.ward=") + ward}).categories);
  }
  EXPECT_EQ(of_csv({"data.standardise={age = [40, 15]}"}).text,
            of_csv({"data.standardise.age=[40, 15]"}).text);
}

TEST(Settings, OfColumnsAreRefusedByName) {
  const auto refused = [](const char* override) { return refusal([&] { of_csv({override}); }); };
  EXPECT_EQ(refused("data.separator=x"), R"(data.separator is 'x': give ",", ";", "\t" or "|")");
  EXPECT_EQ(refused("data.categories.ward=a"),
            "command line: data.categories is of another kind: give a list of texts for each "
            "column, such "
            "as {ward = [\"east\", \"west\"]}");
  EXPECT_EQ(refused("data.standardise.age=[1]"),
            "command line: data.standardise is of another kind: give a list [mean, scale] for each "
            "column, "
            "such as {age = [50, 20], weight = [75, 15]}");
  EXPECT_EQ(refused("data.mean=3"),
            "data.mean and data.scale go by position: beside data.categories or data.standardise "
            "give all constants in data.standardise");
}

TEST(Settings, AnUnknownOneIsRefusedBeforeAllElseWithTheOneThatIsMostLikeIt) {
  const auto nearest = [](const std::string& path) {
    const std::string text = refusal([&] { with({path + "=3", "data.source=web"}); });
    const std::string start = "test: " + path + " is no setting: give ";
    const std::string end = ", or another that ration train --settings lists";
    EXPECT_TRUE(text.starts_with(start) && text.ends_with(end)) << text;
    return text.substr(start.size(), text.size() - start.size() - end.size());
  };
  EXPECT_EQ(nearest("data.peple"), "data.people");
  EXPECT_EQ(nearest("data.standardize"), "data.standardise");
  EXPECT_EQ(nearest("optimizer.rate"), "optimiser.rate");
  EXPECT_EQ(nearest("run.nosie"), "privacy.noise");
  EXPECT_EQ(nearest("run.clip"), "privacy.clip");
  EXPECT_EQ(nearest("filter.after_epoch"), "filter.after_epochs");
  EXPECT_EQ(refusal([] { with({"data.labels=[\"y\"]"}); }),
            "test has data.labels, which is no setting here but belongs to data.source csv: leave "
            "it out");
}

// Every setting of the list is read somewhere, and its example is of its type: nothing is
// documented that is not there. That nothing is there that is not documented, the compiler knows.
TEST(SettingList, EveryExampleIsReadSomewhere) {
  const std::string tail =
      "\n[optimiser]\nkind = \"sgd\"\nrate = 0.1\n[run]\nepochs = 3\n[privacy]\nclip = 1\n"
      "delta = 1e-6\nmode = ";
  const std::string gd = tail + "\"gd\"\n", sgd = tail + "\"sgd\"\nrate = 0.1\n";
  const std::string csv = "[data]\nsource = \"csv\"\nlabels = \"y\"\ntrain = \"t\"\n";
  const std::vector<std::string> bases = {
      csv + "[groups]\nby = \"column\"\ncolumn = \"g\"" + gd + "noise = 2\n",
      csv + "[groups]\nby = \"file\"\ntrain = \"g\"" + gd + "epsilon = 2\n",
      "[data]\nsource = \"npy\"\ntrain_features = \"x\"\ntrain_labels = \"y\"\n[groups]\n"
      "by = \"label\"" +
          gd + "noise = 2\n",
      "[data]\nsource = \"idx\"\ntrain_images = \"x\"\ntrain_labels = \"y\"\n"
      "test_fraction = 0.5\n" +
          gd + "noise = 2\n",
      "[data]\nsource = \"idx\"\ndirectory = \"/\"\n" + gd + "noise = 2\n",
      "[data]\nsource = \"cohort\"\n" + sgd + "noise = 2\nrefresh = 5\n",
      "[data]\nsource = \"cohort\"\n" + sgd +
          "noise = 2\nnorms = \"held\"\nrefresh = 5\n"
          "[filter]\nepsilon = 1\n"};
  for (const Setting& setting : kSettingList) {
    std::string refused;
    const bool read = std::any_of(bases.begin(), bases.end(), [&](const std::string& base) {
      const std::vector<std::string> example = {std::string(setting.path) + "=" +
                                                std::string(setting.example)};
      const std::string text = refusal([&] { parse_settings(base, "t", example); });
      refused += text + "\n";
      // What it says may contradict these settings, or be a folder that is not there.
      return !text.starts_with("t");
    });
    EXPECT_TRUE(read) << setting.path << ":\n" << refused;
    EXPECT_TRUE(setting.by_default.empty() != setting.otherwise.empty()) << setting.path;
    EXPECT_TRUE(is_section(setting.section())) << setting.path;
    for (const std::string& all : {settings_page(), settings_text()})
      EXPECT_NE(all.find(setting.meaning.substr(0, 12)), std::string::npos) << setting.path;
  }
}

TEST(SettingList, DefaultsAreWhatIsReadIfNothingIsGiven) {
  for (const Setting& setting : kSettingList) {
    if (setting.by_default.empty() || setting.path == "optimiser.kind") continue;
    const bool csv = setting.only_for == kCsv;
    const std::vector<std::string> given = {std::string(setting.path) + "=" +
                                            std::string(setting.by_default)};
    const Settings a = csv ? of_csv(given) : with(given), b = csv ? of_csv({}) : with({});
    EXPECT_EQ(a.out, b.out);
    EXPECT_EQ(a.hidden.size(), setting.path == "model.hidden" ? 0 : b.hidden.size());
    EXPECT_EQ(a.checkpoint_seconds, b.checkpoint_seconds);
    EXPECT_EQ(a.follow, b.follow);
  }
  EXPECT_EQ(of_csv({}).activation, Activation::relu);
  EXPECT_TRUE(std::holds_alternative<AdamRule>(of_csv({}).optimiser));
  EXPECT_EQ(std::get<CohortSource>(with({}).data.source).test_people, CohortSource{}.test_people);
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
  EXPECT_EQ(
      refused({"privacy.refresh=1.5"}),
      "command line: privacy.refresh is of another kind: give a whole number that is not negative, "
      "such as 100");
  const std::string text = std::string(kSettings) + "checkpoint_seconds = \"x\"\n";
  EXPECT_EQ(refusal([&] { parse_settings(text, "t.toml"); }).substr(0, 30),
            "t.toml: run.checkpoint_seconds");
  EXPECT_EQ(refused({"data.source=web"}), "data.source is 'web': give idx, npy, csv or cohort");
  EXPECT_EQ(refused({"filter.kind=gdp"}).substr(0, 13), "rate is 0.01:");
  EXPECT_EQ(refused({"filter.kind=tight", "filter.mu=1"}),
            "filter.kind is tight: give filter.epsilon or filter.after_epochs instead of "
            "filter.mu: a budget of sampled steps is no mu");
  EXPECT_EQ(refusal([] {
              of_csv({"filter.kind=tight", "filter.epsilon=1"});
            }),
            "filter.kind is tight: give gdp where everybody takes part in every step: it is exact "
            "there, and tight is for samples");
  EXPECT_EQ(refusal([] { parse_settings("\n\xef\xbb\xb8 = 3\n", "t"); }),
            "t, line 2: a character that is not ASCII stands outside double quotes");
  EXPECT_EQ(refusal([] { parse_settings("epochs = 3\n", "t"); }),
            "t: epochs stands outside any section: put it below a line such as [run]");
  EXPECT_EQ(refusal([] { parse_settings("[data]\n", "t"); }),
            "data.source is missing: give idx, npy, csv or cohort");
}

}  // namespace
}  // namespace ration::train
