// A ledger on a PostgreSQL server: what is refused, what is never told, and a server that is
// killed.

#include "ration/ledger/postgres_storage.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "ration/control/gdp_currency.h"
#include "ration/file/atomic_file.h"
#include "ration/ledger/ledger.h"
#include "ration/ledger/location.h"
#include "tests/ledger/home.h"
#include "tests/ledger/model.h"
#include "tests/oracle/random.h"

namespace ration::ledger {
namespace {

TEST(PostgresUrl, IsToldWithoutItsPassword) {
  EXPECT_EQ(shown("postgresql://ann:secret@db.example:5433/clinic?sslmode=require"),
            "postgresql://db.example:5433/clinic");
  EXPECT_EQ(shown("postgres://db/clinic?password=secret&user=ann"), "postgresql://db/clinic");
  EXPECT_EQ(shown("some.ledger"), "some.ledger");
}

// Also where it is written so that part of it is taken for a host, a port or a database.
TEST(PostgresUrl, APasswordIsNotRepeatedByARefusal) {
  for (const char* url :
       {"postgresql://ann:sec/ret@127.0.0.1:1/clinic",
        "postgresql://ann:sec@ret@127.0.0.1:1/clinic", "postgresql://ann:sec?ret@127.0.0.1:1/x",
        "postgresql://ann:secret", "postgresql://[ann:secret",
        "postgresql://ann:secret@127.0.0.1:1/clinic", "postgresql://ann:sec#ret@127.0.0.1:1/clinic",
        "postgresql://127.0.0.1:1/clinic?password=secret"}) {
    const std::string text = refusal([&] { Ledger::open(url); });
    EXPECT_NE(text, "accepted");
    EXPECT_EQ(text.find("sec"), std::string::npos) << text;
    EXPECT_EQ(text.find("ret"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(PostgresUrl, AServerThatDoesNotAnswerIsRefused) {
  EXPECT_EQ(refusal([&] { Ledger::open("postgresql://127.0.0.1:1/clinic"); }).substr(0, 63),
            "ledger postgresql://127.0.0.1:1/clinic does not answer: connect");
}

class PostgresTest : public AnyHome {
 protected:
  Ledger made() {
    location_ = home_.location("ledger");
    return Ledger::create(location_, gdp_currency(), 1e-5,
                          {.ids = {"ann", "bob"}, .budgets = {.kinds = {MuBudget{1}}}});
  }
  std::string opening() {
    return refusal([&] { Ledger::open(location_); });
  }
  std::string location_;
};
INSTANTIATE_TEST_SUITE_P(Postgres, PostgresTest, testing::Values(Kept::on_a_server));

TEST_P(PostgresTest, OtherDatabasesAreRefusedAndLeftAlone) {
  location_ = home_.location("empty");
  EXPECT_NE(opening().find("give a database in which ration ledger create was run"),
            std::string::npos);
  home_.sql("empty", "CREATE SCHEMA ration; CREATE TABLE ration.other (x int)");
  EXPECT_NE(opening().find("give a database in which"), std::string::npos);
  EXPECT_NE(refusal([&] {
              Ledger::create(location_, gdp_currency(), 1e-5,
                             {.ids = {"ann"}, .budgets = {.kinds = {MuBudget{1}}}});
            }).find("has a schema ration already"),
            std::string::npos);
  home_.sql("empty", "SELECT * FROM ration.other");
}

TEST_P(PostgresTest, OneOfAnotherVersionIsRefused) {
  made();
  home_.sql("ledger", "UPDATE ration.ledger SET version = 2");
  EXPECT_NE(opening().find(" is of version 2: give one of version 1"), std::string::npos);
}

TEST_P(PostgresTest, NothingStaysOfALedgerThatWasRefused) {
  location_ = home_.location("twice");
  const auto create = [&](const std::string& second) {
    Ledger::create(new_storage(location_), gdp_currency(), 1e-5,
                   {.ids = {"ann", second}, .budgets = {.kinds = {MuBudget{1}}}});
  };
  EXPECT_NE(refusal([&] { create("ann"); }), "accepted");
  EXPECT_EQ(refusal([&] { create("bob"); }), "accepted");
}

TEST_P(PostgresTest, AServerThatMayLoseWhatItAnsweredIsRefused) {
  made();
  PostgresServer& server = *PostgresServer::shared();
  const auto set = [&](const std::string& value) {
    server.sql("postgres", "ALTER SYSTEM SET fsync = " + value);
    server.sql("postgres", "SELECT pg_reload_conf()");
    usleep(300'000);
  };
  set("off");
  const std::string text = opening();
  set("on");
  EXPECT_NE(text.find("switch fsync and full_page_writes on"), std::string::npos) << text;
  EXPECT_EQ(opening(), "accepted");
}

// Whatever role and database say, and though the session was switched off in between. A deferred
// trigger runs in the commit itself and writes down what holds there.
TEST_P(PostgresTest, EveryCommitIsSynchronous) {
  made();
  home_.sql("ledger", R"(
      CREATE TABLE public.seen (setting text);
      CREATE FUNCTION public.off() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN
        PERFORM pg_catalog.set_config('synchronous_commit', 'off', false); RETURN NEW; END \$\$;
      CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN
        INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); RETURN NULL;
        END \$\$;
      CREATE TRIGGER off BEFORE INSERT ON links FOR EACH ROW EXECUTE FUNCTION public.off();
      CREATE CONSTRAINT TRIGGER see AFTER INSERT ON links DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION public.see();
      DO \$\$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database());
        EXECUTE format('ALTER ROLE postgres IN DATABASE %I SET synchronous_commit = off',
                       current_database());
      END \$\$)");
  Ledger ledger = Ledger::open(location_);
  ledger.grant({.token = "a", .limit = MuBudget{0.1}});
  ledger.settle_everything("a");
  home_.sql("ledger", R"(DO \$\$ BEGIN
        ASSERT current_setting('synchronous_commit') = 'off', 'not the default here';
        ASSERT (SELECT array_agg(setting) FROM public.seen) = '{on,on}', 'not on in a commit';
      END \$\$)");
}

TEST_P(PostgresTest, GoesOnAfterItsConnectionWasLostInAPause) {
  Ledger ledger = made();
  const GrantRequest request = {.token = "a", .limit = MuBudget{0.1}};
  const Grant first = ledger.grant(request);
  PostgresServer::shared()->sql(
      "postgres",
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ration'");
  EXPECT_EQ(ledger.grant(request).reserves, first.reserves);
  EXPECT_EQ(ledger.count_grants(), 1u);
}

TEST_P(PostgresTest, AReaderSeesOneMoment) {
  Ledger ledger = made();
  const auto storage = open_storage(location_, Access::read);
  const Transaction transaction(*storage, Access::read);
  const std::uint64_t links = storage->count(Shelf::links);
  ledger.grant({.token = "a", .limit = MuBudget{0.1}});
  EXPECT_EQ(storage->count(Shelf::links), links);
  EXPECT_THROW(
      {
        storage->put(Shelf::answers, 1, {});
        storage->count(Shelf::answers);
      },
      Error);
}

TEST_P(PostgresTest, AReadOnlyDatabaseIsLookedAtAndNotChanged) {
  Ledger before = made();
  before.grant({.token = "a", .limit = MuBudget{0.1}});
  const std::string head = before.head();
  PostgresServer& server = *PostgresServer::shared();
  const std::string database = location_.substr(location_.rfind('/') + 1);
  server.sql("postgres", "ALTER DATABASE " + database + " SET default_transaction_read_only = on");
  const auto failure = [&](const auto& action) -> std::string {
    try {
      action();
    } catch (const WriteFailure& refused) {
      return refused.what();
    }
    return "accepted";
  };
  const std::string text =
      failure([&] { Ledger::open(location_).grant({.token = "b", .limit = MuBudget{0.1}}); });
  EXPECT_NE(text.find(" cannot be written: it is read-only for you"), std::string::npos) << text;
  EXPECT_EQ(Ledger::look_at(location_).head(), head);
  server.sql("postgres", "ALTER DATABASE " + database + " RESET default_transaction_read_only");
  EXPECT_EQ(Ledger::open(location_).head(), head);
  EXPECT_NO_THROW(Ledger::open(location_).verify());
}

TEST_P(PostgresTest, ALedgerIsNotMadeInAReadOnlyDatabase) {
  location_ = home_.location("ledger");
  const auto create = [&] {
    Ledger::create(location_, gdp_currency(), 1e-5,
                   {.ids = {"ann"}, .budgets = {.kinds = {MuBudget{1}}}});
  };
  const std::string database = location_.substr(location_.rfind('/') + 1);
  PostgresServer& server = *PostgresServer::shared();
  server.sql("postgres", "ALTER DATABASE " + database + " SET default_transaction_read_only = on");
  const std::string text = refusal(create);
  EXPECT_NE(text.find("read-only"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  server.sql("postgres", "ALTER DATABASE " + database + " RESET default_transaction_read_only");
  EXPECT_EQ(refusal(create), "accepted");
}

// A database on a small disk of its own, memory in truth; needs the right to mount one.
TEST_P(PostgresTest, AFullDiskChargesNothing) {
  const std::string disk = home_.scratch().file("disk");
  std::filesystem::create_directory(disk);
  std::filesystem::permissions(home_.scratch().file(""), std::filesystem::perms(0755));
  if (std::system(("mount -t tmpfs -o size=64m tmpfs " + disk + " 2>/dev/null").c_str()) != 0 ||
      std::system(("mkdir " + disk + "/space && chown postgres " + disk + "/space").c_str()) != 0) {
    GTEST_SKIP() << "no disk can be mounted here";
  }
  PostgresServer& server = *PostgresServer::shared();
  server.sql("postgres", "CREATE TABLESPACE small LOCATION '" + disk + "/space'");
  server.sql("postgres", "CREATE DATABASE full_disk TABLESPACE small");
  const std::string location = server.url("full_disk");
  {
    Ledger ledger = Ledger::create(location, gdp_currency(), 1e-6, some_people(0, 20'000));
    const GrantRequest request = {.token = "grant", .limit = MuBudget{0.1}};
    const std::string head = ledger.head();
    std::system(("dd if=/dev/zero of=" + disk + "/filler bs=4k 2>/dev/null").c_str());
    try {
      ledger.grant(request);
      ADD_FAILURE() << "written to a full disk";
    } catch (const WriteFailure& failure) {
      const std::string text = failure.what();
      EXPECT_NE(text.find("cannot be written: could not extend file"), std::string::npos) << text;
      EXPECT_NE(text.find("; nothing was charged"), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
    EXPECT_EQ(ledger.head(), head);
    EXPECT_EQ(ledger.count_grants(), 0u);
    EXPECT_NO_THROW(ledger.verify());
    std::filesystem::remove(disk + "/filler");
    EXPECT_EQ(ledger.grant(request).reserves.size(), 20'000u);
    EXPECT_NO_THROW(ledger.verify());
  }
  server.sql("postgres", "DROP DATABASE full_disk WITH (FORCE)");
  server.sql("postgres", "DROP TABLESPACE small");
  EXPECT_EQ(std::system(("umount " + disk).c_str()), 0);
}

// Another process kills the server again and again; each change is asked for until it is answered.
// What was answered is there after every restart, and asked again gives the same answer.
TEST_P(PostgresTest, AKilledServerLosesNoSpend) {
  const int kills = oracle::kills(8);
  PostgresServer server;
  server.sql("postgres", "CREATE DATABASE clinic");
  const std::string location = server.url("clinic");
  const NewPeople people = some_people(0, 1000);
  Model model = model_of(people);
  Ledger::create(location, gdp_currency(), 1e-6, people);
  const pid_t killer = fork();
  if (killer == 0) {
    std::mt19937 random(3);
    int status = 1;
    try {
      for (int k = 0; k < kills; ++k) {
        usleep(std::uniform_int_distribution<useconds_t>(0, 400'000)(random));
        server.kill();
        server.start();
      }
      status = 0;
    } catch (const std::exception&) {
    }
    _exit(status);
  }
  int status = 0, failures = 0;
  std::uint64_t changes = 0;
  while (waitpid(killer, &status, WNOHANG) == 0) {
    const Model before = model;
    const Change change = random_change(model, changes++, 4);
    const Answer expected = apply(model, change);
    int tries = 0;
    for (bool done = false; !done;) {
      try {
        Ledger ledger = Ledger::open(location);
        ASSERT_EQ(apply(ledger, before, change), expected);
        done = true;
      } catch (const Error&) {
        ++failures;
        ASSERT_LT(++tries, 5000) << "the server did not start again";
        usleep(20'000);
      }
    }
    for (bool looked = false; !looked;) {
      try {
        ASSERT_TRUE(model_in(*open_storage(location, Access::read)) == model)
            << "a spend that was answered is lost";
        looked = true;
      } catch (const Error&) {
        ASSERT_LT(++tries, 10'000) << "the server did not start again";
        usleep(20'000);
      }
    }
  }
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the server did not start again";
  EXPECT_GT(failures, kills / 3) << "nobody noticed the kills";
  Ledger ledger = Ledger::open(location);
  EXPECT_NO_THROW(ledger.verify());
  EXPECT_EQ(ledger.history().size(), changes + 2) << "each change happened once";
}

}  // namespace
}  // namespace ration::ledger
