// Where a ledger is kept: shelves of numbered records and lists of names, changed in transactions
// that happen as a whole and last, or not at all. This is all that a database must do; what the
// records mean is the ledger's business. Many records are asked for at once where there are many: a
// server may be far away. sqlite_storage.h, postgres_storage.h; which of them: location.h.
// docs/ledger.md, "The file"
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ration/ledger/encoding.h"

namespace ration::ledger {

// Records by number.
enum class Shelf {
  terms,     // a few single records: terms.h
  links,     // the chain
  people,    // ids, a block of people each
  accounts,  // what they have spent and what is reserved, in the same blocks
  grants,    // by the number of the link that made them
  reserves,  // of grants that are not settled, by grant and block
  answers    // who takes part in a one-off query, by the number of its link
};
// Names and the number that each leads to.
enum class Names {
  places,  // a person's id: their place
  tokens,  // a request's token: its link
  heads    // a hash: its link
};

// What their tables are called, and the version of all of them.
inline constexpr std::array kShelfTables = {"terms",  "links",    "people", "accounts",
                                            "grants", "reserves", "answers"};
inline constexpr std::array kNameTables = {"places", "tokens", "heads"};
inline const char* table_of(Shelf shelf) { return kShelfTables[static_cast<std::size_t>(shelf)]; }
inline const char* table_of(Names names) { return kNameTables[static_cast<std::size_t>(names)]; }
inline constexpr std::int64_t kVersion = 1;

enum class Access { read, write };

struct Record {
  std::uint64_t number = 0;
  Blob bytes = {};
};

// What will be asked for in a transaction, as far as it is known when it begins.
struct Questions {
  std::vector<std::pair<Shelf, std::vector<std::uint64_t>>> records = {};
  std::vector<std::pair<Names, Blob>> names = {};
  std::vector<Shelf> last = {};
};

class Storage {
 public:
  virtual ~Storage() = default;

  // As messages call it.
  virtual std::string name() const = 0;

  // The newest link that was seen here, by its number and its hash: what does not have it any more
  // is an old copy (session.h).
  std::optional<std::pair<std::uint64_t, Checksum>> seen = {};

  // Writers wait for each other from begin to the end, so that what a writer reads stays true until
  // it commits. Readers see one moment. commit() returns when the change will survive a loss of
  // power. Where it throws, the change may or may not have happened: the token of a request tells.
  virtual void begin(Access access) = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;

  // At the beginning of a transaction: a server that is far away answers all of this at once, while
  // others wait for the end of the change. It changes no answer.
  virtual void look_ahead(const Questions& /*questions*/) {}

  // What is at these numbers, in their order.
  virtual std::vector<std::optional<Blob>> get(Shelf shelf,
                                               std::span<const std::uint64_t> numbers) = 0;
  std::optional<Blob> get(Shelf shelf, std::uint64_t number) {
    return std::move(get(shelf, std::span(&number, 1)).front());
  }
  // Those from the first number to the last, in order, but no more than `most`.
  virtual std::vector<Record> range(Shelf shelf, std::uint64_t first, std::uint64_t last,
                                    std::size_t most) = 0;
  virtual std::optional<Record> last(Shelf shelf) = 0;  // that of the largest number
  virtual std::uint64_t count(Shelf shelf) = 0;
  virtual void put(Shelf shelf, std::uint64_t number, Bytes record) = 0;  // or replaces
  virtual void erase(Shelf shelf, std::uint64_t first, std::uint64_t last) = 0;

  virtual std::vector<std::optional<std::uint64_t>> find(Names names,
                                                         std::span<const Bytes> all) = 0;
  std::optional<std::uint64_t> find(Names names, Bytes name) {
    return find(names, std::span(&name, 1)).front();
  }
  // Before a transaction, so that nobody waits meanwhile; for names that never lead elsewhere. One
  // that is not found may have been added since.
  virtual std::vector<std::optional<std::uint64_t>> find_before(Names names,
                                                                std::span<const Bytes> all);
  virtual std::uint64_t count(Names names) = 0;
  // Refuses a name that is there, now or when it commits.
  virtual void add(Names names, Bytes name, std::uint64_t number) = 0;
};

// How many records are held in memory at once.
inline constexpr std::size_t kWindow = 512;

// All records from the first number to the last, in order.
template <class Use>
void each_record(Storage& storage, Shelf shelf, std::uint64_t first, std::uint64_t last,
                 const Use& use) {
  while (true) {
    const std::vector<Record> some = storage.range(shelf, first, last, kWindow);
    for (const Record& record : some) use(record);
    if (some.size() < kWindow || some.back().number == last) return;
    first = some.back().number + 1;
  }
}

// A transaction that is rolled back unless it was committed.
class Transaction {
 public:
  Transaction(Storage& storage, Access access) : storage_(storage) { storage.begin(access); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (!done_) storage_.rollback();
  }
  void commit() {
    storage_.commit();
    done_ = true;
  }

 private:
  Storage& storage_;
  bool done_ = false;
};

inline std::vector<std::optional<std::uint64_t>> Storage::find_before(Names names,
                                                                      std::span<const Bytes> all) {
  const Transaction look(*this, Access::read);
  return find(names, all);
}

}  // namespace ration::ledger
