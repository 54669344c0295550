#include "ration/ledger/ledger.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/ids.h"
#include "ration/ledger/location.h"
#include "ration/ledger/session.h"

namespace ration {
namespace {

using namespace ledger;

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }

// Their order. Refuses an id that is empty, too long or there twice, and one with blanks at its
// ends or control characters, which tables are read without: one person would have two budgets.
std::vector<std::size_t> checked_order(const std::vector<std::string>& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i].empty() || ids[i].size() > 1000) {
      throw Error(fmt::format("id at position {} (from 0) has {} bytes: give from 1 to 1000", i,
                              ids[i].size()));
    }
    const bool has_control =
        std::any_of(ids[i].begin(), ids[i].end(), [](char c) { return is_blank(c) && c != ' '; });
    if (has_control || is_blank(ids[i].front()) || is_blank(ids[i].back())) {
      throw Error(fmt::format(
          "id at position {} (from 0) has a blank at an end, or a control character: take it off, "
          "or one person may have two budgets",
          i));
    }
  }
  std::vector<std::size_t> order = order_of_ids(ids);
  if (const auto both = repeated_id(ids, order)) {
    throw Error(fmt::format(
        "ids at positions {} and {} (from 0) are the same: a person has one budget, however many "
        "records they have",
        both->first, both->second));
  }
  return order;
}

// Everybody's kind among all budgets of the ledger, to which new ones are added.
std::vector<std::uint32_t> kinds_of(const NewPeople& people, const Currency& currency, Rows& all,
                                    Rows& added) {
  std::vector<std::uint32_t> number;
  for (const Budget& budget : people.budgets.kinds) {
    const Row row = currency.units_of(budget);
    const auto found = std::find(all.begin(), all.end(), row);
    number.push_back(static_cast<std::uint32_t>(found - all.begin()));
    if (found != all.end()) continue;
    all.push_back(row);
    added.push_back(row);
  }
  std::vector<std::uint32_t> kinds(people.ids.size(), number[0]);
  for (std::size_t i = 0; i < people.budgets.kind_of.size(); ++i) {
    kinds[i] = number[people.budgets.kind_of[i]];
  }
  return kinds;
}

// The last block is filled up first.
void add_people(Session& session, const NewPeople& people) {
  if (people.ids.empty()) throw Error("people are missing: give at least one id");
  check_budgets(people.budgets, people.ids.size());
  const std::vector<std::size_t> order = checked_order(people.ids);
  const std::uint64_t first = session.people();
  if (first != 0) {
    const auto found = session.find_places(people.ids);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) continue;
      throw Error(
          fmt::format("id at position {} (from 0) is in the ledger already: a budget is "
                      "never filled up again",
                      i));
    }
  }
  PeopleBody body = {.first = first, .count = people.ids.size(), .budgets = {}, .digest = {}};
  const auto kinds = kinds_of(people, session.currency(), session.budgets, body.budgets);
  Writer digest;
  const std::size_t places = session.units_a_row();
  for (std::size_t i = 0; i < people.ids.size();) {
    const std::uint64_t block = (first + i) / kBlock, inside = (first + i) % kBlock;
    Account account = inside == 0 ? Account{} : session.account(block);
    std::vector<std::string> ids;
    if (inside != 0) ids = session.ids(block);
    for (; ids.size() < kBlock && i < people.ids.size(); ++i) {
      ids.push_back(people.ids[i]);
      account.kinds.push_back(kinds[i]);
    }
    account.spent.resize(ids.size() * places);
    account.reserved.resize(ids.size() * places);
    const Blob record = record_of(ids);
    account.people = digest_of(record);
    session.storage().put(Shelf::people, block, record);
    session.put(block, account);
    digest.checksum(*account.digest);
  }
  for (const std::size_t i : order) {
    session.storage().add(Names::places, bytes_of(people.ids[i]), first + i);
  }
  session.summary.people += people.ids.size();
  body.digest = digest_of(digest.blob());
  session.append(kind::people, "", record_of(body));
}

Checksum fresh_nonce() {
  if (sodium_init() < 0) throw Error("libsodium cannot start: the system gives no random numbers");
  Checksum nonce{};
  randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

}  // namespace

std::string_view ledger::name(GrantStatus status) {
  switch (status) {
    case GrantStatus::reserved:
      return "reserved";
    case GrantStatus::started:
      return "started";
    case GrantStatus::settled:
      return "settled";
    case GrantStatus::voided:
      return "voided";
  }
  return "";
}

Ledger Ledger::create(const std::string& location, const CurrencyPtr& currency, Delta delta,
                      const NewPeople& people) {
  // What is wrong with them is said before there is a file.
  ledger::check_currency(*currency);
  check_budgets(people.budgets, people.ids.size());
  for (const Budget& budget : people.budgets.kinds) currency->units_of(budget);
  checked_order(people.ids);
  // A failure may leave an empty file, which the next create takes. It is not removed: another
  // process may be about to fill it.
  return create(new_storage(location), currency, delta, people);
}

Ledger Ledger::create(std::unique_ptr<Storage> storage, const CurrencyPtr& currency, Delta delta,
                      const NewPeople& people) {
  ledger::check_currency(*currency);
  {
    Session session(*storage, *currency, Session::New{});
    session.append(
        kind::create, "",
        record_of(CreateBody{.currency = currency, .delta = delta, .nonce = fresh_nonce()}));
    add_people(session, people);
    session.commit();
  }
  return Ledger(std::move(storage));
}

Ledger Ledger::open(const std::string& location) {
  return Ledger(open_storage(location, Access::write));
}
Ledger Ledger::look_at(const std::string& location) {
  return Ledger(open_storage(location, Access::read));
}

Ledger::Ledger(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {
  Transaction transaction(*storage_, Access::read);
  const auto first = storage_->get(Shelf::links, 0);
  if (!first) throw Error("ledger " + storage_->name() + " is damaged: it has no first link");
  const CreateBody terms = create_in(link_in(0, *first).body);
  currency_ = terms.currency;
  delta_ = terms.delta;
  key_ = terms.nonce;
}

Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

void Ledger::add(const NewPeople& people) {
  Session session(*storage_, *currency_, Access::write);
  add_people(session, people);
  session.commit();
}

void Ledger::set_quota(const std::string& team, const Budget& quota) {
  if (team.empty()) throw Error("team is missing: give its name");
  const QuotaBody body = {.team = team, .quota = currency_->units_of(quota)};
  Session session(*storage_, *currency_, Access::write);
  ledger::set_quota(session.teams, body);
  session.append(kind::quota, "", record_of(body));
  session.commit();
}

}  // namespace ration
