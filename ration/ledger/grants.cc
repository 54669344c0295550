// Grants: a reserve is taken, a run starts, what was charged is settled and the rest goes back.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ration/base/error.h"
#include "ration/ledger/filter_source.h"
#include "ration/ledger/session.h"

namespace ration {
namespace {

using namespace ledger;

Checksum digest_of_ids(const std::vector<std::string>& ids) {
  return digest_of(Writer().text("grant").bytes(record_of(ids)).blob());
}

// The reserves of a grant in the order of its people.
Grant grant_at(Session& session, std::uint64_t number, const GrantRequest& request) {
  const GrantRecord record = session.grant(number);
  Grant grant = {.token = request.token, .status = record.status};
  grant.run = record.run;
  grant.places = session.places_of(request.ids);
  if (request.ids.empty()) grant.places.resize(record.people);  // others came later
  if (record.status == GrantStatus::settled || record.status == GrantStatus::voided) return grant;
  const std::size_t places = session.units_a_row();
  grant.reserves.resize(grant.places.size() * places);
  std::vector<std::uint64_t> numbers;
  const std::vector<Part> parts = parts_of(grant.places);
  for (const Part& part : parts) numbers.push_back(reserve_number(number, part.block));
  const auto stored = session.storage().get(Shelf::reserves, numbers);
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const Part& part = parts[at];
    if (!stored[at]) throw Error("ledger is damaged: a grant's reserves are missing");
    const std::vector<Units> rows = reserves_in(*stored[at], places);
    for (std::size_t i = 0; i < part.who.size(); ++i) {
      if ((part.who[i] + 1) * places > rows.size()) throw Error("ledger is damaged: a reserve");
      std::copy_n(rows.data() + part.who[i] * places, places,
                  grant.reserves.data() + part.asked[i] * places);
    }
  }
  return grant;
}

// Of a grant that was made with this token.
struct Found {
  std::uint64_t number;
  GrantRecord record;
  RequestBody body;
};
Found found(Session& session, const std::string& token) {
  const auto number = session.link_of(token);
  if (!number) {
    throw Error("token '" + token + "' is not that of a grant: give one that was taken here");
  }
  const Link link = session.link(*number);
  if (link.kind != kind::grant) {
    throw Error("token '" + token + "' is that of a one-off query, which was settled at once");
  }
  return {*number, session.grant(*number), request_in(link.body)};
}

[[noreturn]] void refuse_closed(const std::string& token, GrantStatus status) {
  throw Error(
      fmt::format("grant '{}' is {}: take another one with a new token", token, name(status)));
}

// Was this very request answered before? A grant that was closed by another one is refused.
bool answered(Session& session, const Found& grant, const std::string& token, std::string_view kind,
              const Blob& body) {
  if (grant.record.closed == 0) return false;
  const Link closed = session.link(grant.record.closed);
  if (closed.kind != kind || closed.body != body) refuse_closed(token, grant.record.status);
  return true;
}

// Refuses reserves that are not those that were answered.
void check_reserves(Session& session, const Found& grant) {
  Writer answer;
  answer.row(grant.record.limit);
  const std::uint64_t first = reserve_number(grant.number, 0);
  const std::uint64_t end = reserve_number(grant.number + 1, 0);
  Storage& storage = session.storage();
  each_record(storage, Shelf::reserves, first, end - 1, [&](const Record& record) {
    answer.whole(record.number - first).bytes(record.bytes);
  });
  if (digest_of(answer.blob()) != session.link(grant.number).answer) {
    throw Error("ledger " + storage.name() + " is damaged: reserves are not those of their grant");
  }
}

// Takes reserves back, block by block; charges are those of a person at a position of their block.
template <class ChargeOf>
void close_reserves(Session& session, const Found& grant, const ChargeOf& charge_of) {
  check_reserves(session, grant);
  const std::size_t places = session.units_a_row();
  const std::uint64_t first = reserve_number(grant.number, 0);
  const std::uint64_t end = reserve_number(grant.number + 1, 0);
  Storage& storage = session.storage();
  std::vector<Record> records;
  std::vector<std::uint64_t> blocks;
  const auto close = [&] {
    session.change_accounts(blocks, [&](std::size_t at, Account& account) {
      const std::vector<Units> rows = reserves_in(records[at].bytes, places);
      for (std::size_t i = 0; i < rows.size() / places; ++i) {
        const auto reserved = std::span(rows).subspan(i * places, places);
        if (!settle(account, i, session.budgets, reserved, charge_of(blocks[at], i, reserved))) {
          throw Error(
              "charges are above what was reserved for somebody, or are no charges in this "
              "currency: give those of the filter that the grant has made; nothing was settled");
        }
      }
    });
    records.clear();
    blocks.clear();
  };
  each_record(storage, Shelf::reserves, first, end - 1, [&](const Record& record) {
    records.push_back(record);
    blocks.push_back(record.number - first);
    if (records.size() == kWindow) close();
  });
  close();
  storage.erase(Shelf::reserves, first, end - 1);
}

void close_grant(Session& session, const Found& grant, const std::string& token,
                 std::string_view kind, GrantStatus status, const Blob& body) {
  GrantRecord record = grant.record;
  record.status = status;
  record.closed = session.append(kind, token, body);
  session.storage().put(Shelf::grants, grant.number, record_of(record));
}

}  // namespace

