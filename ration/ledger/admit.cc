// One-off queries: reserved, settled and answered in one transaction.

#include <fmt/format.h>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/base/people.h"
#include "ration/individual/norms.h"
#include "ration/ledger/session.h"

namespace ration {
namespace {

using namespace ledger;

std::vector<double> doubles(const Norms& norms) {
  return std::visit([](auto all) { return std::vector<double>(all.begin(), all.end()); }, norms);
}

Checksum digest_of_query(const Query& query, std::span<const double> norms) {
  Writer out;
  out.text("query").bytes(record_of(query.ids));
  out.real(query.step.noise).real(query.step.clip).real(query.step.rate);
  return digest_of(out.bytes(std::as_bytes(norms)).blob());
}

// As answers are kept: a bit for each person.
Blob packed(std::span<const std::uint8_t> mask) {
  Blob bits((mask.size() + 7) / 8);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    bits[i / 8] |= std::byte{mask[i]} << (i % 8);
  }
  return bits;
}
std::vector<std::uint8_t> unpacked(const Blob& bits, std::size_t people) {
  if (bits.size() != (people + 7) / 8) throw Error("ledger is damaged: an answer");
  std::vector<std::uint8_t> mask(people);
  for (std::size_t i = 0; i < people; ++i) {
    mask[i] = static_cast<std::uint8_t>(bits[i / 8] >> (i % 8)) & 1U;
  }
  return mask;
}

}  // namespace

std::vector<std::uint8_t> Ledger::admit(const Query& query) {
  check_token(query.token);
  check_line("team", query.team);
  check_line("purpose", query.purpose);
  const DefaultFloatEnvironment environment;
  const std::vector<double> norms = doubles(query.norms);
  check_norms(norms, 0);
  const auto price = currency_->price(query.step);
  const RequestBody body = {.purpose = query.purpose,
                            .team = query.team,
                            .limit = price->worst_case(),
                            .asked = digest_of_query(query, norms)};
  Places found = places_before(*storage_, query.ids);
  Session session(*storage_, *currency_, Access::write, {.token = query.token, .places = found});
  if (session.key() != key_) {  // places were looked up in another one
    throw Error("ledger was replaced since it was opened: open it again");
  }
  if (const auto before = session.link_of(query.token)) {
    const Link link = session.link(*before);
    if (link.kind != kind::admit || link.body != record_of(body)) refuse_other_body(query.token);
    const auto bits = storage_->get(Shelf::answers, *before);
    if (!bits) throw Error("ledger is damaged: an answer is missing");
    return unpacked(*bits, norms.size());
  }

  const std::vector<std::uint64_t> places = session.places_of(query.ids, std::move(found));
  check_people(places.size(), norms.size(), "norms");
  const Row limit = limit_of(body, session.budgets, session.teams);
  price->prepare(norms);
  std::vector<std::uint8_t> mask(places.size());
  const std::vector<Part> parts = parts_of(places);
  session.change_accounts(blocks_of(parts), [&](std::size_t at, Account& account) {
    const Part& part = parts[at];
    std::vector<double> theirs;
    for (const std::size_t i : part.asked) theirs.push_back(norms[i]);
    std::vector<std::uint8_t> admitted(part.who.size());
    ledger::admit(account, part.who, session.budgets, *price, theirs, admitted.data());
    for (std::size_t i = 0; i < admitted.size(); ++i) mask[part.asked[i]] = admitted[i];
  });
  use(session.teams, query.team, limit);
  const Blob answer = packed(mask);
  const std::uint64_t number =
      session.append(kind::admit, query.token, record_of(body), digest_of(answer));
  storage_->put(Shelf::answers, number, answer);
  storage_->add(Names::tokens, bytes_of(query.token), number);
  storage_->put(Shelf::grants, number,
                record_of(GrantRecord{.status = GrantStatus::settled,
                                      .people = session.people(),
                                      .limit = limit,
                                      .closed = number}));
  session.commit();
  return mask;
}

}  // namespace ration
