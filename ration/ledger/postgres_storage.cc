#include "ration/ledger/postgres_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/ledger/postgres_calls.h"
#include "ration/ledger/postgres_client.h"

namespace ration::ledger {
namespace {

using Writes = PostgresClient::Writes;

constexpr std::size_t kHeldBack = 8 << 20;  // bytes, before they are sent
constexpr std::size_t kManyNames = 2000;    // are copied, which is quicker and not with others

// A question that waits with others, and where its answer goes.
struct PostgresAhead {
  std::size_t call;
  std::optional<Shelf> shelf = {};
  std::vector<std::uint64_t> numbers = {};
  bool last = false;
  std::optional<Names> names = {};
  Blob name = {};
};
// Of a transaction: what it has read of a shelf and not put since, what is there, and what it has
// put and not sent.
struct KnownShelf {
  std::map<std::uint64_t, std::optional<Blob>> known = {};
  std::optional<std::optional<Record>> last = {};
  std::set<std::uint64_t> there = {};
  std::map<std::uint64_t, Blob> held_back = {};
};

class PostgresStorage final : public Storage {
 public:
  explicit PostgresStorage(std::string url) : url_(std::move(url)), client_(connected(url_)) {}

  // A server that loses nothing; any other is refused, also when a connection is made anew.
  static PostgresClient connected(const std::string& url) {
    PostgresClient client(url);
    const std::array<PostgresCall, 2> calls = {
        postgres::settings(),
        PostgresCall{"SELECT CASE WHEN pg_is_in_recovery() THEN 1 WHEN current_setting('fsync') = "
                     "'off' OR current_setting('full_page_writes') = 'off' THEN 2 ELSE 0 END"}};
    const std::uint64_t wrong = client.run(calls, Writes::nothing)[1].number(0, 0);
    if (wrong == 1) {
      throw Error("ledger " + client.name() +
                  " is on a replica, which may be behind: give the primary");
    }
    if (wrong == 2) {
      throw Error("ledger " + client.name() +
                  " is on a server that may lose what it has answered: switch fsync and "
                  "full_page_writes on");
    }
    return client;
  }

  std::string name() const override { return client_.name(); }

  // In a transaction that stays open for the first change.
  void make_tables() {
    refuse_other_ledger();
    std::vector<PostgresCall> calls = postgres::make_tables();
    calls.insert(calls.begin(), {"BEGIN ISOLATION LEVEL REPEATABLE READ"});
    made_ = true;
    // One by one: a statement is understood when those before it have happened.
    for (const PostgresCall& call : calls) {
      try {
        client_.run(call, Writes::until_commit);
      } catch (const WriteFailure&) {
        if (call.text == "CREATE SCHEMA ration") {  // another process was quicker
          client_.rollback();
          refuse_other_ledger();
        }
        throw;
      }
    }
  }

  void check_is_ledger(Access access) {
    if (!has_ledger()) refuse("ledger", name(), "a database in which ration ledger create was run");
    const PostgresAnswer answer =
        client_.run({"SELECT version FROM ration.ledger"}, Writes::nothing);
    const std::uint64_t version = answer.rows() == 1 ? answer.number(0, 0) : 0;
    if (version != kVersion) {
      refuse("ledger " + name(), fmt::format("of version {}", version),
             fmt::format("one of version {}", kVersion));
    }
    if (access == Access::read) return;
    const PostgresAnswer may = client_.run(
        {"SELECT has_table_privilege('ration.accounts', 'INSERT, UPDATE')::int::bigint, "
         "(current_setting('default_transaction_read_only') = 'on')::int::bigint"},
        Writes::nothing);
    if (may.number(0, 0) == 0 || may.number(0, 1) != 0) {
      throw WriteFailure("ledger " + name() + " cannot be written: it is read-only for you");
    }
  }

  // Sent together with the first question.
  void begin(Access access) override {
    forget();
    begun_ = made_;
    if (std::exchange(made_, false)) return;  // the transaction in which tables were made
    if (access == Access::read) {
      waiting_ = {{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}};
    } else {
      waiting_ = {{"BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"},
                  {"LOCK TABLE ration.turn IN EXCLUSIVE MODE"}};
    }
  }
  // The server reads this setting when it commits. Said here, nothing that came before can have
  // switched it off for a session: not a pooler, not a trigger.
  void commit() override {
    send_held_back();
    waiting_.push_back({"SET LOCAL synchronous_commit = on"});
    waiting_.push_back({"COMMIT"});
    run_waiting(Writes::commits);
    forget();
  }
  void rollback() noexcept override {
    forget();
    waiting_.clear();
    for (auto& names : names_) names.clear();
    held_back_ = 0;
    client_.rollback();
  }

