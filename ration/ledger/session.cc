#include "ration/ledger/session.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <utility>

#include "ration/base/error.h"

namespace ration::ledger {
namespace {

[[noreturn]] void missing(const Storage& storage) {
  throw Error("ledger " + storage.name() + " is damaged: a record is missing");
}
Blob needed(Storage& storage, Shelf shelf, std::uint64_t number) {
  std::optional<Blob> found = storage.get(shelf, number);
  if (!found) missing(storage);
  return *std::move(found);
}

std::vector<Bytes> names_of(std::span<const std::string> ids) {
  std::vector<Bytes> names;
  for (const std::string& id : ids) names.push_back(bytes_of(id));
  return names;
}

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace

Blob record_of(const GrantRecord& grant) {
  Writer out;
  out.whole(static_cast<std::uint64_t>(grant.status)).whole(grant.people).row(grant.limit);
  return out.text(grant.run).whole(grant.closed).blob();
}

GrantRecord grant_in(Bytes record) {
  Reader in(record);
  GrantRecord grant;
  const std::uint64_t status = in.whole();
  if (status > static_cast<std::uint64_t>(GrantStatus::voided)) {
    throw Error("ledger is damaged: a grant has no status");
  }
  grant.status = static_cast<GrantStatus>(status);
  grant.people = in.whole();
  grant.limit = in.row();
  grant.run = in.text();
  grant.closed = in.whole();
  return grant;
}

std::vector<std::uint64_t> blocks_of(std::span<const Part> parts) {
  std::vector<std::uint64_t> blocks;
  for (const Part& part : parts) blocks.push_back(part.block);
  return blocks;
}

std::vector<Part> parts_of(std::span<const std::uint64_t> places) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  const auto block = [&](std::size_t i) { return places[i] / kBlock; };
  const auto before = [&](std::size_t a, std::size_t b) { return block(a) < block(b); };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::stable_sort(order.begin(), order.end(), before);
  }
  std::vector<Part> parts;
  for (const std::size_t i : order) {
    if (parts.empty() || parts.back().block != block(i)) parts.push_back({.block = block(i)});
    parts.back().who.push_back(places[i] % kBlock);
    parts.back().asked.push_back(i);
  }
  return parts;
}

namespace {

// The first window of blocks: what is more is asked for in turn.
Questions questions_for(const Session::Ahead& ahead, std::uint64_t seen) {
  Questions all = {.records = {{Shelf::terms, {0, 1, 2}}, {Shelf::links, {0, seen}}},
                   .names = {},
                   .last = {Shelf::links}};
  if (!ahead.token.empty()) {
    const Bytes token = bytes_of(ahead.token);
    all.names.push_back({Names::tokens, Blob(token.begin(), token.end())});
  }
  std::vector<std::uint64_t> blocks;
  for (const auto& place : ahead.places) {
    if (place) blocks.push_back(*place / kBlock);
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  if (blocks.size() > kWindow) blocks.resize(kWindow);
  if (!blocks.empty()) all.records.push_back({Shelf::accounts, std::move(blocks)});
  return all;
}

}  // namespace

Session::Session(Storage& storage, const Currency& currency, Access access, const Ahead& ahead)
    : storage_(storage), currency_(currency), transaction_(storage, access) {
  storage.look_ahead(questions_for(ahead, storage.seen ? storage.seen->first : 0));
  constexpr std::array<std::uint64_t, 3> kTerms = {0, 1, 2};
  auto found = storage.get(Shelf::terms, kTerms);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) missing(storage);
    terms_[i] = *std::move(found[i]);
  }
  summary = summary_in(terms_[static_cast<std::size_t>(Term::summary)]);
  budgets = rows_in(terms_[static_cast<std::size_t>(Term::budgets)]);
  teams = teams_in(terms_[static_cast<std::size_t>(Term::teams)]);
  if (const auto record = storage.last(Shelf::links))
    last_ = link_in(record->number, record->bytes);
  if (access == Access::write && (!last_ || last_->state != state_of(summary))) {
    throw Error("ledger " + storage_.name() + " is damaged: accounts are not those of its head");
  }
  check_seen();
}

void Session::check_seen() {
  if (storage_.seen) {
    const auto& [number, hash] = *storage_.seen;
    const std::optional<Blob> record = storage_.get(Shelf::links, number);
    if (!record || link_in(number, *record).hash != hash) {
      throw Error("ledger " + storage_.name() +
                  " has forgotten a change that was seen here: it is an old copy, put the newest "
                  "one back; nothing was charged");
    }
  }
  note_seen();
}
void Session::note_seen() {
  if (last_) storage_.seen = {last_->number, last_->hash};
}

