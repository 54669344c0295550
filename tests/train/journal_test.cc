#include "ration/train/journal.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <random>

#include "ration/file/atomic_file.h"
#include "tests/file/scratch.h"

namespace ration::train {
namespace {

using Norms = std::vector<float>;
struct Row {
  Norms norms;
  std::uint64_t steps;
  friend bool operator==(const Row&, const Row&) = default;
};
using Rows = std::vector<Row>;

constexpr std::size_t kPeople = 3;
constexpr std::uint64_t kGeneration = 5;
constexpr std::size_t kHeader = 64, kAgain = 40, kNorms = 40 + 4 * kPeople + 32;  // bytes

void write(const std::string& file, const Rows& rows) {
  Journal journal(file, kGeneration, kPeople);
  for (const auto& [norms, steps] : rows) {
    journal.charge(norms);
    for (std::uint64_t k = 1; k < steps; ++k) journal.charge_again();
  }
}
// What a journal says, up to its end or to where it is refused.
struct Replayed {
  Rows rows;
  bool refused = false;
};
Replayed replayed(const std::string& file) {
  Replayed result;
  try {
    replay(file, kGeneration, kPeople, [&](std::span<const float> norms, std::uint64_t steps) {
      result.rows.push_back({Norms(norms.begin(), norms.end()), steps});
    });
  } catch (const Error&) {
    result.refused = true;
  }
  return result;
}

const Rows kRows = {{{0.5F, 1, 0}, 3}, {{0, 0, 2}, 1}, {{0.25F, 3, 1}, 2}};
std::string good_bytes() {
  const Scratch scratch;
  write(scratch.file("j"), kRows);
  return contents(scratch.file("j"));
}
// The steps of rows, one by one; and whether some are the first of others.
std::vector<Norms> steps_of(const Rows& rows) {
  std::vector<Norms> steps;
  for (const auto& [norms, count] : rows) steps.insert(steps.end(), count, norms);
  return steps;
}
bool is_beginning(const std::vector<Norms>& some, const std::vector<Norms>& all) {
  return some.size() <= all.size() && std::equal(some.begin(), some.end(), all.begin());
}
// How many records, each a step, fit into the first bytes of the journal of kRows.
std::size_t complete_steps(std::size_t length) {
  static const std::size_t kRecords[] = {kNorms, kAgain, kAgain, kNorms, kNorms, kAgain};
  std::size_t steps = 0, end = kHeader;
  for (const std::size_t record : kRecords) steps += (end += record) <= length ? 1 : 0;
  return steps;
}

TEST(Journal, WhatWasChargedIsReplayed) {
  const Scratch scratch;
  EXPECT_TRUE(rc::check("round trip", [&](const std::vector<std::uint8_t>& repeats) {
    Rows rows;
    for (const std::uint8_t k : repeats) {
      const auto x = static_cast<float>(rows.size());
      rows.push_back({{x, 0.5F * x, x + 1}, 1u + k % 5});
    }
    write(scratch.file("j"), rows);
    const Replayed result = replayed(scratch.file("j"));
    RC_ASSERT(!result.refused);
    RC_ASSERT(result.rows == rows);
  }));
}

// The bytes that docs/state.md promises, but for checksums.
TEST(Journal, IsLaidOutAsDocumented) {
  const auto padded = [](std::string text, std::size_t size) {
    text.resize(size, '\0');
    return text;
  };
  const std::string bytes = good_bytes();
  EXPECT_EQ(bytes.size(), kHeader + 3 * kNorms + 3 * kAgain);
  EXPECT_EQ(bytes.substr(0, 32),
            "\x89RATJNL\n" + padded("\1", 8) + padded("\5", 8) + padded("\3", 8));
  EXPECT_EQ(bytes.substr(kHeader, 8), padded("\1", 8));
  EXPECT_EQ(bytes.substr(kHeader + 40, 12), std::string("\0\0\0\x3f\0\0\x80\x3f\0\0\0\0", 12));
  EXPECT_EQ(bytes.substr(kHeader + kNorms, 8), padded("\2", 8));
}

TEST(Journal, IsPrivateWhateverStoodThere) {
  const Scratch scratch;
  scratch.put("j", "public");
  std::filesystem::permissions(scratch.file("j"), std::filesystem::perms::all);
  write(scratch.file("j"), kRows);
  EXPECT_EQ(std::filesystem::status(scratch.file("j")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(Journal, CutOffAnywhereItHoldsItsCompleteRecords) {
  const Scratch scratch;
  const std::string good = good_bytes();
  const std::vector<Norms> all = steps_of(kRows);
  for (std::size_t length = 0; length <= good.size(); ++length) {
    const Replayed result = replayed(scratch.put("j", good.substr(0, length)));
    ASSERT_EQ(result.refused, length < kHeader) << length;
    const std::vector<Norms> steps = steps_of(result.rows);
    ASSERT_EQ(steps.size(), complete_steps(length)) << length;
    ASSERT_TRUE(is_beginning(steps, all)) << length;
  }
}

TEST(Journal, AFlippedBitAnywhereIsRefused) {
  const Scratch scratch;
  const std::string good = good_bytes();
  const std::vector<Norms> all = steps_of(kRows);
  for (std::size_t i = 0; i < 8 * good.size(); ++i) {
    std::string altered = good;
    altered[i / 8] = static_cast<char>(altered[i / 8] ^ (1 << (i % 8)));
    const Replayed result = replayed(scratch.put("j", altered));
    ASSERT_TRUE(result.refused) << i;
    ASSERT_TRUE(is_beginning(steps_of(result.rows), all)) << i;
  }
}

// What a kill leaves of the last record may be damaged without anybody noticing. What stands before
// it may not.
TEST(Journal, DamageBeforeACutIsRefusedAndBehindItHarmless) {
  const Scratch scratch;
  const std::string good = good_bytes();
  const std::vector<Norms> all = steps_of(kRows);
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    const std::size_t length = kHeader + random() % (good.size() - kHeader);
    std::string altered = good.substr(0, length);
    for (auto flips = random() % 3 + 1; flips > 0; --flips) {
      altered[random() % length] = static_cast<char>(random());
    }
    const Replayed result = replayed(scratch.put("j", altered));
    const std::vector<Norms> steps = steps_of(result.rows);
    ASSERT_TRUE(is_beginning(steps, all));
    if (!result.refused) {
      ASSERT_EQ(steps.size(), complete_steps(length));
    }
  }
}

TEST(Journal, RecordsStandOnlyWhereTheyWereWritten) {
  const Scratch scratch;
  const std::string good = good_bytes();
  const std::string first = good.substr(kHeader, kNorms),
                    again = good.substr(kHeader + kNorms, kAgain);
  const auto refused = [&](const std::string& bytes) {
    return replayed(scratch.put("j", bytes)).refused;
  };
  EXPECT_TRUE(refused(good + first)) << "a record twice";
  EXPECT_TRUE(refused(good + again));
  EXPECT_TRUE(refused(good.substr(0, kHeader) + good.substr(kHeader + kNorms))) << "one left out";
  std::string other = good;  // the same records behind the header of another journal
  Journal journal(scratch.file("other"), kGeneration - 1, kPeople);
  other.replace(0, kHeader, contents(scratch.file("other")));
  scratch.put("j", other);
  EXPECT_THROW(replay(scratch.file("j"), kGeneration - 1, kPeople, [](auto, auto) {}), Error);
}

// How far training had come, and after how many steps.
struct Said {
  std::string text;
  std::uint64_t steps;
  friend bool operator==(const Said&, const Said&) = default;
};

// How far training has come stands among the charges, wherever it was written, and cut off nowhere.
TEST(Journal, ProgressComesAfterTheChargesBeforeIt) {
  const Scratch scratch;
  {
    Journal journal(scratch.file("j"), kGeneration, kPeople);
    journal.progress(std::as_bytes(std::span("none", 4)));
    journal.charge(kRows[0].norms);
    journal.charge_again();
    journal.progress(std::as_bytes(std::span("two", 3)));
    journal.charge_again();
    journal.progress({});
    journal.charge(kRows[1].norms);
  }
  std::vector<Said> said;
  std::uint64_t steps = 0;
  const auto read = [&](const std::string& bytes) {
    said.clear();
    steps = 0;
    replay(
        scratch.put("j", bytes), kGeneration, kPeople,
        [&](std::span<const float>, std::uint64_t count) { steps += count; },
        [&](Bytes state) {
          said.push_back({{reinterpret_cast<const char*>(state.data()), state.size()}, steps});
        });
  };
  const std::string good = contents(scratch.file("j"));
  read(good);
  EXPECT_EQ(said, (std::vector<Said>{{"none", 0}, {"two", 2}, {"", 3}}));
  EXPECT_EQ(steps, 4u);
  const std::vector<Said> all = said;
  for (std::size_t length = kHeader; length < good.size(); ++length) {
    read(good.substr(0, length));
    ASSERT_LE(said.size(), all.size());
    EXPECT_TRUE(std::equal(said.begin(), said.end(), all.begin())) << length;
  }
  for (std::size_t at = kHeader; at < good.size(); ++at) {
    std::string altered = good;
    altered[at] = static_cast<char>(altered[at] ^ 4);
    EXPECT_THROW(read(altered), Error) << at;
  }
}

TEST(Journal, ItsGenerationSaysWhetherItCounts) {
  const Scratch scratch;
  write(scratch.file("j"), kRows);
  int calls = 0;
  const auto refused = [&](const std::string& file, std::uint64_t generation, std::size_t people) {
    return refusal(scratch, [&] {
      replay(scratch.file(file), generation, people, [&](auto, auto) { ++calls; });
    });
  };
  EXPECT_EQ(refused("j", kGeneration + 1, kPeople), "accepted");
  EXPECT_EQ(refused("j", kGeneration + 7, kPeople), "accepted");
  EXPECT_EQ(calls, 0) << "the checkpoint holds these charges";
  EXPECT_EQ(
      refused("j", kGeneration - 1, kPeople),
      "j is the journal of checkpoint 5, not of 4: give the checkpoint that was written last");
  EXPECT_EQ(refused("j", kGeneration, kPeople + 1), "j is a journal of 3 people: give one of 4");
  EXPECT_EQ(refused("j", kGeneration + 1, kPeople + 1),
            "j is a journal of 3 people: give one of 4");
  EXPECT_EQ(refused("none", kGeneration, kPeople),
            "none is missing: give the journal that lay beside the checkpoint: it holds what was "
            "charged since");
  EXPECT_EQ(refused("none", 0, kPeople).substr(0, 15), "none is missing");
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(refused("j", kGeneration, kPeople), "accepted");
  EXPECT_EQ(calls, 3);
}

TEST(Journal, EachDamageHasItsOwnSentence) {
  const Scratch scratch;
  const auto refused = [&](const std::string& bytes) {
    scratch.put("j", bytes);
    return refusal(scratch,
                   [&] { replay(scratch.file("j"), kGeneration, kPeople, [](auto, auto) {}); });
  };
  const std::string good = good_bytes(), whole = ": give the file as Ration wrote it last";
  const auto altered = [&](std::size_t at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 8);
    return bytes;
  };
  EXPECT_EQ(refused(good), "accepted");
  EXPECT_EQ(refused(""), "j is empty: give a journal that Ration wrote");
  EXPECT_EQ(refused("{}"), "j is of another format: give a journal that Ration wrote");
  EXPECT_EQ(refused(good.substr(0, 63)), "j is cut short, 63 bytes long" + whole);
  EXPECT_EQ(refused(altered(8)),
            "j is of version 9 of the journal's format: give one of version 1, or use the release "
            "of Ration that wrote it");
  EXPECT_EQ(refused(altered(16)),
            "j is damaged: the checksum of its beginning is not right" + whole);
  EXPECT_EQ(refused(altered(kHeader + 50)),
            "j is damaged: the checksum of step 0 is not right" + whole);
  EXPECT_EQ(refused(altered(kHeader + kNorms + 20)),
            "j is damaged: the checksum of step 1 is not right" + whole);
}

TEST(Journal, RefusesWhatIsNoStep) {
  const Scratch scratch;
  Journal journal(scratch.file("j"), kGeneration, kPeople);
  EXPECT_EQ(refusal([&] { journal.charge_again(); }),
            "journal has no step to repeat: give the norms");
  EXPECT_EQ(refusal([&] {
              journal.charge(Norms{1, 2});
            }),
            "norms cover 2 people: give those of all 3");
  journal.charge(kRows[0].norms);
  journal.sync();
  EXPECT_EQ(replayed(scratch.file("j")).rows, (Rows{{kRows[0].norms, 1}}));
}

TEST(Journal, NothingIsWrittenToAFileThatWasReplaced) {
  const Scratch scratch;
  Journal journal(scratch.file("j"), kGeneration, kPeople);
  journal.charge(kRows[0].norms);
  write(scratch.file("j"), {});
  EXPECT_EQ(refusal(scratch, [&] { journal.charge(kRows[0].norms); }),
            "cannot write j: it was removed or replaced meanwhile; is another training using it?");
  EXPECT_THROW(journal.charge_again(), WriteFailure);
}

// In a process of its own, whose files may not grow beyond the middle of the second record.
TEST(Journal, AShortWriteIsTheLastOne) {
  const Scratch scratch;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    Journal journal(scratch.file("j"), kGeneration, kPeople);
    const rlimit limit = {.rlim_cur = kHeader + kNorms + 50, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    journal.charge(kRows[0].norms);
    const auto fails = [&](const auto& action) {
      try {
        action();
        return false;
      } catch (const WriteFailure&) {
        return true;
      }
    };
    bool expected = fails([&] { journal.charge(kRows[1].norms); });
    const rlimit none = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &none);  // there is room again
    expected = expected && fails([&] { journal.charge(kRows[1].norms); }) &&
               fails([&] { journal.charge_again(); }) && fails([&] { journal.sync(); });
    _exit(expected ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(contents(scratch.file("j")).size(), kHeader + kNorms + 50);
  const Replayed result = replayed(scratch.file("j"));
  EXPECT_FALSE(result.refused);
  EXPECT_EQ(result.rows, (Rows{{kRows[0].norms, 1}}));
}

}  // namespace
}  // namespace ration::train
