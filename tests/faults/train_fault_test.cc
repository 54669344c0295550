// `ration train` with each of its writes, syncs, moves and openings made to fail in turn, afresh
// and resumed: it ends with status 1 and a sentence, no spend is lost, and the run can be resumed
// or, if nothing was charged yet, started again.

#include <gtest/gtest.h>

#include <set>

#include "ration/train/checkpoint.h"
#include "ration/train/journal.h"
#include "ration/train/read_results.h"
#include "tests/cli/small_config.h"
#include "tests/faults/faulty_command.h"

namespace ration {
namespace {

// Everybody pays the same at every step. How far it has come is noted after every one.
const std::string kSettings = small_config({.people = 40,
                                            .test_people = 20,
                                            .hidden = 2,
                                            .checkpoint_seconds = 0,
                                            .clip = "1e-6",
                                            .epochs = 3}) +
                              "follow = [0, 7]\n";
constexpr std::uint64_t kSteps = 3;

class TrainFaults : public FaultyCommand {
 protected:
  TrainFaults() { files_.put("small.toml", kSettings); }

  const std::string fresh_ = "train small.toml --out written/run";
  const std::string resume_ = "train --resume --out written/run";

  bool there(const std::string& file) const {
    return std::filesystem::exists(written() + "/run/" + file);
  }

  // The steps that somebody may have seen the outcome of.
  std::uint64_t shown() const {
    std::istringstream rows(contents(written() + "/run/epochs.csv"));
    std::uint64_t epochs = 0;
    for (std::string row; std::getline(rows, row);) {
      if (!row.empty() && std::isdigit(row[0]) != 0) epochs = std::stoull(row);
    }
    return epochs;  // of one step each
  }

  struct Charged {
    std::uint64_t steps = 0, at = 0;  // charged so far; done, as who resumes finds it
  };
  Charged charged() const {
    const std::string run = written() + "/run/";
    train::Checkpoint checkpoint = train::load_checkpoint(run + "checkpoint.state");
    Charged found = {checkpoint.books.charged_steps(), checkpoint.training.step};
    const std::size_t people = checkpoint.books.people();
    train::replay(
        run + "journal", checkpoint.training.generation, people,
        [&](std::span<const float>, std::uint64_t steps) { found.steps += steps; },
        [&](Bytes bytes) {
          const std::vector<std::byte> state(bytes.begin(), bytes.end());
          found.at = train::read_progress(state, people, found.steps).step;
        });
    return found;
  }

  void expect_readable(std::uint64_t charged_steps) {
    const results::Results results =
        train::read_results(written() + "/run", results::Sight::everything);
    EXPECT_EQ(results.steps, kSteps);
    EXPECT_EQ(results.charged_steps, charged_steps);
  }

  void expect_nothing_lost(const std::string& arguments, Charged before,
                           const std::set<std::string>& names,
                           const std::vector<std::string>& calls) {
    std::size_t noticed = 0;
    for (const Fault& fault : faults(calls, 16)) {
      bring_back("before");
      const Ended ended = ration(arguments, fault);
      SCOPED_TRACE(arguments + "\n" + in_words(fault, ended));
      for (const auto& [name, text] : snapshot()) EXPECT_TRUE(names.contains(name)) << name;
      if (ended.status == 0) {
        expect_readable(charged().steps);
      } else {
        ++noticed;
        expect_one_sentence(ended);
      }
      if (!there("checkpoint.state")) {
        EXPECT_EQ(before.steps, 0u);
        EXPECT_FALSE(there("epochs.csv")) << "something was shown";
        EXPECT_FALSE(there("model.npz"));
        EXPECT_EQ(ration(resume_).status, 2);
        const Ended again = ration(fresh_);
        EXPECT_EQ(again.status, 0) << again.err;
        expect_readable(kSteps);
      } else {
        const Charged now = charged();
        EXPECT_GE(now.steps, before.steps);
        EXPECT_GE(now.steps, shown());
        EXPECT_GE(now.steps, now.at);
        if (there("summary.json")) expect_readable(now.steps);
        const Ended again = ration(resume_);
        EXPECT_EQ(again.status, 0) << again.err;
        expect_readable(now.steps + kSteps - now.at);
      }
      if (HasFailure()) return;  // one is enough to look at
    }
    EXPECT_GT(noticed, 0u) << "no fault had any effect";
  }

  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& [name, text] : snapshot()) all.insert(name);
    return all;
  }
};

TEST_F(TrainFaults, LoseNoSpendOfARunThatStarts) {
  keep("before");
  const Ended sound = ration(fresh_);
  ASSERT_EQ(sound.status, 0) << sound.err;
  expect_nothing_lost(fresh_, {}, names(), sound.calls);
}

TEST_F(TrainFaults, LoseNoSpendOfARunThatIsResumed) {
  const Ended sound = ration(fresh_);
  ASSERT_EQ(sound.status, 0) << sound.err;
  const std::set<std::string> all = names();
  // Stopped at the last step, whose charge is written to the journal by the last call of its kind.
  const auto last =
      std::find_if(sound.calls.rbegin(), sound.calls.rend(),
                   [](const std::string& call) { return call.starts_with("writev"); });
  ASSERT_NE(last, sound.calls.rend());
  std::filesystem::remove_all(written() + "/run");
  const Ended stopped = ration(fresh_, {.at = sound.calls.rend() - last});
  ASSERT_EQ(stopped.status, 1);
  const Charged before = charged();
  ASSERT_EQ(before.steps, kSteps - 1);
  keep("before");
  const Ended resumed = ration(resume_);
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  expect_nothing_lost(resume_, before, all, resumed.calls);
}

// Until it ends there are no results: not those of the run that was there before, either.
TEST_F(TrainFaults, ARunWithoutPrivacyLeavesNoResultsOfTheOneBefore) {
  const std::string plain = fresh_ + " --set privacy.mode=none --set run.follow=[] --epochs ";
  const Ended first = ration(plain + "1");
  ASSERT_EQ(first.status, 0) << first.err;
  keep("before");
  const Snapshot before = snapshot();
  const auto steps = [&] {
    return train::read_results(written() + "/run", results::Sight::everything).steps;
  };
  const std::uint64_t steps_before = steps();
  const Ended second = ration(plain + "2");
  ASSERT_EQ(second.status, 0) << second.err;
  for (const Fault& fault : faults(second.calls, 10)) {
    bring_back("before");
    const Ended ended = ration(plain + "2", fault);
    SCOPED_TRACE(in_words(fault, ended));
    if (ended.status != 0) expect_one_sentence(ended);
    if (there("summary.json") && snapshot() != before) {
      EXPECT_EQ(steps(), 2 * steps_before);
    }
    if (HasFailure()) return;  // one is enough to look at
  }
}

}  // namespace
}  // namespace ration
