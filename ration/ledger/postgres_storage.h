// A ledger in a PostgreSQL database, for teams on several machines: one ledger in each database, in
// a schema of its own called "ration". Writers take turns by an explicit lock, which is the first
// thing in their transaction; REPEATABLE READ then sees all that was committed before it and
// nothing else, so no transaction has to be tried again. Readers see one moment. What commit()
// answers is on the server's disk: synchronous_commit is switched on for every connection, and a
// server without fsync, or a replica, is refused. For one caller at a time.
//
// Writes are held back and sent together, in one round trip where they are few: between machines,
// the lock is held for round trips more than for work. docs/ledger.md
#pragma once

#include <memory>
#include <string>

#include "ration/ledger/storage.h"

namespace ration::ledger {

// A database that holds no ledger yet; it stays as it was until the first commit.
std::unique_ptr<Storage> new_postgres(const std::string& url);
// Refuses what does not answer, holds no ledger, or one of another version, and changes nothing.
std::unique_ptr<Storage> open_postgres(const std::string& url, Access access);

// Host, port and database of a URL, without user, password and options. Refuses what is no URL, or
// may have a password in another place, and does not repeat it.
std::string postgres_name(const std::string& url);

}  // namespace ration::ledger
