// One change of a ledger, or one look at it: a transaction with the records that all of them need.
// A change ends with a link and a commit; without them nothing has happened.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ration/ledger/ledger.h"
#include "ration/ledger/link.h"
#include "ration/ledger/storage.h"
#include "ration/ledger/terms.h"

namespace ration::ledger {

// What is kept of a grant besides its link.
struct GrantRecord {
  GrantStatus status = GrantStatus::reserved;
  std::uint64_t people = 0;  // in the ledger, when it was made
  Row limit = {};            // for each person
  std::string run = {};      // who started it
  std::uint64_t closed = 0;  // the link that settled or voided it, or zero
};
Blob record_of(const GrantRecord& grant);
GrantRecord grant_in(Bytes record);

// People of one block: their positions in it, and in the request.
struct Part {
  std::uint64_t block = 0;
  std::vector<std::size_t> who = {}, asked = {};
};
std::vector<Part> parts_of(std::span<const std::uint64_t> places);
std::vector<std::uint64_t> blocks_of(std::span<const Part> parts);

// Reserves by grant and block.
inline std::uint64_t reserve_number(std::uint64_t grant, std::uint64_t block) {
  return grant << 32 | block;
}

// Where people are, looked up before a change: a place never changes.
using Places = std::vector<std::optional<std::uint64_t>>;
Places places_before(Storage& storage, std::span<const std::string> ids);

class Session {
 public:
  // What a change will look at, if it is known: then a server answers it all at once.
  struct Ahead {
    std::string_view token = {};
    std::span<const std::optional<std::uint64_t>> places = {};
  };
  Session(Storage& storage, const Currency& currency, Access access)
      : Session(storage, currency, access, Ahead()) {}
  Session(Storage& storage, const Currency& currency, Access access, const Ahead& ahead);
  // The first one: nothing is there yet.
  struct New {};
  Session(Storage& storage, const Currency& currency, New);

  Storage& storage() { return storage_; }
  std::size_t units_a_row() const { return currency_.places(); }
  const Currency& currency() const { return currency_; }
  std::uint64_t people() const { return summary.people; }

  // What a change may change; kept when its link is appended.
  Summary summary;
  Rows budgets;
  Teams teams;

  std::uint64_t blocks() const { return (people() + kBlock - 1) / kBlock; }
  // Refuses a block that is not what its digest says.
  Account account(std::uint64_t block);
  void put(std::uint64_t block, Account& account);
  // Many of them: use(at, account) of blocks[at], a window at a time.
  template <class Use>
  void each_account(std::span<const std::uint64_t> blocks, const Use& use) {
    for (std::size_t first = 0; first < blocks.size(); first += kWindow) {
      const auto window = blocks.subspan(first, std::min(kWindow, blocks.size() - first));
      std::vector<Account> accounts = accounts_of(window);
      for (std::size_t i = 0; i < window.size(); ++i) use(first + i, accounts[i]);
    }
  }
  template <class Change>
  void change_accounts(std::span<const std::uint64_t> blocks, const Change& change) {
    each_account(blocks, [&](std::size_t at, Account& account) {
      change(at, account);
      put(blocks[at], account);
    });
  }
  // Everybody's blocks.
  std::vector<std::uint64_t> all_blocks() const;
  std::vector<std::string> ids(std::uint64_t block);

  // Where these people are; everybody's places in order for no ids. Refuses an unknown one and one
  // that is there twice, by its position. Looks up those that were not found before.
  std::vector<std::uint64_t> places_of(std::span<const std::string> ids, Places before = {});
  Places find_places(std::span<const std::string> ids);

  Link link(std::uint64_t number);
  const std::optional<Link>& last_link() const { return last_; }
  std::uint64_t last_number() const { return last_ ? last_->number : 0; }
  std::optional<std::uint64_t> link_of(std::string_view token);
  Checksum key();  // of the links' hashes
  GrantRecord grant(std::uint64_t number);

  // Returns its number.
  std::uint64_t append(std::string_view kind, std::string_view token, Blob body,
                       const Checksum& answer = {});
  void commit();

 private:
  // Refuses a ledger that lacks a link which was seen before through the same storage.
  void check_seen();
  void note_seen();
  std::vector<Account> accounts_of(std::span<const std::uint64_t> blocks);
  void keep(Term which, Blob record);

  Storage& storage_;
  const Currency& currency_;
  Transaction transaction_;
  std::array<Blob, 3> terms_;  // as they are stored
  std::optional<Link> last_;
};

// Refuses a token that is empty or longer than 1000 bytes, and control characters in texts that are
// printed line by line.
void check_line(std::string_view what, std::string_view text);
void check_token(std::string_view token);
[[noreturn]] void refuse_other_body(std::string_view token);

}  // namespace ration::ledger
