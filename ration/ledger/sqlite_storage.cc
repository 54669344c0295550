#include "ration/ledger/sqlite_storage.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/file/open_file.h"

namespace ration::ledger {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kApplication = 0x5241544e;  // "RATN", in the file's header

[[noreturn]] void fail(const std::string& name, int code, const char* reason) {
  const std::string ledger = "ledger " + name;
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      refuse("ledger", name, "a file that ration ledger create has made");
    case SQLITE_CORRUPT:
      throw Error(ledger + " is damaged: restore it, and see docs/ledger.md about heads");
    case SQLITE_BUSY:
      throw WriteFailure(ledger + " is in use by another process: try again");
    case SQLITE_FULL:
      throw WriteFailure(ledger + " cannot be written: the disk is full; nothing was charged");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      throw WriteFailure(ledger + " cannot be written: it or its folder is read-only for you");
    default:
      throw WriteFailure(fmt::format("ledger {} cannot be used: {}", name, reason));
  }
}

[[noreturn]] void refuse_existing(const std::string& name) {
  refuse("ledger", name, "the name of a new file; this one exists already");
}

class Statement {
 public:
  Statement(sqlite3* database, const std::string& name, const std::string& text) : name_(name) {
    check(database, sqlite3_prepare_v2(database, text.c_str(), -1, &statement_, nullptr));
  }
  Statement(Statement&& other) noexcept
      : name_(other.name_), statement_(std::exchange(other.statement_, nullptr)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  Statement& bind(int at, std::uint64_t number) {
    check(sqlite3_bind_int64(statement_, at, static_cast<sqlite3_int64>(number)));
    return *this;
  }
  // The bytes must stay until the statement was run.
  Statement& bind(int at, Bytes bytes) {
    const void* data = bytes.empty() ? static_cast<const void*>("") : bytes.data();
    check(sqlite3_bind_blob64(statement_, at, data, bytes.size(), SQLITE_STATIC));
    return *this;
  }
  bool row() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) {
      sqlite3* const database = sqlite3_db_handle(statement_);
      const std::string reason = sqlite3_errmsg(database);
      const int extended = sqlite3_extended_errcode(database);
      reset();
      fail(name_, extended, reason.c_str());
    }
    return false;
  }
  void run() {
    while (row()) {
    }
    reset();
  }
  std::uint64_t number(int column) const {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
  }
  Blob blob(int column) const {
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
    const int size = sqlite3_column_bytes(statement_, column);
    return size == 0 ? Blob() : Blob(data, data + size);
  }
  std::string text(int column) const {
    const Blob bytes = blob(column);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  void reset() noexcept {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }

 private:
  void check(int code) const { check(sqlite3_db_handle(statement_), code); }
  void check(sqlite3* database, int code) const {
    if (code != SQLITE_OK) fail(name_, code, sqlite3_errmsg(database));
  }

  const std::string& name_;
  sqlite3_stmt* statement_ = nullptr;
};

class SqliteStorage final : public Storage {
 public:
  SqliteStorage(fs::path file, int flags, const SqliteOptions& options) : name_(file.string()) {
    // Absolute, so that no name means anything else to SQLite, as "file:..." and ":memory:" would.
    const std::string path = options.vfs == nullptr ? fs::absolute(file).string() : name_;
    const int code = sqlite3_open_v2(path.c_str(), &database_, flags, options.vfs);
    if (code != SQLITE_OK) {
      const std::string reason = sqlite3_errmsg(database_);
      sqlite3_close(database_);
      fail(name_, code, reason.c_str());
    }
    try {
      sqlite3_extended_result_codes(database_, 1);
      sqlite3_busy_timeout(database_, options.patience);
      for (const char* pragma :
           {"synchronous=EXTRA", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0",
            "cache_size=-65536", "temp_store=MEMORY", "journal_size_limit=1048576"}) {
        run(std::string("PRAGMA ") + pragma);
      }
    } catch (...) {
      close();
      throw;
    }
  }
  SqliteStorage(const SqliteStorage&) = delete;
  SqliteStorage& operator=(const SqliteStorage&) = delete;
  ~SqliteStorage() override { close(); }

