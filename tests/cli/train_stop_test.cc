// `ration train`, interrupted by Ctrl-C and SIGTERM at random moments and resumed as it says: every
// step is charged once. Killed, at most 2% of the steps are charged again.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>

#include "cli/interrupts.h"
#include "ration/train/checkpoint.h"
#include "ration/train/journal.h"
#include "tests/cli/command.h"
#include "tests/cli/small_config.h"

namespace ration {
namespace {

// With notes by steps alone: no run takes so long.
struct Mode {
  std::string settings;
  std::uint64_t epochs, steps;
};
const Mode kModes[] = {{"mode = \"gd\"", 25, 25},
                       {"mode = \"sgd\"\nrate = 0.02\nrefresh = 7", 3, 150},
                       {"mode = \"sgd\"\nrate = 0.02\nnorms = \"clip\"", 3, 150}};
std::string config(const Mode& mode) {
  std::string text = small_config({.people = 300, .hidden = 8});
  text.replace(text.find("mode = \"gd\""), 11, mode.settings);
  return text.replace(text.find("epochs = 4"), 10, "epochs = " + std::to_string(mode.epochs));
}

class TrainStop : public CommandTest {
 protected:
  TrainStop() : CommandTest("train") {}

  nlohmann::json summary() {
    return nlohmann::json::parse(contents(files_.file("run/summary.json")));
  }

  // The command that a run says to go on by.
  std::string next_line() {
    const std::string err = contents(files_.file("err")), words = "go on with it by ration ";
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    EXPECT_TRUE(err.starts_with("ration: the run has stopped after step ")) << err;
    const auto at = err.find(words);
    EXPECT_NE(at, std::string::npos) << err;
    return std::string(RATION_PROGRAM) + " " +
           err.substr(at + words.size(), err.find('\n') - at - words.size());
  }

