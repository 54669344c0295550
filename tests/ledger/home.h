// Where tests keep ledgers: in files of a folder of their own, or in databases of a PostgreSQL
// server that the first of them starts (tests/ledger/postgres.sh). Where none is installed these
// tests are skipped, unless RATION_POSTGRES=required.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/file/scratch.h"

namespace ration::ledger {

class PostgresServer {
 public:
  PostgresServer();  // throws std::runtime_error where none is installed
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  std::string url(const std::string& database) const { return url_ + "/" + database; }
  void sql(const std::string& database, const std::string& statements);
  // All of its processes at once, as a loss of power would end them; and from then on again.
  void kill();
  void start();

  // The one that tests share; nullptr where none is installed.
  static PostgresServer* shared();

 private:
  Scratch scratch_;
  std::string folder_, url_;
  int owner_;
};

enum class Kept { in_files, on_a_server };

class Home {
 public:
  explicit Home(Kept kept) : kept_(kept) {}

  // A file that does not exist, or a database without a ledger.
  std::string location(const std::string& name);
  // A copy of a ledger that nobody has open; where it is.
  std::string copy(const std::string& from, const std::string& to);
  // Statements in the language of its database, as somebody with a shell would give them.
  void sql(const std::string& name, const std::string& statements);
  const Scratch& scratch() const { return scratch_; }

 private:
  std::string database(const std::string& name);

  Kept kept_;
  Scratch scratch_;
};

// A server may still be at what a killed client has sent, its commit perhaps. Whoever has had the
// turn comes after that.
void wait_for_turn(const std::string& location);

// In a test's SetUp: skips it where it needs a server and there is none.
void need(Kept kept);

// Tests that hold for ledgers in files and on servers.
class AnyHome : public testing::TestWithParam<Kept> {
 protected:
  void SetUp() override { need(GetParam()); }
  Home home_{GetParam()};
};

}  // namespace ration::ledger

#define RATION_IN_ALL_HOMES(Suite)                                                           \
  INSTANTIATE_TEST_SUITE_P(InFiles, Suite, testing::Values(ration::ledger::Kept::in_files)); \
  INSTANTIATE_TEST_SUITE_P(Postgres, Suite, testing::Values(ration::ledger::Kept::on_a_server))
