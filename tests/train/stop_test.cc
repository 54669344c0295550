// A run that is stopped at any step and resumed, and one that breaks off there.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "ration/dataset/load_dataset.h"
#include "ration/results/directory.h"
#include "ration/train/run.h"
#include "tests/cli/small_config.h"
#include "tests/file/scratch.h"

namespace ration::train {
namespace {

// Checkpoints are written by steps alone: no run takes so long.
const std::vector<std::vector<std::string>> kKinds = {
    {"filter.after_epochs=2", "run.follow=[5]"},
    {"privacy.mode=sgd", "privacy.rate=0.2", "run.epochs=2", "privacy.refresh=7", "filter.kind=rdp",
     "filter.after_epochs=1"},
    {"privacy.mode=sgd", "privacy.rate=0.2", "privacy.noise=5", "run.epochs=2", "privacy.refresh=7",
     "privacy.clip=0.01", "filter.kind=tight", "filter.epsilon=0.4"},
    {"privacy.mode=sgd", "privacy.rate=0.2", "run.epochs=2", "privacy.norms=clip"}};

class Stop : public testing::Test {
 protected:
  results::Results train_in(const std::string& directory, const std::vector<std::string>& overrides,
                            Start start, const Watch& watch = {}) {
    Settings settings = parse_settings(small_config(), "test", overrides);
    settings.out = files_.file(directory);
    return train(settings, load_dataset(settings.data.source), start, watch);
  }

  const Scratch files_;
};

// With a seed, noise and samples depend on the step alone.
TEST_F(Stop, AtAnyStepAndResumedARunLeavesWhatOneThatWasNeverStoppedDoes) {
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    std::vector<std::string> overrides = kKinds[kind];
    overrides.emplace_back("run.test_seed=3");
    const std::string whole = "whole" + std::to_string(kind);
    const std::uint64_t steps = train_in(whole, overrides, Start::fresh).steps;
    for (std::uint64_t stop = 0; stop < steps; ++stop) {
      const std::string part = "part" + std::to_string(kind) + "-" + std::to_string(stop);
      std::uint64_t asked = 0;
      const auto should_stop = [&] { return asked++ == stop; };
      EXPECT_THROW(train_in(part, overrides, Start::fresh, {.should_stop = should_stop}), Stopped);
      const results::Results results = train_in(part, overrides, Start::resumed);
      EXPECT_EQ(results.charged_steps, steps) << part;
      for (const char* name :
           {"model.not-private.npz", "epochs.not-private.csv", "private.not-private.csv",
            "followed.not-private.csv", "epsilons.not-private.csv", "accounts.not-private.state"}) {
        EXPECT_EQ(contents(files_.file(part + "/" + name)),
                  contents(files_.file(whole + "/" + name)))
            << part << " " << name;
      }
    }
  }
}

TEST_F(Stop, SaysHowFarItHasComeAndHowToGoOn) {
  const auto at_once = [] { return true; };
  try {
    train_in("it's a run", {}, Start::fresh, {.should_stop = at_once});
    FAIL();
  } catch (const Stopped& stopped) {
    std::string folder = files_.file("it's a run");
    folder.replace(folder.find('\''), 1, "'\\''");
    EXPECT_EQ(stopped.what(),
              "the run has stopped after step 0 of 4: go on with it by ration train --resume --out "
              "'" +
                  folder + "'");
  }
  try {
    train_in("plain", {"privacy.mode=none"}, Start::fresh, {.should_stop = at_once});
    FAIL();
  } catch (const Stopped& stopped) {
    EXPECT_STREQ(stopped.what(),
                 "the run has stopped in epoch 1 of 4: it is one without privacy, start it again");
  }
}

TEST_F(Stop, AfterTheLastStepIsNoReasonNotToFinish) {
  std::uint64_t done = 0;
  const Watch watch = {.on_progress = [&](const RunProgress& at) { done = at.step; },
                       .should_stop = [&] { return done == 4; }};
  EXPECT_EQ(train_in("r", {}, Start::fresh, watch).steps, 4u);
  EXPECT_TRUE(std::filesystem::exists(files_.file("r/summary.json")));
}

// As a kill does: what was done since the last note is done and charged again.
TEST_F(Stop, BrokenOffAtMostTwoInAHundredStepsAreChargedTwice) {
  const std::vector<std::vector<std::string>> kinds = {
      {"run.epochs=5"},
      {"run.epochs=3", "privacy.mode=sgd", "privacy.rate=0.02", "privacy.refresh=7"},
      {"run.epochs=3", "privacy.mode=sgd", "privacy.rate=0.02", "privacy.norms=clip"}};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const std::uint64_t steps = kind == 0 ? 5 : 150, most = kind == 0 ? 1 : 3;
    std::uint64_t worst = 0;
    for (const std::uint64_t end :
         {std::uint64_t{1}, std::uint64_t{2}, steps / 2, steps / 2 + 1, steps / 2 + 2, steps}) {
      const std::string name = std::to_string(kind) + "-" + std::to_string(end);
      std::filesystem::remove_all(files_.file(name));
      const auto break_off = [&](const RunProgress& at) {
        if (at.step == end) throw std::runtime_error("broken off");
      };
      EXPECT_THROW(train_in(name, kinds[kind], Start::fresh, {.on_progress = break_off}),
                   std::runtime_error);
      const results::Results results = train_in(name, kinds[kind], Start::resumed);
      EXPECT_EQ(results.steps, steps);
      EXPECT_LE(results.charged_steps, steps + most) << name;
      worst = std::max(worst, results.charged_steps - steps);
    }
    EXPECT_LE(worst, most - 1) << "after a step nothing is due any more";
    if (most > 1) {
      EXPECT_GT(worst, 0u) << "nothing was lost, and the test says little";
    }
  }
}

}  // namespace
}  // namespace ration::train
