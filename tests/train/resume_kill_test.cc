// A training that is killed again and again, and goes on from its checkpoint and its journal each
// time, forgets no charge of a step whose sum was used.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <random>

#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"
#include "ration/individual/spend.h"
#include "ration/train/checkpoint.h"
#include "ration/train/journal.h"
#include "tests/file/scratch.h"

namespace ration::train {
namespace {

constexpr std::size_t kPeople = 50;
constexpr std::uint64_t kAll = ~std::uint64_t{0};
const Step kStep = {.noise = 20};

// A step whose sum was used, as the child tells: what everybody paid for, and who took part. Small
// enough for a pipe to take it whole.
struct Used {
  float norms[kPeople];
  std::uint8_t mask[kPeople];
};

struct Files {
  std::string checkpoint, journal;
};

void checkpoint(const Files& files, TrainingState& training, Books& books, Journal& journal) {
  ++training.generation;
  save_checkpoint(files.checkpoint, training, books.settle());
  journal = Journal(files.journal, training.generation, kPeople);
}
Checkpoint resumed(const Files& files) {
  Checkpoint last = load_checkpoint(files.checkpoint);
  std::vector<std::uint8_t> mask(kPeople);
  replay(files.journal, last.training.generation, kPeople,
         [&](std::span<const float> norms, std::uint64_t steps) {
           for (; steps > 0; --steps) last.books.charge(kStep, norms, mask);
         });
  return last;
}

// Charges, uses and saves for ever: some steps for norms that are held.
[[noreturn]] void train(const Files& files, int pipe, unsigned seed) {
  std::mt19937 random(seed);
  auto [training, books] = resumed(files);
  ++training.generation;
  save_checkpoint(files.checkpoint, training, books.settle());
  Journal journal(files.journal, training.generation, kPeople);
  std::vector<float> norms;
  for (;;) {
    const bool again = !norms.empty() && random() % 3 != 0;
    if (!again) norms.assign(kPeople, 0);
    for (float& x : norms) x = again ? x : std::uniform_real_distribution<float>(0, 2)(random);
    std::vector<std::uint8_t> mask(kPeople);
    books.charge(kStep, norms, mask);
    if (again) journal.charge_again();
    if (!again) journal.charge(norms);
    Used used{};  // from here on
    std::copy(norms.begin(), norms.end(), used.norms);
    std::copy(mask.begin(), mask.end(), used.mask);
    if (write(pipe, &used, sizeof used) != sizeof used) _exit(1);
    training.parameters[0] += 1;
    ++training.step;
    if (random() % 8 == 0) {
      checkpoint(files, training, books, journal);
      norms.clear();
    }
  }
}

// Adds what everybody paid for the steps that a child used, up to so many, and says how many there
// were.
std::uint64_t read_used(int pipe, std::vector<Units>& paid, std::uint64_t most) {
  const SpendRule rule(kStep);
  std::uint64_t steps = 0;
  for (Used used{}; steps < most && read(pipe, &used, sizeof used) == sizeof used; ++steps) {
    for (std::size_t i = 0; i < kPeople; ++i) {
      if (used.mask[i] != 0) paid[i] += rule.charge(used.norms[i]);
    }
  }
  return steps;
}

TEST(Resume, KilledAnywhereItForgetsNoChargeAndExceedsNoBudget) {
  const Scratch scratch;
  const Files files = {.checkpoint = scratch.file("checkpoint"),
                       .journal = scratch.file("journal")};
  {
    const Journal journal(files.journal, 0, kPeople);
    Books fresh(kPeople, Buckets::from(20, 8), Filter(kPeople, gdp_currency(), MuBudget{0.4}));
    save_checkpoint(files.checkpoint, {.parameters = {0}}, fresh.settle());
  }
  std::vector<Units> paid(kPeople);
  std::uint64_t used = 0, left_out = 0;
  std::mt19937 random(1);
  constexpr unsigned kKills = 80;
  for (unsigned kills = 1; kills <= kKills; ++kills) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) train(files, ends[1], kills);
    close(ends[1]);
    // At some moment, or just when a step was used.
    if (kills % 2 == 0) usleep(std::uniform_int_distribution<useconds_t>(0, 10'000)(random));
    if (kills % 2 == 1) used += read_used(ends[0], paid, random() % 32);
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    used += read_used(ends[0], paid, kAll);
    close(ends[0]);

    auto [training, books] = resumed(files);  // always possible
    const auto& state = books.settle().filter->state();
    left_out = 0;
    for (std::size_t i = 0; i < kPeople; ++i) {
      ASSERT_GE(state.spent[i], paid[i]) << "a charge was forgotten";
      ASSERT_LE(state.spent[i], state.budgets[0]);
      ASSERT_EQ(books.settle().accounts.unsampled(i).total, state.spent[i]);
      left_out += books.settle().attendance.people[i].left_out;
    }
    // Each kill may have come between a charge and the use of its sum, and nowhere else.
    ASSERT_GE(books.charged_steps(), used);
    ASSERT_LE(books.charged_steps(), used + kills);
    ASSERT_LE(training.step, used);
    ASSERT_EQ(training.parameters[0], static_cast<float>(training.step));
  }
  EXPECT_GT(used, 3 * kKills) << "the kills came before anything was charged";
  EXPECT_GT(left_out, 0u) << "no budget came to its end";
}

}  // namespace
}  // namespace ration::train