  // An empty file gets its tables, in a transaction that stays open for the first change.
  void make_tables() {
    roll_back_journal();
    run("BEGIN IMMEDIATE");
    made_ = true;
    if (number("PRAGMA page_count") != 0 && number("SELECT count(*) FROM sqlite_schema") != 0) {
      refuse_existing(name_);
    }
    for (const char* table : kShelfTables) {
      run(fmt::format("CREATE TABLE {} (number INTEGER PRIMARY KEY, record BLOB NOT NULL) STRICT",
                      table));
    }
    for (const char* table : kNameTables) {
      run(
          fmt::format("CREATE TABLE {} (name BLOB PRIMARY KEY, number INTEGER NOT NULL) STRICT, "
                      "WITHOUT ROWID",
                      table));
    }
    run(fmt::format("PRAGMA application_id={}", kApplication));
    run(fmt::format("PRAGMA user_version={}", kVersion));
  }

  void check_is_ledger(Access access) {
    if (number("PRAGMA application_id") != kApplication) fail(name_, SQLITE_NOTADB, "");
    const std::int64_t version = number("PRAGMA user_version");
    if (version != kVersion) {
      refuse("ledger " + name_, fmt::format("of version {}", version),
             fmt::format("one of version {}", kVersion));
    }
    if (access == Access::read) return;
    if (sqlite3_db_readonly(database_, "main") == 1) fail(name_, SQLITE_READONLY, "");
    roll_back_journal();
  }

  std::string name() const override { return name_; }

  void begin(Access access) override {
    if (std::exchange(made_, false)) return;  // the transaction in which tables were made
    // SQLite tells by a counter whether its pages are still those of the file. An old copy that was
    // put in the file's place and changed since may have the same count: pages are read anew.
    sqlite3_db_release_memory(database_);
    run(access == Access::write ? "BEGIN IMMEDIATE" : "BEGIN");
  }
  void commit() override { run("COMMIT"); }
  void rollback() noexcept override {
    for (auto& [text, statement] : statements_) statement.reset();
    if (sqlite3_get_autocommit(database_) == 0) {
      sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
    }
  }

  using Storage::find;
  using Storage::get;

  std::vector<std::optional<Blob>> get(Shelf shelf,
                                       std::span<const std::uint64_t> numbers) override {
    Statement& one = prepared("SELECT record FROM {} WHERE number = ?", table_of(shelf));
    std::vector<std::optional<Blob>> found(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (one.bind(1, numbers[i]).row()) found[i] = one.blob(0);
      one.reset();
    }
    return found;
  }
  std::vector<Record> range(Shelf shelf, std::uint64_t first, std::uint64_t last,
                            std::size_t most) override {
    Statement& all = prepared(
        "SELECT number, record FROM {} WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?",
        table_of(shelf));
    std::vector<Record> found;
    all.bind(1, first).bind(2, last).bind(3, most);
    while (all.row()) found.push_back({all.number(0), all.blob(1)});
    all.reset();
    return found;
  }
  void put(Shelf shelf, std::uint64_t number, Bytes record) override {
    prepared("INSERT INTO {} VALUES (?, ?) ON CONFLICT DO UPDATE SET record = excluded.record",
             table_of(shelf))
        .bind(1, number)
        .bind(2, record)
        .run();
  }
  void erase(Shelf shelf, std::uint64_t first, std::uint64_t last) override {
    prepared("DELETE FROM {} WHERE number BETWEEN ? AND ?", table_of(shelf))
        .bind(1, first)
        .bind(2, last)
        .run();
  }
  std::optional<Record> last(Shelf shelf) override {
    Statement& one =
        prepared("SELECT number, record FROM {} ORDER BY number DESC LIMIT 1", table_of(shelf));
    std::optional<Record> found;
    if (one.row()) found = {one.number(0), one.blob(1)};
    one.reset();
    return found;
  }
  std::uint64_t count(Shelf shelf) override {
    return *number_if_any(prepared("SELECT count(*) FROM {}", table_of(shelf)));
  }

