// `ration train`, killed at random moments and resumed: no spend is lost, no budget exceeded.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>

#include "ration/train/checkpoint.h"
#include "ration/train/journal.h"
#include "ration/train/read_results.h"
#include "tests/cli/command.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

// A tiny clip bound, so that everybody pays the same at every step and charges can be counted. The
// filter has room for more steps than the run has, but not for many that are done again.
constexpr const char* kSettings = R"([data]
source = "cohort"
people = 200
test_people = 20
[model]
hidden = [4]
[optimiser]
rate = 0.01
[privacy]
noise = 10
clip = 1e-6
delta = 1e-5
[run]
epochs = 12
checkpoint_seconds = 0.01
)";

struct Kind {
  const char* name;
  const char* settings;
  std::uint64_t steps_per_epoch;
};
constexpr Kind kKinds[] = {
    {"gd", "mode = \"gd\"\n[filter]\nafter_epochs = 14\n", 1},
    {"sgd", "mode = \"sgd\"\nrate = 0.25\nrefresh = 3\n[filter]\nafter_epochs = 14\n", 4},
    {"clip", "mode = \"sgd\"\nrate = 0.25\nnorms = \"clip\"\n", 4}};

constexpr const char* kFollow = " --set 'run.follow=[0,7]'";

class TrainKill : public CommandTest {
 protected:
  TrainKill() : CommandTest("train") {}

  // The step that a run that is resumed begins after.
  std::uint64_t checkpointed() {
    const auto [training, books] = train::load_checkpoint(files_.file("run/checkpoint.state"));
    std::uint64_t step = training.step, charged = books.charged_steps();
    train::replay(
        files_.file("run/journal"), training.generation, books.people(),
        [&](std::span<const float>, std::uint64_t steps) { charged += steps; },
        [&](Bytes bytes) {
          const std::vector<std::byte> state(bytes.begin(), bytes.end());
          step = train::read_progress(state, 200, charged).step;
        });
    return step;
  }

  // The steps that somebody may have seen the outcome of: those of epochs in the file.
  std::uint64_t shown(const Kind& kind) {
    const auto rows = lines("run/epochs.csv");
    return rows.empty() ? 0 : std::stoull(rows.back()) * kind.steps_per_epoch;
  }

  // What everybody has been charged for, as a run that is resumed finds it.
  Books books() {
    train::Checkpoint checkpoint = train::load_checkpoint(files_.file("run/checkpoint.state"));
    Books& found = checkpoint.books;
    const Step step = step_;
    std::vector<std::uint8_t> mask(found.people());
    train::replay(files_.file("run/journal"), checkpoint.training.generation, found.people(),
                  [&](std::span<const float> charges, std::uint64_t steps) {
                    for (std::uint64_t i = 0; i < steps; ++i) found.charge(step, charges, mask);
                  });
    return std::move(found);
  }

  void check_books(std::uint64_t released, std::uint64_t most) {
    Books found = books();
    ASSERT_GE(found.charged_steps(), released);
    ASSERT_LE(found.charged_steps(), most);
    if (const auto& filter = found.settle().filter) {
      const Filter::State& state = filter->state();
      for (std::size_t i = 0; i < state.spent.size(); ++i) {
        ASSERT_LE(state.spent[i], state.budgets[i % state.budgets.size()]);
      }
    }
    for (std::size_t i = 0; i < found.people(); ++i) {
      const auto& person = found.settle().attendance.people[i];
      ASSERT_GE(person.admitted, std::min<std::uint64_t>(released, 14 * kind_->steps_per_epoch));
    }
  }

  // Whatever happened, the files belong together. A run that was killed after its last step has not
  // written epochs.csv again, which is taken away here.
  void check_results() {
    if (!is_there("run/epochs.csv")) return;
    const results::Results results =
        train::read_results(files_.file("run"), results::Sight::everything);
    EXPECT_EQ(results.moments.size(), 12u);
    for (const auto& [person, points] : results.individual->followed) {
      EXPECT_EQ(points.size(), 12u);
    }
  }

  // One run from its start to its end; says how often it was killed.
  int run_with_kills(const Kind& kind, std::mt19937& random) {
    kind_ = &kind;
    step_ = {.noise = 10, .clip = 1e-6, .rate = 1.0 / static_cast<double>(kind.steps_per_epoch)};
    std::string settings = kSettings;
    settings.insert(settings.find("[run]"), kind.settings);  // the end of [privacy]
    files_.put("settings.toml", settings);
    std::filesystem::remove_all(files_.file("run"));
    std::uint64_t released = 0, attempts = 0;
    for (int kills = 0;; ++kills) {
      const bool resumes = is_there("run/checkpoint.state");
      const std::uint64_t from = resumes ? checkpointed() : 0;
      std::filesystem::remove(files_.file("run/epochs.csv"));
      std::string arguments = "settings.toml";
      // With sampling an epsilon takes longer than the epoch.
      if (kind.steps_per_epoch == 1) arguments += kFollow;
      if (resumes) arguments += " --resume";
      const pid_t child = start(arguments);
      usleep(std::uniform_int_distribution<useconds_t>(0, longest_)(random));
      kill(child, SIGKILL);
      const int status = ended(child);
      ++attempts;
      if (WIFEXITED(status)) {
        EXPECT_EQ(WEXITSTATUS(status), 0);
        const auto summary = nlohmann::json::parse(contents(files_.file("run/summary.json")));
        EXPECT_EQ(summary["steps"], 12 * kind.steps_per_epoch);
        EXPECT_GE(summary["charged_steps"], released);
        EXPECT_TRUE(summary["guarantee"]["certified"]);
        check_results();
        longest_ = std::max<useconds_t>(longest_ * 2 / 3, 20'000);
        return kills;
      }
      const std::uint64_t last = shown(kind);
      released += last > from ? last - from : 0;
      const bool begun = is_there("run/checkpoint.state");
      // At most one epoch of an attempt was charged and not shown.
      if (begun) check_books(released, released + attempts * kind.steps_per_epoch);
      // Where machine or disk are slow, a run needs longer between kills to get anywhere, or to
      // begin at all.
      if (!begun || checkpointed() == from) {
        longest_ = std::min<useconds_t>(longest_ * 9 / 8, 3'000'000);
      }
      if (HasFatalFailure()) return kills;
    }
  }

  const Kind* kind_ = nullptr;
  Step step_ = {.noise = 1};
  useconds_t longest_ = 60'000;  // until a kill
};

TEST_F(TrainKill, KilledAtRandomMomentsNoSpendIsLostAndNoBudgetExceeded) {
  const int wanted = std::clamp(oracle::cases() / 50, 10, 2000);  // 200 by default
  std::mt19937 random(1);
  int kills = 0;
  for (std::size_t runs = 0; kills < wanted || runs < std::size(kKinds); ++runs) {
    const int in_run = run_with_kills(kKinds[runs % std::size(kKinds)], random);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
    kills += in_run;
  }
}

}  // namespace
}  // namespace ration
