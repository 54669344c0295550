#include "tests/ledger/home.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "ration/ledger/location.h"
#include "ration/ledger/storage.h"

namespace ration::ledger {
namespace {

constexpr int kNotInstalled = 77;

// What a command prints.
std::string output_of(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell");
  std::string text;
  std::array<char, 256> some{};
  while (std::fgets(some.data(), static_cast<int>(some.size()), pipe) != nullptr)
    text += some.data();
  const int status = WEXITSTATUS(pclose(pipe));
  if (status == kNotInstalled) throw std::runtime_error("no PostgreSQL server is installed");
  if (status != 0) throw std::runtime_error(command + " has failed");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}
std::string script(const std::string& action, const std::string& folder) {
  return output_of(RATION_SOURCE_DIR "/tests/ledger/postgres.sh " + action + " " + folder);
}

// A process and those that it has started.
std::vector<pid_t> family_of(pid_t parent) {
  std::vector<pid_t> all = {parent};
  const std::string task = "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent);
  std::ifstream children(task + "/children");
  for (pid_t child = 0; children >> child;) all.push_back(child);
  return all;
}

}  // namespace

PostgresServer::PostgresServer() : folder_(scratch_.file("server")), owner_(getpid()) {
  std::filesystem::permissions(scratch_.file(""), std::filesystem::perms(0755));
  url_ = script("make", folder_);
}
// A child that was forked leaves it alone.
PostgresServer::~PostgresServer() {
  if (owner_ != getpid()) return;
  try {
    script("stop", folder_);
  } catch (const std::exception&) {
  }
}

void PostgresServer::sql(const std::string& database, const std::string& statements) {
  output_of("psql -qX -v ON_ERROR_STOP=1 -d '" + url(database) + "' -c \"" + statements +
            "\" 2>&1");
}

void PostgresServer::kill() {
  pid_t server = 0;
  std::ifstream(folder_ + "/data/postmaster.pid") >> server;
  if (server <= 0) throw std::runtime_error("the server does not run");
  // Stopped first, so that it can start no more of them meanwhile.
  ::kill(server, SIGSTOP);
  const std::vector<pid_t> all = family_of(server);
  for (const pid_t one : all) ::kill(one, SIGKILL);
  for (const pid_t one : all) {
    while (::kill(one, 0) == 0) {
      std::ifstream status("/proc/" + std::to_string(one) + "/stat");
      std::string number, name, state;
      status >> number >> name >> state;
      if (state.empty() || state == "Z") break;
      usleep(1000);
    }
  }
  // A process that is dead and that nobody has waited for still has its number, and the next server
  // would take it for a live one.
  std::filesystem::remove(folder_ + "/data/postmaster.pid");
  std::filesystem::remove(folder_ + "/.s.PGSQL.5432.lock");
}
void PostgresServer::start() { script("start", folder_); }

PostgresServer* PostgresServer::shared() {
  static const std::unique_ptr<PostgresServer> server = [] {
    try {
      return std::make_unique<PostgresServer>();
    } catch (const std::runtime_error& reason) {
      std::fprintf(stderr, "%s\n", reason.what());
      return std::unique_ptr<PostgresServer>();
    }
  }();
  return server.get();
}

std::string Home::database(const std::string& name) {
  // Scratch folders have names of their own, and so has a database in each of them.
  std::string text = "d" + scratch_.file(name);
  for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text.size() < 60 ? text : text.substr(text.size() - 60);
}
std::string Home::location(const std::string& name) {
  if (kept_ == Kept::in_files) return scratch_.file(name);
  PostgresServer::shared()->sql("postgres", "CREATE DATABASE " + database(name));
  return PostgresServer::shared()->url(database(name));
}
std::string Home::copy(const std::string& from, const std::string& to) {
  if (kept_ == Kept::in_files) {
    std::filesystem::copy_file(scratch_.file(from), scratch_.file(to),
                               std::filesystem::copy_options::overwrite_existing);
    return scratch_.file(to);
  }
  PostgresServer& server = *PostgresServer::shared();
  server.sql("postgres", "DROP DATABASE IF EXISTS " + database(to));
  server.sql("postgres", "CREATE DATABASE " + database(to) + " TEMPLATE " + database(from));
  return server.url(database(to));
}
void Home::sql(const std::string& name, const std::string& statements) {
  if (kept_ == Kept::on_a_server) {
    PostgresServer::shared()->sql(database(name), "SET search_path = ration; " + statements);
    return;
  }
  sqlite3* file = nullptr;
  sqlite3_open(scratch_.file(name).c_str(), &file);
  const int code = sqlite3_exec(file, statements.c_str(), nullptr, nullptr, nullptr);
  sqlite3_close(file);
  if (code != SQLITE_OK) throw std::runtime_error(statements + " has failed");
}

void wait_for_turn(const std::string& location) {
  const auto storage = open_storage(location, Access::write);
  const Transaction turn(*storage, Access::write);
  storage->count(Shelf::links);
}

void need(Kept kept) {
  if (kept == Kept::in_files || PostgresServer::shared() != nullptr) return;
  const char* const wanted = std::getenv("RATION_POSTGRES");
  if (wanted != nullptr && std::string(wanted) == "required") {
    FAIL() << "no PostgreSQL server, and RATION_POSTGRES=required";
  }
  GTEST_SKIP() << "no PostgreSQL server is installed";
}

}  // namespace ration::ledger
