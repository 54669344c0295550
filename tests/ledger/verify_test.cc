// Whoever changes anything in a ledger's file or database is found out by verify.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <random>

#include "ration/control/gdp_currency.h"
#include "ration/ledger/blocks.h"
#include "ration/ledger/ledger.h"
#include "tests/file/scratch.h"
#include "tests/ledger/home.h"

namespace ration::ledger {
namespace {

class Database {
 public:
  explicit Database(const std::string& file) { sqlite3_open(file.c_str(), &database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { sqlite3_close(database_); }

  void run(const std::string& text) {
    ASSERT_EQ(sqlite3_exec(database_, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << text;
  }
  std::vector<std::pair<sqlite3_int64, std::string>> records(const std::string& table) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database_, ("SELECT number, record FROM " + table).c_str(), -1, &statement,
                       nullptr);
    std::vector<std::pair<sqlite3_int64, std::string>> all;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, 1));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, 1));
      all.emplace_back(sqlite3_column_int64(statement, 0),
                       bytes == nullptr ? "" : std::string(bytes, size));
    }
    sqlite3_finalize(statement);
    return all;
  }
  void put(const std::string& table, sqlite3_int64 number, const std::string& record) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database_, ("UPDATE " + table + " SET record = ? WHERE number = ?").c_str(),
                       -1, &statement, nullptr);
    sqlite3_bind_blob64(statement, 1, record.data(), record.size(), SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, number);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_DONE);
    sqlite3_finalize(statement);
  }

 private:
  sqlite3* database_ = nullptr;
};

void fill(const std::string& location) {
  NewPeople people = {.ids = {}, .budgets = {.kinds = {MuBudget{1}, MuBudget{2}}}};
  for (std::uint32_t i = 0; i < 500; ++i) {
    people.ids.push_back("person " + std::to_string(i));
    people.budgets.kind_of.push_back(i % 2);
  }
  Ledger ledger = Ledger::create(location, gdp_currency(), 1e-5, people);
  ledger.set_quota("red", MuBudget{0.5});
  const std::vector<double> norms(500, 0.7);
  ledger.admit({.token = "query", .team = "red", .step = {.noise = 10}, .norms = norms});
  ledger.grant({.token = "open", .limit = MuBudget{0.5}});
  ledger.grant({.token = "started", .limit = MuBudget{0.1}, .ids = {"person 3", "person 400"}});
  ledger.start("started", "run");
  ledger.settle(ledger.grant({.token = "settled"}), std::vector<Units>(500, 1));
  ledger.verify();
}

// In any home, by statements.
class VerifyAnywhere : public AnyHome {
 protected:
  void SetUp() override {
    AnyHome::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    fill(home_.location("ledger"));
  }
  // What verify says after these statements.
  std::string after(const std::string& statements) {
    const std::string copy = home_.copy("ledger", "copy");
    if (!statements.empty()) home_.sql("copy", statements);
    const std::string text = refusal([&] { Ledger::look_at(copy).verify(); });
    const std::size_t at = text.find(" is broken: ");
    return at == std::string::npos ? text : text.substr(at + 12);
  }
};
RATION_IN_ALL_HOMES(VerifyAnywhere);

class VerifyTest : public testing::Test {
 protected:
  VerifyTest() { fill(file_); }
  std::string broken() {
    return refusal(scratch_, [&] { Ledger::look_at(file_).verify(); });
  }
  const Scratch scratch_;
  const std::string file_ = scratch_.file("ledger");
};

// A change writes a new digest of the block: without a look at the old one it would bless what was
// changed behind the ledger's back.
TEST_F(VerifyTest, DamageIsNotMadeGoodByAChange) {
  Database database(file_);
  for (const std::string table : {"accounts", "reserves"}) {
    const auto [number, record] = database.records(table).front();
    std::string other = record;
    other.back() = static_cast<char>(other.back() ^ 1);
    database.put(table, number, other);
    Ledger ledger = Ledger::open(file_);
    const std::string head = ledger.head();
    const auto refused = [&](const auto& change) {
      return refusal(scratch_, change).find("is damaged: ") != std::string::npos;
    };
    if (table == "accounts") {
      const std::vector<double> norms = {0.1};
      EXPECT_TRUE(refused([&] {
        ledger.admit({.token = "more", .step = {.noise = 10}, .ids = {"person 1"}, .norms = norms});
      }));
      EXPECT_TRUE(refused([&] { ledger.grant({.token = "more", .limit = MuBudget{0.1}}); }));
    }
    EXPECT_TRUE(refused([&] { ledger.settle_everything("open"); })) << table;
    EXPECT_TRUE(refused([&] { ledger.void_grant("open"); })) << table;
    EXPECT_EQ(ledger.head(), head);
    database.put(table, number, record);
  }
  EXPECT_EQ(broken(), "accepted");
}

