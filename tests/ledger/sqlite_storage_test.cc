// The file of a ledger: private, told from other files, shared by processes.

#include "ration/ledger/sqlite_storage.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <fstream>

#include "ration/control/gdp_currency.h"
#include "ration/file/atomic_file.h"
#include "ration/ledger/ledger.h"
#include "tests/file/scratch.h"

namespace ration::ledger {
namespace {

class FileTest : public testing::Test {
 protected:
  Ledger made() {
    return Ledger::create(file_, gdp_currency(), 1e-5,
                          {.ids = {"ann", "bob"}, .budgets = {.kinds = {MuBudget{1}}}});
  }
  void sql(const std::string& text) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << text;
    sqlite3_close(database);
  }
  std::string opening() {
    return refusal(scratch_, [&] { Ledger::open(file_); });
  }
  // Into the same file, as a backup's program may write it.
  void put_back(const std::string& text) {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << text;
  }
  const Scratch scratch_;
  const std::string file_ = scratch_.file("ledger");
};

constexpr const char* kNoLedger =
    "ledger is ledger: give a file that ration ledger create has made";

TEST_F(FileTest, OnlyItsOwnerCanReadIt) {
  const mode_t before = umask(0);
  made();
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(stat((file_ + "-journal").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(scratch_.files(), 2u);
}

TEST_F(FileTest, OtherFilesAreRefusedAndLeftAlone) {
  EXPECT_EQ(opening(), kNoLedger);
  EXPECT_EQ(scratch_.files(), 0u);
  const std::string text(5000, 'x');
  scratch_.put("ledger", text);
  EXPECT_EQ(opening(), kNoLedger);
  EXPECT_NE(refusal([&] { made(); }), "accepted");
  EXPECT_EQ(contents(file_), text);
  scratch_.put("ledger", "");
  EXPECT_EQ(opening(), kNoLedger);
  sql("CREATE TABLE links (number INTEGER PRIMARY KEY, record BLOB)");
  EXPECT_EQ(opening(), kNoLedger);
  EXPECT_NE(refusal([&] { made(); }), "accepted");
}

TEST_F(FileTest, OneOfAnotherVersionIsRefused) {
  made();
  sql("PRAGMA user_version = 2");
  EXPECT_EQ(opening(), "ledger ledger is of version 2: give one of version 1");
}

TEST_F(FileTest, AnExistingLedgerIsNotReplaced) {
  Ledger ledger = made();
  const std::string head = ledger.head();
  EXPECT_EQ(refusal(scratch_, [&] { made(); }),
            "ledger is ledger: give the name of a new file; this one exists already");
  EXPECT_EQ(ledger.head(), head);
}

TEST_F(FileTest, NothingStaysOfALedgerThatWasRefused) {
  EXPECT_NE(refusal([&] {
              Ledger::create(file_, gdp_currency(), 1e-5,
                             {.ids = {"ann", "ann"}, .budgets = {.kinds = {MuBudget{1}}}});
            }),
            "accepted");
  EXPECT_EQ(scratch_.files(), 0u);
}

TEST_F(FileTest, GoesBackToItsOwnJournal) {
  made();
  sql("PRAGMA journal_mode = WAL");
  EXPECT_EQ(contents(file_)[18], 2);
  Ledger::open(file_).grant({.token = "a"});
  EXPECT_EQ(contents(file_)[18], 1);
}

TEST_F(FileTest, WaitsForAnotherWriterAndThenSaysSo) {
  made();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  Ledger ledger(open_sqlite(file_, Access::write, {.patience = 20}));
  EXPECT_THROW(ledger.grant({.token = "a"}), WriteFailure);
  EXPECT_EQ(ledger.count_grants(), 0u) << "others may read meanwhile";
  sqlite3_close(other);
  EXPECT_EQ(ledger.grant({.token = "a"}).reserves.size(), 2u);
}

// An old copy in the same file, not only under the same name: what is open does not notice by
// itself.
TEST_F(FileTest, AnOldCopyThatWasPutBackWhileItIsOpenIsRefused) {
  Ledger ledger = made();
  const std::string old = contents(file_);
  ledger.grant({.token = "a"});
  put_back(old);
  EXPECT_NE(refusal([&] { ledger.grant({.token = "b"}); }).find("has forgotten a change"),
            std::string::npos);
  EXPECT_NE(refusal([&] { ledger.person("ann"); }).find("has forgotten a change"),
            std::string::npos);
}

// As many changes in both, so that SQLite takes its pages for those of the file.
TEST_F(FileTest, AnotherProcesssSpendIsNotWrittenOverFromAStalePage) {
  Ledger ledger = made();
  const std::string old = contents(file_);
  ledger.grant({.token = "a"});
  put_back(old);
  Ledger::open(file_).grant({.token = "other"});
  EXPECT_NE(refusal([&] { ledger.grant({.token = "b"}); }).find("has forgotten a change"),
            std::string::npos);
  Ledger now = Ledger::open(file_);
  now.verify();
  ASSERT_EQ(now.grants().size(), 1u);
  EXPECT_EQ(now.grants()[0].token, "other");
}

TEST_F(FileTest, ItsNameIsAlwaysThatOfAFile) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(scratch_.file(""));
  for (const std::string name : {":memory:", "file:x"}) {
    Ledger::create(name, gdp_currency(), 1e-5,
                   {.ids = {"ann"}, .budgets = {.kinds = {MuBudget{1}}}});
    EXPECT_TRUE(std::filesystem::exists(name));
    EXPECT_EQ(Ledger::open(name).people(), 1u);
  }
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace ration::ledger
