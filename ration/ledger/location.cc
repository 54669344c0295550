#include "ration/ledger/location.h"

#include "ration/base/error.h"
#include "ration/ledger/postgres_storage.h"
#include "ration/ledger/sqlite_storage.h"

namespace ration::ledger {

bool is_url(const std::string& location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}

namespace {

// An address of another kind is no file name, and may hold a password: no message shows it.
bool is_other_address(const std::string& location) {
  return !is_url(location) && (location.find("://") != std::string::npos ||
                               location.find("password=") != std::string::npos);
}
void check_address(const std::string& location) {
  if (!is_other_address(location)) return;
  throw Error("ledger is at an address of another kind: give a file, or postgresql://...");
}

}  // namespace

std::string shown(const std::string& location) {
  if (is_other_address(location)) return "an address of another kind";
  return is_url(location) ? postgres_name(location) : location;
}

std::unique_ptr<Storage> new_storage(const std::string& location) {
  check_address(location);
  return is_url(location) ? new_postgres(location) : new_sqlite(location);
}

std::unique_ptr<Storage> open_storage(const std::string& location, Access access) {
  check_address(location);
  return is_url(location) ? open_postgres(location, access) : open_sqlite(location, access);
}

}  // namespace ration::ledger