  void look_ahead(const Questions& questions) override {
    for (const auto& [shelf, numbers] : questions.records) {
      ahead_.push_back({.call = waiting_.size(), .shelf = shelf, .numbers = numbers});
      waiting_.push_back(postgres::get(shelf, numbers));
    }
    for (const auto& [names, name] : questions.names) {
      ahead_.push_back({.call = waiting_.size(), .names = names, .name = name});
      waiting_.push_back(postgres::find(names, std::array<Bytes, 1>{name}));
    }
    for (const Shelf shelf : questions.last) {
      ahead_.push_back({.call = waiting_.size(), .shelf = shelf, .last = true});
      waiting_.push_back(postgres::last(shelf));
    }
  }

  using Storage::find;
  using Storage::get;

  std::vector<std::optional<Blob>> get(Shelf shelf,
                                       std::span<const std::uint64_t> numbers) override {
    ask_ahead();
    auto& known = on(shelf).known;
    if (std::all_of(numbers.begin(), numbers.end(), [&](auto n) { return known.contains(n); })) {
      std::vector<std::optional<Blob>> found;
      for (const std::uint64_t number : numbers) found.push_back(known.at(number));
      return found;
    }
    send_held_back(shelf);
    return records_at(shelf, numbers, ask(postgres::get(shelf, numbers)));
  }
  std::vector<Record> range(Shelf shelf, std::uint64_t first, std::uint64_t last,
                            std::size_t most) override {
    send_held_back(shelf);
    return records_in(ask(postgres::range(shelf, first, last, most)));
  }
  std::optional<Record> last(Shelf shelf) override {
    ask_ahead();
    if (on(shelf).last) return *on(shelf).last;
    send_held_back(shelf);
    return first_of(records_in(ask(postgres::last(shelf))));
  }
  std::uint64_t count(Shelf shelf) override {
    send_held_back(shelf);
    return ask(postgres::count(table_of(shelf))).number(0, 0);
  }
  void put(Shelf shelf, std::uint64_t number, Bytes record) override {
    ask_ahead();
    on(shelf).last.reset();
    on(shelf).known.erase(number);
    on(shelf).held_back.insert_or_assign(number, Blob(record.begin(), record.end()));
    hold_back(record.size());
  }
  void erase(Shelf shelf, std::uint64_t first, std::uint64_t last) override {
    ask_ahead();
    send_held_back(shelf);
    on(shelf) = {};
    waiting_.push_back(postgres::erase(shelf, first, last));
  }

  std::vector<std::optional<std::uint64_t>> find(Names names, std::span<const Bytes> all) override {
    ask_ahead();
    if (all.size() == 1) {
      const auto known = known_names_.find({names, Blob(all[0].begin(), all[0].end())});
      if (known != known_names_.end()) return {known->second};
    }
    send_held_back(names);
    return numbers_at(all.size(), ask(postgres::find(names, all)));
  }
  // A statement by itself.
  std::vector<std::optional<std::uint64_t>> find_before(Names names,
                                                        std::span<const Bytes> all) override {
    begun_ = false;
    return numbers_at(all.size(), ask(postgres::find(names, all)));
  }
  std::uint64_t count(Names names) override {
    send_held_back(names);
    return ask(postgres::count(table_of(names))).number(0, 0);
  }
  void add(Names names, Bytes name, std::uint64_t number) override {
    ask_ahead();
    known_names_.clear();
    names_[static_cast<std::size_t>(names)].emplace_back(Blob(name.begin(), name.end()), number);
    hold_back(name.size() + sizeof number);
  }

 private:
  bool has_ledger() {
    const PostgresAnswer answer = client_.run(
        {"SELECT (to_regclass('ration.ledger') IS NOT NULL)::int::bigint"}, Writes::nothing);
    return answer.number(0, 0) != 0;
  }
  void refuse_other_ledger() {
    const PostgresAnswer answer = client_.run(
        {"SELECT (to_regnamespace('ration') IS NOT NULL)::int::bigint"}, Writes::nothing);
    if (answer.number(0, 0) == 0) return;
    refuse("ledger", name(), "a database without one; this one has a schema ration already");
  }

  // Whatever waits goes first, in the same round trip.
  PostgresAnswer ask(PostgresCall call) {
    waiting_.push_back(std::move(call));
    return std::move(run_waiting(Writes::until_commit).back());
  }
  void ask_ahead() {
    if (!ahead_.empty()) run_waiting(Writes::until_commit);
  }
  std::vector<PostgresAnswer> run_waiting(Writes writes) {
    const std::vector<PostgresAhead> ahead = std::exchange(ahead_, {});
    std::vector<PostgresAnswer> answers = answers_to(std::exchange(waiting_, {}), writes);
    for (const PostgresAhead& asked : ahead) {
      const PostgresAnswer& answer = answers[asked.call];
      if (asked.names) {
        known_names_[{*asked.names, asked.name}] = numbers_at(1, answer).front();
      } else if (asked.last) {
        on(*asked.shelf).last = first_of(records_in(answer));
      } else {
        auto found = records_at(*asked.shelf, asked.numbers, answer);
        for (std::size_t i = 0; i < found.size(); ++i) {
          on(*asked.shelf).known[asked.numbers[i]] = std::move(found[i]);
        }
      }
    }
    return answers;
  }
  std::vector<PostgresAnswer> answers_to(const std::vector<PostgresCall>& calls, Writes writes) {
    const bool first = !std::exchange(begun_, true);
    try {
      return client_.run(calls, writes);
    } catch (const WriteFailure&) {
      // A connection that was lost in a pause, before the transaction: nothing has happened yet.
      if (!first || client_.is_connected()) throw;
    }
    client_ = connected(url_);
    return client_.run(calls, writes);
  }

