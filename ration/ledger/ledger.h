// The ledger: everybody's budgets, across runs and teams, in a file or a PostgreSQL database that
// outlives them. Nobody's
// spends and reserves together ever exceed their budget, whoever asks, in whatever order, and
// whichever process is killed: a change is on the disk as a whole before it is answered, or it
// never happened. A token names each request. The same token with the same request gives the first
// answer again and charges nothing; with another request it is refused.
//
// All that it tells of single people is private: reserves, masks, Person. Many processes may use
// one ledger; a Ledger is for one caller at a time. docs/ledger.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/control/currency.h"
#include "ration/control/filter.h"

namespace ration {

namespace ledger {

class Storage;
class Session;

// People by their ids, which may be any text, and what each may spend.
struct NewPeople {
  std::vector<std::string> ids;
  Budgets budgets;
};

struct GrantRequest {
  std::string token;
  std::string purpose = {};
  std::string team = {};
  std::optional<Budget> limit = {};   // for each person at most; by default all that they have
  std::vector<std::string> ids = {};  // whose; everybody's if empty
};

// A noisy sum that is released once; norms are those before clipping.
struct Query {
  std::string token;
  std::string purpose = {};
  std::string team = {};
  Step step;
  std::vector<std::string> ids = {};  // whose the norms are; everybody's if empty
  Norms norms;
};

enum class GrantStatus { reserved, started, settled, voided };
std::string_view name(GrantStatus status);

struct Grant {
  std::string token;
  GrantStatus status = GrantStatus::reserved;
  std::vector<std::uint64_t> places = {};  // of the people it is for, in their order
  std::vector<Units> reserves = {};  // people x places of the currency; none once it is closed
  std::string run = {};              // that has started it
};

struct Person {
  Bound budget, spent, reserved, left;  // as eps at the ledger's delta
};

// A line of the list of grants, and one of history: nothing about single people.
struct GrantEntry {
  std::string token, team, purpose;
  bool one_off = false;
  GrantStatus status = GrantStatus::reserved;
  std::string time;
  std::optional<Bound> limit;  // as eps for each person; none: all that they had
};
struct HistoryEntry {
  std::uint64_t number = 0;
  std::string kind, time, token, hash;
};

}  // namespace ledger

class Ledger {
 public:
  // A new file, of mode 0600, or by its URL (postgresql://...) a ledger in a database that has
  // none. Eps are told at this delta. Refuses a file that exists, ids that are empty or there twice
  // (with their positions from 0, never the id), and budgets that do not fit.
  static Ledger create(const std::string& location, const CurrencyPtr& currency, Delta delta,
                       const ledger::NewPeople& people);
  static Ledger create(std::unique_ptr<ledger::Storage> storage, const CurrencyPtr& currency,
                       Delta delta, const ledger::NewPeople& people);
  // Refuses what is no ledger.
  static Ledger open(const std::string& location);
  static Ledger look_at(const std::string& location);  // also one that is read-only
  explicit Ledger(std::unique_ptr<ledger::Storage> storage);
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  ~Ledger();

  const CurrencyPtr& currency() const { return currency_; }
  Delta delta() const { return delta_; }

  // People come only with data that are new: a budget is never filled up again.
  void add(const ledger::NewPeople& people);
  // What a team may take of each person's budget, from the first day on: its grants are refused
  // beyond it. Counted are the limits of its grants and the clip bounds of its one-off queries,
  // which are public; a grant that is voided counts no more, one that is settled counts in full.
  void set_quota(const std::string& team, const Budget& quota);

  std::uint64_t people();
  std::vector<std::string> ids();  // in their order
  std::string head();              // the hash of the last change, for witnesses to write down
  // Has this ledger ever had that head? If not, it is another one, or an old copy that has
  // forgotten spends.
  bool contains(std::string_view head);
  ledger::Person person(const std::string& id);
  struct Totals {
    std::vector<Bound> budget, spent, reserved, left;
  };
  Totals totals();  // of everybody
  std::uint64_t count_grants();
  std::vector<ledger::GrantEntry> grants();
  std::vector<ledger::HistoryEntry> history();

  // Takes everybody's reserve: the limit, or what they have left if that is less, in each place of
  // the currency. Until it is settled or voided, all of it counts as spent.
  ledger::Grant grant(const ledger::GrantRequest& request);
  // The filter of a run that has not started: each person's budget is their reserve.
  Filter filter(const ledger::Grant& grant) const;
  // Which grant of which ledger: what the source of its filters begins with (filter_source.h).
  std::string source_of(const std::string& token) const;
  // From now on something may have been released. `run` names whoever starts: another run cannot
  // start with the same grant. Save the filter before, and go on from what was saved. The grant is
  // as the caller saw it: one that was only reserved is started once, also where two runs have the
  // same name; one that was started is gone on with by its run.
  void start(const ledger::Grant& grant, const std::string& run);
  // For a run that knows no more than its token, and perhaps goes on. Only its name tells it from
  // others.
  void start(const std::string& token, const std::string& run);
  // What was really charged (as Filter::state().spent), never above the reserve; the rest goes
  // back.
  void settle(const ledger::Grant& grant, std::span<const Units> charges);
  // The same from the run's filter. Refuses one that was not made from this grant, also one of
  // another grant with equal reserves, and one of a run that has not started it.
  void settle(const ledger::Grant& grant, const Filter& filter);
  // The grant with this token once more, for these people in the order of the request; everybody if
  // there are none. Refuses others than it was taken for.
  ledger::Grant held(const std::string& token, const std::vector<std::string>& ids = {});
  // What nobody knows was spent: all of it.
  void settle_everything(const std::string& token);
  // Gives a grant back that was not started.
  void void_grant(const std::string& token);

  // A one-off query: charges those whose charge fits into what they have left, and says who takes
  // part (1) and who does not (0). When it returns, the charge is on the disk: release after.
  std::vector<std::uint8_t> admit(const ledger::Query& query);

  // Goes through everything: each link follows from the one before it, the lists of grants, people
  // and teams from the links, and everybody's accounts are those of the last link. Throws an Error
  // that says which link or block is broken.
  void verify();

 private:
  std::unique_ptr<ledger::Storage> storage_;
  CurrencyPtr currency_;
  Delta delta_ = 1;
  std::array<std::byte, 32> key_ = {};  // of this ledger, and of no other
};

}  // namespace ration
