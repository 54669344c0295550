// What a ledger says of itself, of one person and of its history.

#include <fmt/format.h>

#include "ration/base/error.h"
#include "ration/ledger/session.h"

namespace ration {
namespace {

using namespace ledger;

// Nothing can be spent where some place has nothing left.
Row usable(Row left) {
  for (const Units units : left) {
    if (units == 0) return Row(left.size());
  }
  return left;
}

void append(std::vector<Units>& rows, const Row& row) {
  rows.insert(rows.end(), row.begin(), row.end());
}

std::span<const Units> row_of(const std::vector<Units>& rows, std::size_t person,
                              std::size_t places) {
  return std::span(rows).subspan(person * places, places);
}

}  // namespace

std::uint64_t Ledger::people() { return Session(*storage_, *currency_, Access::read).people(); }

std::vector<std::string> Ledger::ids() {
  Session session(*storage_, *currency_, Access::read);
  std::vector<std::string> all;
  each_record(*storage_, Shelf::people, 0, session.blocks(), [&](const Record& record) {
    for (std::string& id : ids_in(record.bytes)) all.push_back(std::move(id));
  });
  if (all.size() != session.people()) throw Error("ledger is damaged: ids are missing");
  return all;
}

std::string Ledger::head() {
  Session session(*storage_, *currency_, Access::read);
  if (!session.last_link()) throw Error("ledger is damaged: it has no first link");
  return hex(session.last_link()->hash);
}

bool Ledger::contains(std::string_view head) {
  const Checksum hash = hash_in(head);
  const Transaction transaction(*storage_, Access::read);
  const auto number = storage_->find(Names::heads, hash);
  if (!number) return false;
  const auto record = storage_->get(Shelf::links, *number);
  return record && link_in(*number, *record).hash == hash;
}

Person Ledger::person(const std::string& id) {
  Session session(*storage_, *currency_, Access::read);
  const auto place = storage_->find(Names::places, bytes_of(id));
  if (!place) throw Error("id is not in the ledger: give that of a person who is");
  const Account account = session.account(*place / kBlock);
  const std::size_t inside = *place % kBlock, places = session.units_a_row();
  const Row& budget = session.budgets.at(account.kinds.at(inside));
  const auto eps = [&](const Row& row) { return currency_->epsilon(row, delta_); };
  return {.budget = eps(budget),
          .spent = eps(shown(row_of(account.spent, inside, places), budget)),
          .reserved = eps(shown(row_of(account.reserved, inside, places), budget)),
          .left = eps(usable(left_of(account, inside, session.budgets)))};
}

Ledger::Totals Ledger::totals() {
  Session session(*storage_, *currency_, Access::read);
  const std::size_t places = session.units_a_row();
  std::vector<Units> budget, spent, reserved, left;
  session.each_account(session.all_blocks(), [&](std::size_t, const Account& account) {
    for (std::size_t i = 0; i < account.count(); ++i) {
      const Row& own = session.budgets.at(account.kinds[i]);
      append(budget, own);
      append(spent, shown(row_of(account.spent, i, places), own));
      append(reserved, shown(row_of(account.reserved, i, places), own));
      append(left, usable(left_of(account, i, session.budgets)));
    }
  });
  const auto eps = [&](const std::vector<Units>& rows) {
    return currency_->epsilons(rows, delta_);
  };
  return {.budget = eps(budget), .spent = eps(spent), .reserved = eps(reserved), .left = eps(left)};
}

std::uint64_t Ledger::count_grants() {
  const Transaction transaction(*storage_, Access::read);
  return storage_->count(Shelf::grants);
}

std::vector<GrantEntry> Ledger::grants() {
  Session session(*storage_, *currency_, Access::read);
  std::vector<GrantEntry> all;
  const auto eps = [&](const Row& row) { return currency_->epsilon(row, delta_); };
  each_record(*storage_, Shelf::links, 0, session.last_number(), [&](const Record& record) {
    const Link link = link_in(record.number, record.bytes);
    if (link.kind != kind::grant && link.kind != kind::admit) return;
    const RequestBody body = request_in(link.body);
    all.push_back({.token = link.token,
                   .team = body.team,
                   .purpose = body.purpose,
                   .one_off = link.kind == kind::admit,
                   .status = GrantStatus::settled,
                   .time = link.time,
                   .limit = body.limit ? std::optional(eps(*body.limit)) : std::nullopt});
  });
  std::size_t at = 0;
  each_record(*storage_, Shelf::grants, 0, session.last_number(), [&](const Record& record) {
    if (at < all.size()) all[at].status = grant_in(record.bytes).status;
    ++at;
  });
  if (at != all.size()) throw Error("ledger is damaged: grants are not those of its links");
  return all;
}

std::vector<HistoryEntry> Ledger::history() {
  Session session(*storage_, *currency_, Access::read);
  std::vector<HistoryEntry> all;
  each_record(*storage_, Shelf::links, 0, session.last_number(), [&](const Record& record) {
    const Link link = link_in(record.number, record.bytes);
    all.push_back({.number = link.number,
                   .kind = link.kind,
                   .time = link.time,
                   .token = link.token,
                   .hash = hex(link.hash)});
  });
  return all;
}

}  // namespace ration
