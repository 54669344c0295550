// What links say was asked for, and the few records that hold for the whole ledger. Values and pure
// functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ration/control/currency.h"
#include "ration/ledger/blocks.h"
#include "ration/ledger/encoding.h"
#include "ration/ledger/set_digest.h"

namespace ration::ledger {

// The kinds of links.
namespace kind {
inline constexpr std::string_view create = "create", people = "people", quota = "quota",
                                  grant = "grant", start = "start", settle = "settle",
                                  voided = "void", admit = "admit";
}

// Records on the shelf of terms.
enum class Term : std::uint64_t { summary, budgets, teams };

struct CreateBody {
  CurrencyPtr currency;
  double delta;
  Checksum nonce;  // no two ledgers are the same, though they begin alike
};
Blob record_of(const CreateBody& body);
CreateBody create_in(Bytes record);
// Refuses one in which several runs cannot draw on one budget.
void check_currency(const Currency& currency);

struct PeopleBody {
  std::uint64_t first, count;
  Rows budgets;     // kinds that are new
  Checksum digest;  // of ids and kinds
};
Blob record_of(const PeopleBody& body);
PeopleBody people_in(Bytes record);

// A grant or a one-off query, of which `asked` is the digest of whose it is, the step and norms.
struct RequestBody {
  std::string purpose, team;
  std::optional<Row> limit;
  Checksum asked;
};
Blob record_of(const RequestBody& body);
RequestBody request_in(Bytes record);

struct QuotaBody {
  std::string team;
  Row quota;
};
Blob record_of(const QuotaBody& body);
QuotaBody quota_in(Bytes record);

// The state of a ledger: of all blocks of accounts together.
struct Summary {
  std::uint64_t people = 0;
  SetDigest accounts = {};
};
Blob record_of(const Summary& summary);
Summary summary_in(Bytes record);
Checksum state_of(const Summary& summary);

Blob record_of(const Rows& rows);
Rows rows_in(Bytes record);

struct Team {
  Row quota;  // kMostUnits in all places until one is set
  Row used;
  friend bool operator==(const Team&, const Team&) = default;
};
using Teams = std::map<std::string, Team>;
Blob record_of(const Teams& teams);
Teams teams_in(Bytes record);

// What a request may take of each person: what it asks for, or else all that anybody's budget has,
// and no more than its team has left. Refuses what asks for more than that.
Row limit_of(const RequestBody& request, const Rows& budgets, const Teams& teams);
// Counts it as the team's.
void use(Teams& teams, const std::string& team, const Row& limit);
void give_back(Teams& teams, const std::string& team, const Row& limit);
void set_quota(Teams& teams, const QuotaBody& body);

}  // namespace ration::ledger