  // Steps that were charged, and steps whose result a run that is resumed begins with.
  struct Found {
    std::uint64_t charged, done;
  };
  Found found() {
    train::Checkpoint checkpoint = train::load_checkpoint(files_.file("run/checkpoint.state"));
    Found all = {.charged = checkpoint.books.charged_steps(), .done = checkpoint.training.step};
    const std::size_t people = checkpoint.books.people();
    train::replay(
        files_.file("run/journal"), checkpoint.training.generation, people,
        [&](std::span<const float>, std::uint64_t steps) { all.charged += steps; },
        [&](Bytes bytes) {
          const std::vector<std::byte> state(bytes.begin(), bytes.end());
          all.done = train::read_progress(state, people, all.charged).step;
        });
    return all;
  }
};

TEST_F(TrainStop, InterruptedAgainAndAgainARunChargesEveryStepOnce) {
  std::mt19937 random(3);
  int stops = 0;
  for (const Mode& mode : kModes) {
    files_.put("settings.toml", config(mode));
    std::filesystem::remove_all(files_.file("run"));
    std::string line = std::string(RATION_PROGRAM) + " train settings.toml";
    useconds_t longest = 20'000;
    for (bool finished = false; !finished;) {
      const int signal = random() % 2 == 0 ? SIGINT : SIGTERM;
      const auto before = is_there("run/journal") ? contents(files_.file("run/journal")) : "";
      const pid_t child = start_line(line);
      // From the moment when the run has begun, signals are its own.
      while (!is_there("run/journal") || contents(files_.file("run/journal")) == before) {
        ASSERT_TRUE(goes_on(child)) << contents(files_.file("err"));
        usleep(200);
      }
      usleep(std::uniform_int_distribution<useconds_t>(0, longest)(random));
      kill(child, signal);
      const int status = ended(child);
      // A signal that comes while results are printed ends the program as it ends any other.
      ASSERT_TRUE(WIFEXITED(status) || is_there("run/summary.json")) << WTERMSIG(status);
      if (WIFSIGNALED(status) || WEXITSTATUS(status) == 0) {
        finished = true;
        continue;
      }
      ASSERT_EQ(WEXITSTATUS(status), 128 + signal) << contents(files_.file("err"));
      EXPECT_FALSE(is_there("run/summary.json"));
      const Found now = found();
      ASSERT_EQ(now.charged, now.done);
      line = next_line();
      ++stops;
      longest = longest * 5 / 4;
    }
    const auto j = summary();
    EXPECT_EQ(j["steps"], mode.steps);
    EXPECT_EQ(j["charged_steps"], j["steps"]);
  }
  EXPECT_GE(stops, 3);
}

TEST_F(TrainStop, KilledARunHasChargedAtMostTwoInAHundredStepsBeyondWhatItKept) {
  std::mt19937 random(4);
  for (const Mode& mode : kModes) {
    files_.put("settings.toml", config(mode));
    const std::uint64_t steps = mode.steps, most = std::max<std::uint64_t>(1, steps / 50);
    std::filesystem::remove_all(files_.file("run"));
    std::string line = std::string(RATION_PROGRAM) + " train settings.toml";
    useconds_t longest = 60'000;
    for (std::uint64_t kills = 1;; ++kills) {
      const Found before = is_there("run/checkpoint.state") ? found() : Found{0, 0};
      const pid_t child = start_line(line);
      usleep(std::uniform_int_distribution<useconds_t>(0, longest)(random));
      kill(child, SIGKILL);
      if (WIFEXITED(ended(child))) {
        const auto j = summary();
        EXPECT_LE(j["charged_steps"], steps + kills * most);
        break;
      }
      longest = longest * 5 / 4;
      if (!is_there("run/checkpoint.state")) continue;
      line = std::string(RATION_PROGRAM) + " train --resume --out run";
      const Found now = found();
      ASSERT_GE(now.done, before.done);
      ASSERT_LE(now.charged - before.charged, now.done - before.done + most);
    }
  }
}

TEST_F(TrainStop, ARunWithoutPrivacyStopsWithASentence) {
  files_.put("settings.toml", config({"mode = \"none\"\nrate = 0.01", 4, 400}));
  const pid_t child = start("settings.toml --epochs 100000");
  wait_until_there("run/epochs.csv", child);
  kill(child, SIGINT);
  const int status = ended(child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const std::string err = contents(files_.file("err"));
  EXPECT_TRUE(err.starts_with("ration: the run has stopped in epoch ")) << err;
  EXPECT_TRUE(err.ends_with(" of 100000: it is one without privacy, start it again\n")) << err;
}

// In a process of its own.
int status_of(void (*work)()) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGINT, SIG_DFL);
    work();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(Interrupts, TheFirstIsRememberedAndTheSecondEndsTheProgram) {
  const int once = status_of([] {
    {
      const cli::Interrupts interrupts;
      if (cli::Interrupts::asked_to_stop()) _exit(1);
      raise(SIGTERM);
      if (!cli::Interrupts::asked_to_stop() || cli::Interrupts::status() != 143) _exit(2);
    }
    struct sigaction after {};
    sigaction(SIGTERM, nullptr, &after);
    if (after.sa_handler != SIG_DFL) _exit(3);
  });
  EXPECT_TRUE(WIFEXITED(once) && WEXITSTATUS(once) == 0) << once;
  const int twice = status_of([] {
    const cli::Interrupts interrupts;
    raise(SIGTERM);
    raise(SIGINT);
    _exit(4);
  });
  EXPECT_TRUE(WIFSIGNALED(twice) && WTERMSIG(twice) == SIGINT) << twice;
  const int ignored = status_of([] {
    signal(SIGINT, SIG_IGN);  // as nohup and shells do for what runs in the background
    const cli::Interrupts interrupts;
    raise(SIGINT);
    raise(SIGINT);
    if (cli::Interrupts::asked_to_stop()) _exit(5);
  });
  EXPECT_TRUE(WIFEXITED(ignored) && WEXITSTATUS(ignored) == 0) << ignored;
}

}  // namespace
}  // namespace ration
