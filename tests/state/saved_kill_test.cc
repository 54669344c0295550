// A filter that is killed again and again while it saves, and goes on from its file each time,
// decides as one that was never interrupted.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <numeric>
#include <random>

#include "ration/control/gdp_currency.h"
#include "ration/state/saved.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

constexpr std::size_t kPeople = 5000;

// The step follows from what the filter has decided so far, and so from its state alone: sums of
// what was spent stand for an analyst's view of the outputs.
std::vector<std::uint8_t> go_on(Filter& filter) {
  const auto& spent = filter.state().spent;
  const Units seen = std::accumulate(spent.begin(), spent.end(), Units{0});
  std::mt19937_64 random(seen ^ filter.steps());
  std::vector<double> norms(kPeople);
  for (double& x : norms) x = std::uniform_real_distribution<double>(0, 2)(random);
  std::vector<std::uint8_t> mask(kPeople);
  filter.admit({.noise = 5 + static_cast<double>(seen % 50)}, norms, mask);
  return mask;
}

TEST(SavedFilter, KilledWhileSavingItGoesOnAsOneThatNeverStopped) {
  const Scratch scratch;
  const std::string file = scratch.file("filter");
  const MuBudget budget{0.9};
  Filter uninterrupted(kPeople, gdp_currency(), budget);
  save(file, uninterrupted);
  std::mt19937 random(1);
  std::uint64_t inside = 0;     // kills after the child had saved
  useconds_t longest = 10'000;  // until a kill; longer where machine or disk are slow
  for (int kill_number = 0; kill_number < 60; ++kill_number) {
    const pid_t child = fork();
    if (child == 0) {
      auto filter = load<Filter>(file);
      for (;;) {
        go_on(filter);
        save(file, filter);
      }
    }
    usleep(std::uniform_int_distribution<useconds_t>(0, longest)(random));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    const auto loaded = load<Filter>(file);  // always whole
    ASSERT_GE(loaded.steps(), uninterrupted.steps());
    const bool went_on = loaded.steps() > uninterrupted.steps();
    inside += static_cast<std::uint64_t>(went_on);
    if (!went_on) longest = std::min<useconds_t>(longest + longest / 4, 500'000);
    while (uninterrupted.steps() < loaded.steps()) go_on(uninterrupted);
    ASSERT_TRUE(loaded.state() == uninterrupted.state());
  }
  EXPECT_GT(inside, 5u) << "the kills came before anything was saved";
  auto resumed = load<Filter>(file);
  for (int k = 0; k < 30; ++k) ASSERT_EQ(go_on(resumed), go_on(uninterrupted)) << k;
  ASSERT_TRUE(resumed.state() == uninterrupted.state());
}

}  // namespace
}  // namespace ration