  std::vector<std::optional<std::uint64_t>> find(Names names, std::span<const Bytes> all) override {
    Statement& one = prepared("SELECT number FROM {} WHERE name = ?", table_of(names));
    std::vector<std::optional<std::uint64_t>> found;
    for (const Bytes name : all) found.push_back(number_if_any(one.bind(1, name)));
    return found;
  }
  void add(Names names, Bytes name, std::uint64_t number) override {
    prepared("INSERT INTO {} VALUES (?, ?)", table_of(names)).bind(1, name).bind(2, number).run();
  }
  std::uint64_t count(Names names) override {
    return *number_if_any(prepared("SELECT count(*) FROM {}", table_of(names)));
  }

 private:
  void close() noexcept {
    statements_.clear();
    sqlite3_close(database_);
  }
  void run(const std::string& text) { Statement(database_, name_, text).run(); }
  std::int64_t number(const std::string& text) {
    Statement one(database_, name_, text);
    return one.row() ? static_cast<std::int64_t>(one.number(0)) : 0;
  }
  // Somebody may have switched the file to a write-ahead log. The journal's file stays, its header
  // overwritten: to make and remove it for each change would take two more waits for the disk.
  void roll_back_journal() {
    Statement mode(database_, name_, "PRAGMA journal_mode=PERSIST");
    if (!mode.row() || mode.text(0) != "persist") {
      throw WriteFailure("ledger " + name_ +
                         " is in another program's journal mode: close that program");
    }
  }
  Statement& prepared(fmt::format_string<const char*&> text, const char* table) {
    const std::pair<std::string_view, const char*> key(fmt::string_view(text).data(), table);
    const auto found = statements_.find(key);
    if (found != statements_.end()) return found->second;
    return statements_.emplace(key, Statement(database_, name_, fmt::format(text, table)))
        .first->second;
  }
  static std::optional<std::uint64_t> number_if_any(Statement& one) {
    std::optional<std::uint64_t> found;
    if (one.row() && !one.is_null(0)) found = one.number(0);
    one.reset();
    return found;
  }

  std::string name_;
  sqlite3* database_ = nullptr;
  bool made_ = false;
  std::map<std::pair<std::string_view, const char*>, Statement> statements_;
};

// Makes an empty file that only its owner can read; one that is empty already becomes so. SQLite
// gives its journal the same mode. A file that exists is not opened: closing it would take away the
// locks that this process may have on it.
void make_private(const fs::path& file) {
  if (make_private_file(file)) return;
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != 0)
    refuse_existing(file.string());
  if (chmod(file.c_str(), S_IRUSR | S_IWUSR) != 0) {
    throw WriteFailure("cannot write " + file.string() + ": " +
                       std::generic_category().message(errno));
  }
}

}  // namespace

std::unique_ptr<Storage> new_sqlite(const fs::path& file, const SqliteOptions& options) {
  if (options.vfs == nullptr) make_private(file);
  auto storage =
      std::make_unique<SqliteStorage>(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, options);
  storage->make_tables();
  return storage;
}

std::unique_ptr<Storage> open_sqlite(const fs::path& file, Access access,
                                     const SqliteOptions& options) {
  if (options.vfs == nullptr && type_of(file) != fs::file_type::regular) {
    refuse("ledger", file.string(), "a file that ration ledger create has made");
  }
  // Also for reading: what a writer left behind when it was killed must be rolled back first.
  auto storage = std::make_unique<SqliteStorage>(file, SQLITE_OPEN_READWRITE, options);
  storage->check_is_ledger(access);
  return storage;
}

}  // namespace ration::ledger
