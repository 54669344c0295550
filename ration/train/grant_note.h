// What a run directory remembers of the grant that its run holds in a ledger, in a private file of
// its own (ledger.state, kind "training-grant"; docs/state.md): enough to find the grant again and
// to settle it without the data. It is there before the grant is started. Safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "ration/ledger/ledger.h"
#include "ration/results/directory.h"

namespace ration::train {

struct GrantNote {
  std::string token;
  std::string run;               // the name it is started by, which no other directory has
  std::string head;              // the last of the ledger that was seen from here
  std::vector<std::string> ids;  // whose budgets they are, in the order of accounts

  friend bool operator==(const GrantNote&, const GrantNote&) = default;
};

bool has_note(const results::RunDirectory& directory);
void save_note(const results::RunDirectory& directory, const GrantNote& note);
GrantNote load_note(const results::RunDirectory& directory);

// 32 random digits.
std::string new_run_name();

// Refuses a ledger that has never had this head: another one, or an old copy that was restored and
// has forgotten spends.
void check_seen(Ledger& ledger, const std::string& head);

}  // namespace ration::train