TEST_F(VerifyTest, FindsAByteThatWasChangedInAnyRecord) {
  std::mt19937 random(1);
  int changed = 0;
  for (const std::string table :
       {"terms", "links", "people", "accounts", "grants", "reserves", "answers"}) {
    Database database(file_);
    database.run("PRAGMA synchronous=OFF");
    for (const auto& [number, record] : database.records(table)) {
      for (int k = 0; k < 5; ++k) {
        std::string other = record;
        char& byte = other[random() % other.size()];
        byte = static_cast<char>(byte ^ (1 << random() % 8));
        database.put(table, number, other);
        EXPECT_NE(broken(), "accepted") << table << " " << number;
        ++changed;
      }
      database.put(table, number, record);
    }
    EXPECT_EQ(broken(), "accepted") << table;
  }
  EXPECT_GT(changed, 50);
}

TEST_P(VerifyAnywhere, SaysWhatIsBroken) {
  EXPECT_EQ(after("DELETE FROM links WHERE number = 3"), "link 3: it is missing");
  EXPECT_EQ(after("UPDATE links SET record = (SELECT record FROM links WHERE number = 3) WHERE "
                  "number = 4"),
            "link 4: its hash is not that of what it holds");
  EXPECT_EQ(after("UPDATE accounts SET record = (SELECT record FROM accounts WHERE number = 0) "
                  "WHERE number = 1"),
            "block 1 of people: accounts are not what their digest says");
  EXPECT_EQ(after("UPDATE places SET number = number + 1"),
            "block 0 of people: an id does not lead to its account");
}

TEST_P(VerifyAnywhere, FindsRecordsThatWereTakenOutOrPutIn) {
  const std::string name = GetParam() == Kept::in_files ? "x'41'" : "'A'::bytea";
  for (const std::string& statement :
       {std::string("DELETE FROM links WHERE number = (SELECT max(number) FROM links)"),
        std::string("DELETE FROM heads WHERE number = 2"),
        std::string("DELETE FROM tokens WHERE number = 3"),
        "INSERT INTO tokens VALUES (" + name + ", 3)", "INSERT INTO heads VALUES (" + name + ", 3)",
        std::string("DELETE FROM reserves WHERE number = (SELECT max(number) FROM reserves)"),
        std::string("INSERT INTO reserves SELECT number + 1000000, record FROM reserves LIMIT 1"),
        std::string("DELETE FROM grants WHERE number = 3"), std::string("DELETE FROM answers"),
        "INSERT INTO answers VALUES (9999, " + name + ")",
        std::string("DELETE FROM places WHERE number = 7"),
        "INSERT INTO places VALUES (" + name + ", 3)",
        std::string("DELETE FROM terms WHERE number = 2"),
        std::string("DELETE FROM people WHERE number = 1"),
        std::string("DELETE FROM accounts WHERE number = 1")}) {
    EXPECT_NE(after(statement), "accepted") << statement;
  }
  EXPECT_EQ(after(""), "accepted");
}

// An old block has the right digest of its own, and stays a difference whatever is changed after.
TEST_P(VerifyAnywhere, FindsAnOldBlockThatWasPutBackAlsoAfterAChange) {
  const std::string copy = home_.copy("ledger", "copy");
  home_.sql("copy", "CREATE TABLE old AS SELECT * FROM accounts WHERE number = 1");
  Ledger ledger = Ledger::open(copy);
  ledger.settle_everything("open");
  EXPECT_NO_THROW(ledger.verify());
  home_.sql("copy", "UPDATE accounts SET record = (SELECT record FROM old) WHERE number = 1");
  const auto broken = [&] { return refusal([&] { ledger.verify(); }); };
  EXPECT_NE(broken(), "accepted");
  const std::vector<double> norms = {0.1};
  ledger.admit({.token = "more",
                .step = {.noise = 50},
                .ids = {"person " + std::to_string(kBlock + 1)},
                .norms = norms});
  EXPECT_NE(broken(), "accepted");
}

}  // namespace
}  // namespace ration::ledger