void Session::commit() {
  transaction_.commit();
  note_seen();
}

Session::Session(Storage& storage, const Currency& currency, New)
    : storage_(storage), currency_(currency), transaction_(storage, Access::write) {}

Account Session::account(std::uint64_t block) {
  return std::move(accounts_of(std::span(&block, 1)).front());
}

std::vector<Account> Session::accounts_of(std::span<const std::uint64_t> blocks) {
  const auto records = storage_.get(Shelf::accounts, blocks);
  std::vector<Account> accounts;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!records[i]) missing(storage_);
    accounts.push_back(unsealed(blocks[i], *records[i], units_a_row()));
  }
  return accounts;
}

std::vector<std::uint64_t> Session::all_blocks() const {
  std::vector<std::uint64_t> all(blocks());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void Session::put(std::uint64_t block, Account& account) {
  if (account.digest) summary.accounts.remove(*account.digest);
  storage_.put(Shelf::accounts, block, sealed(block, account));
  summary.accounts.add(*account.digest);
}

std::vector<std::string> Session::ids(std::uint64_t block) {
  return ids_in(needed(storage_, Shelf::people, block));
}

std::vector<std::uint64_t> Session::places_of(std::span<const std::string> ids, Places before) {
  std::vector<std::uint64_t> places(ids.empty() ? people() : ids.size());
  if (ids.empty()) std::iota(places.begin(), places.end(), 0);
  std::vector<bool> seen(ids.empty() ? 0 : people());
  const bool known =
      before.size() == ids.size() &&
      std::all_of(before.begin(), before.end(), [](auto& at) { return at.has_value(); });
  const Places found = known ? std::move(before) : find_places(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!found[i] || *found[i] >= people()) {
      throw Error(
          fmt::format("id at position {} (from 0) is not in the ledger: add the person, or "
                      "leave them out",
                      i));
    }
    if (seen[*found[i]]) {
      throw Error(
          fmt::format("id at position {} (from 0) is there twice: give each person once", i));
    }
    seen[*found[i]] = true;
    places[i] = *found[i];
  }
  return places;
}

Places Session::find_places(std::span<const std::string> ids) {
  return storage_.find(Names::places, names_of(ids));
}
Places places_before(Storage& storage, std::span<const std::string> ids) {
  return ids.empty() ? Places() : storage.find_before(Names::places, names_of(ids));
}

Link Session::link(std::uint64_t number) {
  return link_in(number, needed(storage_, Shelf::links, number));
}

std::optional<std::uint64_t> Session::link_of(std::string_view token) {
  return storage_.find(Names::tokens, bytes_of(token));
}

Checksum Session::key() { return create_in(link(0).body).nonce; }

GrantRecord Session::grant(std::uint64_t number) {
  return grant_in(needed(storage_, Shelf::grants, number));
}

// Only what differs is written, and all of it the first time.
void Session::keep(Term which, Blob record) {
  Blob& before = terms_[static_cast<std::size_t>(which)];
  if (last_ && before == record) return;
  storage_.put(Shelf::terms, static_cast<std::uint64_t>(which), record);
  before = std::move(record);
}

std::uint64_t Session::append(std::string_view kind, std::string_view token, Blob body,
                              const Checksum& answer) {
  keep(Term::summary, record_of(summary));
  keep(Term::budgets, record_of(budgets));
  keep(Term::teams, record_of(teams));
  Link next = {.kind = std::string(kind),
               .time = now(),
               .token = std::string(token),
               .body = std::move(body),
               .answer = answer,
               .state = state_of(summary)};
  if (last_) {
    next.number = last_->number + 1;
    next.previous = last_->hash;
  }
  next.hash = hash_of(next, next.number == 0 ? create_in(next.body).nonce : key());
  storage_.put(Shelf::links, next.number, record_of(next));
  storage_.add(Names::heads, next.hash, next.number);
  last_ = std::move(next);
  return last_->number;
}

void check_line(std::string_view what, std::string_view text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::none_of(text.begin(), text.end(), control)) return;
  throw Error(fmt::format("{} has control characters: give a line of text", what));
}

void check_token(std::string_view token) {
  check_line("token", token);
  if (!token.empty() && token.size() <= 1000) return;
  throw Error(fmt::format("token has {} bytes: give from 1 to 1000", token.size()));
}

void refuse_other_body(std::string_view token) {
  throw Error("token '" + std::string(token) +
              "' was used before for another request: give a new token; nothing was charged");
}

}  // namespace ration::ledger
