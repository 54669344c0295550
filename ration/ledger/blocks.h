// What a block of people have spent and what grants have reserved of the rest, in whole units, and
// the three things that happen to it. All of it keeps spent + reserved within the budget in every
// place that the budget limits; in the others nothing is counted and nothing claimed. Exact, pure
// functions. docs/ledger.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ration/control/currency.h"
#include "ration/ledger/encoding.h"

namespace ration::ledger {

// So many that, with one place, four blocks of accounts fill a page of SQLite.
inline constexpr std::uint64_t kBlock = 56;

struct Account {
  Checksum people = {};                          // of the block's ids
  std::vector<std::uint32_t> kinds = {};         // of everybody's budget
  std::vector<Units> spent = {}, reserved = {};  // people x places
  std::optional<Checksum> digest = {};           // of the record that it was read from or put into

  std::size_t count() const { return kinds.size(); }
};
// A record begins with its digest, which covers the number of the block. The latter refuses what
// has another one.
Blob sealed(std::uint64_t block, Account& account);
Account unsealed(std::uint64_t block, Bytes record, std::size_t places);

// Ids of a block.
Blob record_of(std::span<const std::string> ids);
std::vector<std::string> ids_in(Bytes record);

// Of budgets, by kind.
using Rows = std::vector<Row>;

// What somebody has left; kMostUnits in places that their budget does not limit.
Row left_of(const Account& account, std::size_t person, const Rows& budgets);
// As a row whose eps can be told: what is not counted limits nothing.
Row shown(std::span<const Units> counted, const Row& budget);

// Reserves for a person: in each place the limit or what is left, whichever is less, and nothing at
// all if some place has nothing left.
Row reserve(Account& account, std::size_t person, const Rows& budgets, const Row& limit);
// Takes the reserve back and spends the charge. False, and nothing happens, where the charge is
// above the reserve or is none.
bool settle(Account& account, std::size_t person, const Rows& budgets,
            std::span<const Units> reserved, std::span<const Units> charge);
// Charges those of these people whose charge fits into what they have left; norms and mask are
// theirs, one after the other.
void admit(Account& account, std::span<const std::size_t> who, const Rows& budgets,
           const Price& price, std::span<const double> norms, std::uint8_t* mask);

// A grant's reserves of a block, whose people may become more later; one row stands for all if they
// are equal.
Blob record_of_reserves(std::span<const Units> rows, std::size_t places);
std::vector<Units> reserves_in(Bytes record, std::size_t places);

}  // namespace ration::ledger