Grant Ledger::grant(const GrantRequest& request) {
  check_token(request.token);
  check_line("team", request.team);
  check_line("purpose", request.purpose);
  RequestBody body = {.purpose = request.purpose,
                      .team = request.team,
                      .limit = {},
                      .asked = digest_of_ids(request.ids)};
  if (request.limit) body.limit = currency_->units_of(*request.limit);
  Session session(*storage_, *currency_, Access::write);
  if (const auto before = session.link_of(request.token)) {
    const Link link = session.link(*before);
    if (link.kind != kind::grant || link.body != record_of(body)) refuse_other_body(request.token);
    return grant_at(session, *before, request);
  }

  const std::uint64_t number = session.last_number() + 1;
  const std::size_t places = session.units_a_row();
  Grant grant = {.token = request.token};
  grant.places = session.places_of(request.ids);
  grant.reserves.resize(grant.places.size() * places);
  const Row limit = limit_of(body, session.budgets, session.teams);
  Writer answer;
  answer.row(limit);
  const std::vector<Part> parts = parts_of(grant.places);
  session.change_accounts(blocks_of(parts), [&](std::size_t at, Account& account) {
    const Part& part = parts[at];
    std::vector<Units> rows(account.count() * places);
    for (std::size_t i = 0; i < part.who.size(); ++i) {
      const Row taken = reserve(account, part.who[i], session.budgets, limit);
      std::copy(taken.begin(), taken.end(), rows.data() + part.who[i] * places);
      std::copy(taken.begin(), taken.end(), grant.reserves.data() + part.asked[i] * places);
    }
    const Blob record = record_of_reserves(rows, places);
    storage_->put(Shelf::reserves, reserve_number(number, part.block), record);
    answer.whole(part.block).bytes(record);
  });
  use(session.teams, request.team, limit);
  session.append(kind::grant, request.token, record_of(body), digest_of(answer.blob()));
  storage_->add(Names::tokens, bytes_of(request.token), number);
  storage_->put(Shelf::grants, number,
                record_of(GrantRecord{.people = session.people(), .limit = limit}));
  session.commit();
  return grant;
}

std::string Ledger::source_of(const std::string& token) const {
  return hexadecimal(
      digest_of(Writer().text("ration ledger grant").checksum(key_).text(token).blob()));
}

Filter Ledger::filter(const Grant& grant) const {
  if (grant.status != GrantStatus::reserved) {
    throw Error(
        fmt::format("grant '{}' is {}: a run goes on from what it has saved of its filter; "
                    "a new one needs a new token",
                    grant.token, name(grant.status)));
  }
  Filter::State state = {.currency = currency_, .source = source_of(grant.token)};
  state.spent.resize(grant.reserves.size());
  state.budgets = grant.reserves;
  if (currency_->has_kinds()) {
    state.kind_of.resize(grant.places.size());
    std::iota(state.kind_of.begin(), state.kind_of.end(), 0U);
  }
  return Filter(std::move(state));
}

void Ledger::start(const Grant& grant, const std::string& run) {
  if (run.empty()) throw Error("run is missing: give a name that no other run has");
  check_line("run", run);
  Session session(*storage_, *currency_, Access::write);
  Found now = found(session, grant.token);
  if (now.record.closed != 0) refuse_closed(grant.token, now.record.status);
  if (now.record.status == GrantStatus::started) {
    if (now.record.run != run) {
      throw Error("grant '" + grant.token + "' was started by another run: take one of your own");
    }
    if (grant.status == GrantStatus::started) return;
    throw Error(
        "grant '" + grant.token +
        "' was started meanwhile, by a run of the same name: if it was this one, go on from "
        "what was saved of its filter; if not, take one of your own");
  }
  now.record.status = GrantStatus::started;
  now.record.run = run;
  storage_->put(Shelf::grants, now.number, record_of(now.record));
  session.append(kind::start, grant.token, Writer().text(run).blob());
  session.commit();
}

void Ledger::start(const std::string& token, const std::string& run) {
  start(Grant{.token = token, .status = GrantStatus::started}, run);
}

