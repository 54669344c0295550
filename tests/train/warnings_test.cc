#include "ration/train/warnings.h"

#include <gtest/gtest.h>

#include "ration/control/warnings.h"
#include "tests/cli/small_config.h"

namespace ration::train {
namespace {

People some_people(std::size_t count) {
  return {.features = {.rows = count, .columns = 1, .values = std::vector<float>(count)},
          .labels = {.kind = LabelKind::one,
                     .names = {"a", "b", "c"},
                     .values = std::vector<std::uint16_t>(count)}};
}
Settings with(const std::vector<std::string>& overrides) {
  return parse_settings(small_config(), "test", overrides);
}

TEST(Warnings, TellOfADeltaThatIsNotWellBelowOneByPeople) {
  const auto warned = [](const char* delta, std::size_t people) {
    const auto all =
        warnings_before(with({std::string("privacy.delta=") + delta}), some_people(people));
    return all.empty() ? "" : all.front();
  };
  EXPECT_EQ(warned("1e-5", 10'000), "");
  EXPECT_EQ(warned("1e-5", 10'001),
            "delta is 1e-05, and there are 10001 people: with more than 9.9e-06, a tenth of "
            "1/people, the promise allows that somebody's data are given away as a whole");
  EXPECT_EQ(warned("0.001", 101).substr(0, 38), "delta is 0.001, and there are 101 peop");
  EXPECT_TRUE(
      warnings_before(with({"privacy.delta=0.1", "privacy.mode=none"}), some_people(100)).empty());
}

TEST(Warnings, TellThatRowsAreTakenForPeopleUnlessTheyAreMadeUp) {
  Settings settings = with({});
  EXPECT_TRUE(warnings_before(settings, some_people(10)).empty());
  settings.data.source = NpySource{.train_features = "x.npy", .train_labels = "y.npy"};
  ASSERT_EQ(warnings_before(settings, some_people(10)).size(), 1u);
  EXPECT_EQ(warnings_before(settings, some_people(10))[0].substr(0, 30),
            "one row per person is assumed:");
}

TEST(Warnings, TellOfAModelThatDoesNoBetterThanOneLabelForAll) {
  const auto warned = [](std::optional<double> score, std::optional<double> majority,
                         std::optional<double> loss = 1.0) {
    const auto all = warnings_of_test(
        {.loss = loss, .score = score, .by_accuracy = majority.has_value(), .majority = majority});
    return all.empty() ? "" : all.front().substr(0, all.front().find(':'));
  };
  EXPECT_EQ(warned(0.61, 0.6), "");
  EXPECT_EQ(warned(0.6, 0.6), "the model does no better than always the most frequent label");
  EXPECT_EQ(warned(0.1, 0.6), "the model does no better than always the most frequent label");
  EXPECT_EQ(warned(0.51, std::nullopt), "");
  EXPECT_EQ(warned(0.5, std::nullopt), "the model does no better than guessing");
  EXPECT_EQ(warned(std::nullopt, std::nullopt), "");
  EXPECT_EQ(warned(0.9, 0.6, std::numeric_limits<double>::infinity()),
            "the model's test loss is no finite number");
}

TEST(Warnings, TellOfAFilterThatStopsNearlyEverybody) {
  const auto warned = [](std::size_t stopped, std::uint32_t left_out) {
    Attendance attendance{.people = std::vector<Attendance::Person>(20)};
    for (std::size_t i = 0; i < stopped; ++i) attendance.people[i].left_out = left_out;
    return !warnings_of_filter(attendance, 50).empty();
  };
  EXPECT_FALSE(warned(17, 50));
  EXPECT_TRUE(warned(18, 50));
  EXPECT_TRUE(warned(18, 5));
  EXPECT_FALSE(warned(20, 4));
  EXPECT_FALSE(warned(0, 0));
}

}  // namespace
}  // namespace ration::train
