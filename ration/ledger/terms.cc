#include "ration/ledger/terms.h"

#include <algorithm>

#include "ration/base/error.h"

namespace ration::ledger {
namespace {

Row unlimited(std::size_t places) { return Row(places, kMostUnits); }

Team& team_of(Teams& teams, const std::string& name, std::size_t places) {
  return teams.try_emplace(name, Team{.quota = unlimited(places), .used = Row(places)})
      .first->second;
}

Rows rows_from(Reader& in) {
  Rows rows;
  for (std::uint64_t count = in.whole(); count > 0; --count) rows.push_back(in.row());
  return rows;
}
void write(Writer& out, const Rows& rows) {
  out.whole(rows.size());
  for (const Row& row : rows) out.row(row);
}

}  // namespace

Blob record_of(const CreateBody& body) {
  Writer out;
  out.text(body.currency->state_name());
  for (const auto& [section, numbers] : body.currency->numbers()) {
    out.whole(numbers.size());
    for (const double number : numbers) out.real(number);
  }
  return out.real(body.delta).checksum(body.nonce).blob();
}

void check_currency(const Currency& currency) {
  if (currency.has_fixed_prices()) return;
  refuse("ledger's currency", currency.name(),
         "gdp or rdp, whose prices do not depend on what is left");
}
CreateBody create_in(Bytes record) {
  Reader in(record);
  const std::string name = in.text();
  const CurrencyInState* const currency = currency_in_state(name);
  if (currency == nullptr) refuse("ledger's currency", "'" + name + "'", "one that is known");
  std::vector<std::vector<double>> numbers(currency->sections.size());
  for (auto& section : numbers) {
    for (std::uint64_t count = in.whole(); count > 0; --count) section.push_back(in.real());
  }
  CreateBody body = {.currency = currency->made_from(numbers), .delta = in.real(), .nonce = {}};
  check_currency(*body.currency);
  body.nonce = in.checksum();
  return body;
}

Blob record_of(const PeopleBody& body) {
  Writer out;
  out.whole(body.first).whole(body.count);
  write(out, body.budgets);
  return out.checksum(body.digest).blob();
}
PeopleBody people_in(Bytes record) {
  Reader in(record);
  PeopleBody body = {.first = in.whole(), .count = 0, .budgets = {}, .digest = {}};
  body.count = in.whole();
  body.budgets = rows_from(in);
  body.digest = in.checksum();
  return body;
}

Blob record_of(const RequestBody& body) {
  Writer out;
  out.text(body.purpose).text(body.team).whole(body.limit ? 1 : 0);
  if (body.limit) out.row(*body.limit);
  return out.checksum(body.asked).blob();
}
RequestBody request_in(Bytes record) {
  Reader in(record);
  RequestBody body = {.purpose = in.text(), .team = {}, .limit = {}, .asked = {}};
  body.team = in.text();
  if (in.whole() != 0) body.limit = in.row();
  body.asked = in.checksum();
  return body;
}

Blob record_of(const QuotaBody& body) { return Writer().text(body.team).row(body.quota).blob(); }
QuotaBody quota_in(Bytes record) {
  Reader in(record);
  QuotaBody body = {.team = in.text(), .quota = {}};
  body.quota = in.row();
  return body;
}

Blob record_of(const Summary& summary) {
  Writer out;
  out.whole(summary.people);
  return out.raw(summary.accounts.bytes()).blob();
}
Summary summary_in(Bytes record) {
  Reader in(record);
  Summary summary = {.people = in.whole()};
  summary.accounts = SetDigest(in.raw(SetDigest::kSize));
  if (in.more()) throw Error("ledger is damaged: its summary is too long");
  return summary;
}
Checksum state_of(const Summary& summary) {
  return digest_of(Writer().text("ration ledger state 1").bytes(record_of(summary)).blob());
}

Blob record_of(const Rows& rows) {
  Writer out;
  write(out, rows);
  return out.blob();
}
Rows rows_in(Bytes record) {
  Reader in(record);
  return rows_from(in);
}

Blob record_of(const Teams& teams) {
  Writer out;
  for (const auto& [name, team] : teams) out.text(name).row(team.quota).row(team.used);
  return out.blob();
}
Teams teams_in(Bytes record) {
  Teams teams;
  for (Reader in(record); in.more();) {
    const std::string name = in.text();
    Team& team = teams[name];
    team.quota = in.row();
    team.used = in.row();
  }
  return teams;
}

Row limit_of(const RequestBody& request, const Rows& budgets, const Teams& teams) {
  Row limit(budgets.at(0).size());
  for (const Row& budget : budgets) {
    for (std::size_t k = 0; k < limit.size(); ++k) limit[k] = std::max(limit[k], budget[k]);
  }
  if (request.limit) {
    for (std::size_t k = 0; k < limit.size(); ++k)
      limit[k] = std::min(limit[k], request.limit->at(k));
  }
  const auto found = teams.find(request.team);
  if (found == teams.end()) return limit;
  const auto& [quota, used] = found->second;
  for (std::size_t k = 0; k < limit.size(); ++k) {
    if (quota[k] == kMostUnits) continue;
    const Units left = quota[k] - std::min(quota[k], used[k]);
    if (request.limit && limit[k] > left) {
      throw Error("team '" + request.team +
                  "' asks for more than its quota has left: give a smaller limit, or raise the "
                  "quota");
    }
    limit[k] = std::min(limit[k], left);
  }
  return limit;
}

void use(Teams& teams, const std::string& team, const Row& limit) {
  if (!team.empty()) add_to(team_of(teams, team, limit.size()).used.data(), limit);
}

// What has stopped counting stays where it is.
void give_back(Teams& teams, const std::string& team, const Row& limit) {
  if (team.empty()) return;
  Row& used = team_of(teams, team, limit.size()).used;
  for (std::size_t k = 0; k < limit.size(); ++k) {
    if (used[k] != kMostUnits) used[k] -= std::min(used[k], limit[k]);
  }
}

void set_quota(Teams& teams, const QuotaBody& body) {
  team_of(teams, body.team, body.quota.size()).quota = body.quota;
}

}  // namespace ration::ledger