  std::vector<std::optional<Blob>> records_at(Shelf shelf, std::span<const std::uint64_t> numbers,
                                              const PostgresAnswer& answer) {
    std::vector<std::optional<Blob>> found(numbers.size());
    for (std::size_t i = 0; i < answer.rows(); ++i) {
      const std::size_t at = answer.number(i, 0) - 1;
      const Bytes bytes = answer.bytes(i, 1);
      found.at(at) = Blob(bytes.begin(), bytes.end());
      on(shelf).there.insert(numbers[at]);
    }
    return found;
  }
  static std::vector<std::optional<std::uint64_t>> numbers_at(std::size_t count,
                                                              const PostgresAnswer& answer) {
    std::vector<std::optional<std::uint64_t>> found(count);
    for (std::size_t i = 0; i < answer.rows(); ++i) {
      found.at(answer.number(i, 0) - 1) = answer.number(i, 1);
    }
    return found;
  }
  static std::optional<Record> first_of(std::vector<Record> records) {
    if (records.empty()) return std::nullopt;
    return std::move(records.front());
  }
  static std::vector<Record> records_in(const PostgresAnswer& answer) {
    std::vector<Record> found;
    for (std::size_t i = 0; i < answer.rows(); ++i) {
      const Bytes bytes = answer.bytes(i, 1);
      found.push_back({answer.number(i, 0), Blob(bytes.begin(), bytes.end())});
    }
    return found;
  }

  KnownShelf& on(Shelf shelf) { return shelves_[static_cast<std::size_t>(shelf)]; }
  void forget() noexcept {
    for (KnownShelf& shelf : shelves_) shelf = {};
    known_names_.clear();
    ahead_.clear();
  }

  void hold_back(std::size_t bytes) {
    held_back_ += bytes;
    if (held_back_ < kHeldBack) return;
    send_held_back();
    run_waiting(Writes::until_commit);
  }
  void send_held_back() {
    for (std::size_t i = 0; i < shelves_.size(); ++i) send_held_back(static_cast<Shelf>(i));
    for (std::size_t i = 0; i < names_.size(); ++i) send_held_back(static_cast<Names>(i));
    held_back_ = 0;
  }
  // Records that were read in this transaction are there: to change them costs less than to put
  // what may be new.
  void send_held_back(Shelf shelf) {
    auto& held_back = on(shelf).held_back;
    std::array<std::vector<std::uint64_t>, 2> numbers;
    std::array<std::vector<Bytes>, 2> records;
    for (const auto& [number, record] : held_back) {
      const std::size_t old = on(shelf).there.contains(number) ? 1 : 0;
      numbers[old].push_back(number);
      records[old].emplace_back(record);
    }
    if (!numbers[0].empty()) waiting_.push_back(postgres::put(shelf, numbers[0], records[0]));
    if (!numbers[1].empty()) waiting_.push_back(postgres::change(shelf, numbers[1], records[1]));
    held_back.clear();
  }
  void send_held_back(Names names) {
    auto& added = names_[static_cast<std::size_t>(names)];
    if (added.empty()) return;
    if (added.size() >= kManyNames) {
      if (!waiting_.empty()) run_waiting(Writes::until_commit);
      client_.begin_copy(postgres::copy(names));
      for (const auto& [name, number] : added) {
        const Blob value = postgres_number(number);
        client_.copy(std::array<Bytes, 2>{name, value});
      }
      client_.end_copy();
    } else {
      std::vector<std::uint64_t> numbers;
      std::vector<Bytes> bytes;
      for (const auto& [name, number] : added) {
        bytes.emplace_back(name);
        numbers.push_back(number);
      }
      waiting_.push_back(postgres::add(names, bytes, numbers));
    }
    added.clear();
  }

  std::string url_;
  PostgresClient client_;
  bool made_ = false, begun_ = false;
  std::vector<PostgresCall> waiting_;
  std::array<KnownShelf, kShelfTables.size()> shelves_;
  std::map<std::pair<Names, Blob>, std::optional<std::uint64_t>> known_names_;
  std::vector<PostgresAhead> ahead_;
  std::array<std::vector<std::pair<Blob, std::uint64_t>>, kNameTables.size()> names_;
  std::size_t held_back_ = 0;
};

}  // namespace

std::unique_ptr<Storage> new_postgres(const std::string& url) {
  auto storage = std::make_unique<PostgresStorage>(url);
  storage->make_tables();
  return storage;
}

std::unique_ptr<Storage> open_postgres(const std::string& url, Access access) {
  auto storage = std::make_unique<PostgresStorage>(url);
  storage->check_is_ledger(access);
  return storage;
}

}  // namespace ration::ledger
