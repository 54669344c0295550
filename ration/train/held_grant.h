// What a run holds in a ledger: one grant for exactly its people, matched by their ids. Its filter
// is the grant's, in which each person's budget is their reserve. In this order, whatever is killed
// when, no spend is lost and no grant is used twice:
//   take     the grant; the same token and request give it again
//   note     token, name of the run, ids and head, in the run directory (grant_note.h)
//   checkpoint   with the grant's filter and nothing charged
//   start    by that name: no other directory can from here on
//   steps    each charged in the journal before it is used
//   settle   what was charged is spent and the rest goes back; then model and summary are written
// A ledger may be away while steps are made. It is asked for by its location, a file or an address.
// For one caller at a time. docs/ledger.md
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "ration/base/error.h"
#include "ration/control/filter.h"
#include "ration/dataset/dataset.h"
#include "ration/ledger/ledger.h"
#include "ration/results/directory.h"
#include "ration/train/grant_note.h"
#include "ration/train/settings.h"

namespace ration::train {

// What a run asks for, and where.
struct LedgerAsk {
  std::string ledger, token;
  std::string team = {}, purpose = {};
};

// Settings of a run with a ledger. What each person may spend in it at most is the filter's budget;
// without a filter it is what all steps cost at the clip bound, in the ledger's currency.
Settings read_settings(const std::filesystem::path& file, std::span<const std::string> overrides,
                       const Ledger& ledger);
// Refuses runs that a ledger has no account of: without privacy or with a test seed, in another
// currency or at another delta.
void check_fits(const Settings& settings, const Ledger& ledger);

// Somebody else has ended the grant, with other charges than the run's: what the run has made is
// not paid for.
class GrantIsClosed : public Error {
 public:
  using Error::Error;
};

class HeldGrant {
 public:
  // For a run that has no checkpoint yet. Refuses people without ids, ids that are not in the
  // ledger (by their positions), settings as above, a directory that belongs to another grant, and
  // a grant that was started. After a refusal nothing is reserved.
  static HeldGrant take(const LedgerAsk& ask, const Settings& settings, const People& people,
                        const results::RunDirectory& directory);
  // For a run that goes on from a checkpoint that has seen this head. Refuses another token, other
  // people, an old copy of the ledger, and a grant that was given back.
  static HeldGrant find(const LedgerAsk& ask, const Settings& settings, const People& people,
                        const results::RunDirectory& directory, const std::string& head);

  // Of a grant that was just taken.
  const Filter& filter() const { return *filter_; }
  // Refuses a filter of another grant, and one that is settled unless all steps were made.
  void check_filter(const Filter& filter, bool finished) const;
  // Before the first step, when the checkpoint is there: from now on something may be released.
  void start();
  // What the run has charged. Throws if the ledger cannot be reached, or is an old copy; then all
  // that is reserved counts as spent until recover(). Throws GrantIsClosed where that is no longer
  // so.
  void settle(const Filter& filter);

  const std::string& ledger() const { return location_; }
  const std::string& token() const { return note_.token; }
  const std::string& head() const { return note_.head; }  // the last that was seen

 private:
  HeldGrant(std::string location, const results::RunDirectory& directory, Ledger& ledger,
            ledger::Grant grant, GrantNote note);

  std::string location_;
  const results::RunDirectory& directory_;
  ledger::Grant grant_;
  GrantNote note_;
  std::optional<Filter> filter_ = {};
};

// How a grant has ended that was settled from its run directory alone.
struct Recovered {
  std::string token;
  ledger::GrantStatus status;
  std::string head;
};
// Settles with what checkpoint and journal say, every charge, used or not; gives everything back if
// the grant was never started. Asked again, the same. Refuses a directory without a grant, one
// whose run is going on, another ledger or an old copy, and a grant that was started with no
// checkpoint left to tell of it.
Recovered recover(const std::string& ledger, const std::filesystem::path& directory);

}  // namespace ration::train
