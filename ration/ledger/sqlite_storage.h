// A ledger in one SQLite file, for its owner alone (mode 0600). Rollback journal and full
// synchronisation: the write-ahead log of SQLite before 3.51.3 can lose a commit. Two processes may
// use one file; a writer waits for another for up to a minute. Not on a network file system, whose
// locks may not hold. For one caller at a time.
#pragma once

#include <filesystem>
#include <memory>

#include "ration/ledger/storage.h"

namespace ration::ledger {

struct SqliteOptions {
  const char* vfs = nullptr;  // another file system, for tests
  int patience = 60'000;      // milliseconds for which to wait for other processes
};

// A new file: it is private from its first byte on and stays empty until the first commit. Refuses
// one that exists and is not empty.
std::unique_ptr<Storage> new_sqlite(const std::filesystem::path& file,
                                    const SqliteOptions& options = {});
// Refuses what is no ledger, or one of another version, and changes nothing in it.
std::unique_ptr<Storage> open_sqlite(const std::filesystem::path& file, Access access,
                                     const SqliteOptions& options = {});

}  // namespace ration::ledger
