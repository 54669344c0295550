// A ledger whose disk loses power at any operation keeps every spend that was answered, answers a
// token once, and verifies.

#include <gtest/gtest.h>

#include <algorithm>

#include "ration/file/atomic_file.h"
#include "ration/ledger/sqlite_storage.h"
#include "tests/ledger/crash_vfs.h"
#include "tests/ledger/model.h"
#include "tests/oracle/random.h"

namespace ration::ledger {
namespace {

std::unique_ptr<Storage> opened(const CrashDisk& disk) {
  return open_sqlite("ledger", Access::write, {.vfs = disk.name()});
}

TEST(CrashDisk, LosesWhatWasNotSynced) {
  int lost = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    CrashDisk disk(seed);
    const auto run = [&](const char* text) {
      sqlite3* database = nullptr;
      int code = sqlite3_open_v2("plain", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                 disk.name());
      if (code == SQLITE_OK) {
        code = sqlite3_exec(database, text, nullptr, nullptr, nullptr);
      }
      sqlite3_close(database);
      return code;
    };
    ASSERT_EQ(run("PRAGMA synchronous=OFF; CREATE TABLE t (x); INSERT INTO t VALUES (1)"), 0);
    disk.crash_at(1);
    run("INSERT INTO t VALUES (2)");
    disk.restart();
    lost += run("SELECT * FROM t") == SQLITE_OK ? 0 : 1;
  }
  EXPECT_GT(lost, 5);
}

// One more change, over a disk that dies at some operation of it. After the restart the ledger is
// what it was before or after the change, and asked again it gives the first answer.
void change_and_crash(CrashDisk& disk, Model& model, const Change& change, std::uint64_t at,
                      std::uint64_t& inside) {
  const Model before = model;
  const Answer expected = apply(model, change);
  std::optional<Answer> first;
  disk.crash_at(at);
  try {
    Ledger ledger(opened(disk));
    first = apply(ledger, before, change);
  } catch (const Error&) {
    ASSERT_TRUE(disk.crashed());
  }
  inside += disk.crashed() ? 1 : 0;
  disk.restart();
  {
    const auto storage = opened(disk);
    const Model found = model_in(*storage);
    ASSERT_TRUE(found == before || found == model);
    ASSERT_TRUE(!first || found == model) << "a spend that was answered is lost";
  }
  Ledger ledger(opened(disk));
  ASSERT_EQ(first.value_or(expected), expected);
  ASSERT_EQ(apply(ledger, before, change), expected);
  ASSERT_NO_THROW(ledger.verify());
  ASSERT_TRUE(model_in(*opened(disk)) == model);
}

TEST(Ledger, LosesNothingWhenPowerIsLostAtAnyOperation) {
  constexpr int kOfOneLedger = 40;
  // 10^5 in `make soak`.
  const int crashes = std::clamp(oracle::cases() / 4, 100, 100'000);
  std::mt19937 random(7);
  std::uint64_t inside = 0;
  for (int made = 0; made < crashes;) {
    const auto seed = static_cast<unsigned>(made);
    CrashDisk disk(seed);
    const NewPeople people = some_people(0, 300);
    Model model = model_of(people);
    Ledger::create(new_sqlite("ledger", {.vfs = disk.name()}), gdp_currency(), 1e-6, people);
    for (int k = 0; k < kOfOneLedger && made < crashes; ++k, ++made) {
      const Change change = random_change(model, static_cast<std::uint64_t>(k), seed);
      const std::uint64_t at = 1 + random() % 40;
      ASSERT_NO_FATAL_FAILURE(change_and_crash(disk, model, change, at, inside))
          << "ledger " << seed << ", change " << k << ", operation " << at;
    }
  }
  EXPECT_GT(inside, static_cast<std::uint64_t>(crashes) / 3) << "changes end before the crashes";
}

TEST(Ledger, IsThereAsAWholeOrNotAtAllWhenCreatingIsInterrupted) {
  int made = 0, missing = 0;
  for (unsigned at = 1; at < 200; ++at) {
    CrashDisk disk(at);
    disk.crash_at(at);
    const NewPeople people = some_people(0, 300);
    const auto create = [&] {
      return Ledger::create(new_sqlite("ledger", {.vfs = disk.name()}), gdp_currency(), 1e-6,
                            people);
    };
    bool answered = false;
    try {
      create();
      answered = true;
    } catch (const Error&) {
    }
    disk.restart();
    try {
      Ledger(opened(disk)).verify();
      ++made;
    } catch (const Error&) {
      ASSERT_FALSE(answered);
      ++missing;
      ASSERT_NO_THROW(create().verify());
    }
  }
  EXPECT_GT(made, 0);
  EXPECT_GT(missing, 0);
}

TEST(Ledger, AFullDiskChargesNothing) {
  CrashDisk disk(1);
  const NewPeople people = some_people(0, 2000);
  Ledger ledger =
      Ledger::create(new_sqlite("ledger", {.vfs = disk.name()}), gdp_currency(), 1e-6, people);
  const GrantRequest request = {.token = "grant", .limit = MuBudget{0.1}};
  const std::string head = ledger.head();
  disk.limit_size(0);
  try {
    ledger.grant(request);
    FAIL() << "written to a full disk";
  } catch (const WriteFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("disk is full"), std::string::npos);
  }
  EXPECT_EQ(ledger.head(), head);
  EXPECT_TRUE(model_in(*opened(disk)) == model_of(people));
  disk.limit_size(std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(ledger.grant(request).reserves.size(), 2000u);
  EXPECT_NO_THROW(ledger.verify());
}

}  // namespace
}  // namespace ration::ledger
