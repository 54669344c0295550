// Where a ledger lies: a file, or a database of a PostgreSQL server, whose URL begins with
// postgresql:// or postgres://. The one place that tells them apart. Safe from any thread.
#pragma once

#include <memory>
#include <string>

#include "ration/ledger/storage.h"

namespace ration::ledger {

bool is_url(const std::string& location);
// As messages call it: never with a password.
std::string shown(const std::string& location);

// Both refuse what their storage refuses: sqlite_storage.h, postgres_storage.h.
std::unique_ptr<Storage> new_storage(const std::string& location);
std::unique_ptr<Storage> open_storage(const std::string& location, Access access);

}  // namespace ration::ledger