namespace {

// In the transaction of the session, which it ends.
void settle_in(Session& session, const Grant& grant, std::span<const Units> charges) {
  const std::size_t places = session.units_a_row();
  if (charges.size() != grant.places.size() * places) {
    throw Error(
        fmt::format("charges are {} numbers: give {} for each of the {} people of the grant",
                    charges.size(), places, grant.places.size()));
  }
  const Found before = found(session, grant.token);
  const Checksum digest = digest_of(Writer().row(charges).row(grant.places).blob());
  const Blob body = Writer().text("charges").checksum(digest).blob();
  if (answered(session, before, grant.token, kind::settle, body)) return;
  std::vector<std::uint64_t> position(session.people(), grant.places.size());
  for (std::size_t i = 0; i < grant.places.size(); ++i) {
    std::uint64_t& at = position.at(grant.places[i]);
    if (at != grant.places.size()) throw Error("charges are given twice for one person");
    at = i;
  }
  const Row nothing(places);
  close_reserves(session, before,
                 [&](std::uint64_t block, std::size_t i, std::span<const Units> reserved) {
                   const std::uint64_t at = position.at(block * kBlock + i);
                   if (at == grant.places.size() &&
                       !std::equal(reserved.begin(), reserved.end(), nothing.begin())) {
                     throw Error("charges are missing for somebody with a reserve");
                   }
                   return at == grant.places.size() ? std::span<const Units>(nothing)
                                                    : charges.subspan(at * places, places);
                 });
  close_grant(session, before, grant.token, kind::settle, GrantStatus::settled, body);
  session.commit();
}

}  // namespace

void Ledger::settle(const Grant& grant, std::span<const Units> charges) {
  Session session(*storage_, *currency_, Access::write);
  settle_in(session, grant, charges);
}

void Ledger::settle(const Grant& grant, const Filter& filter) {
  if (!(filter.currency() == *currency_)) {
    throw Error(fmt::format("filter counts in another currency than the ledger: give one in {}",
                            currency_->name()));
  }
  const FilterSource source = filter_source_in(filter.state().source);
  if (source.grant != source_of(grant.token) || !source.people.empty() ||
      (!grant.reserves.empty() && filter.state().budgets != grant.reserves)) {
    throw Error("filter was not made from grant '" + grant.token + "': give the one that was");
  }
  Session session(*storage_, *currency_, Access::write);
  // Whoever has started it, perhaps since the caller looked.
  const GrantRecord record = found(session, grant.token).record;
  const bool started = record.status == GrantStatus::started;
  if (started && !source.is_run(record.run)) {
    throw Error("filter is of another run than the one that has started grant '" + grant.token +
                "': give the one that was saved by that run");
  }
  if (started && filter.steps() == 0) {
    throw Error("filter has seen no step, and grant '" + grant.token +
                "' was started: give the one that was saved at the end, or settle everything");
  }
  settle_in(session, grant, filter.state().spent);
}

Grant Ledger::held(const std::string& token, const std::vector<std::string>& ids) {
  Session session(*storage_, *currency_, Access::read);
  const Found grant = found(session, token);
  if (grant.body.asked != digest_of_ids(ids)) {
    throw Error("grant '" + token +
                (ids.empty() ? "' is not for everybody: give its request once more"
                             : "' is for other people: give the ids that it was taken for"));
  }
  return grant_at(session, grant.number, {.token = token, .ids = ids});
}

void Ledger::settle_everything(const std::string& token) {
  Session session(*storage_, *currency_, Access::write);
  const Found grant = found(session, token);
  const Blob body = Writer().text("everything").blob();
  if (answered(session, grant, token, kind::settle, body)) return;
  close_reserves(session, grant, [](std::uint64_t, std::size_t, std::span<const Units> reserved) {
    return reserved;
  });
  close_grant(session, grant, token, kind::settle, GrantStatus::settled, body);
  session.commit();
}

void Ledger::void_grant(const std::string& token) {
  Session session(*storage_, *currency_, Access::write);
  const Found grant = found(session, token);
  if (answered(session, grant, token, kind::voided, {})) return;
  if (grant.record.status == GrantStatus::started) {
    throw Error("grant '" + token +
                "' was started: something may have been released; settle it instead");
  }
  const Row nothing(session.units_a_row());
  close_reserves(session, grant, [&](std::uint64_t, std::size_t, std::span<const Units>) {
    return std::span<const Units>(nothing);
  });
  give_back(session.teams, grant.body.team, grant.record.limit);
  close_grant(session, grant, token, kind::voided, GrantStatus::voided, {});
  session.commit();
}

}  // namespace ration
