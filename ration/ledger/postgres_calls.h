// The statements of a ledger on a PostgreSQL server, as they are sent. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ration/ledger/postgres_client.h"
#include "ration/ledger/storage.h"

namespace ration::ledger::postgres {

// For every connection, whatever the server's defaults are.
PostgresCall settings();
// Schema, tables and version.
std::vector<PostgresCall> make_tables();

// Answers: place in the list, from 1, and record; number and record; number and record.
PostgresCall get(Shelf shelf, std::span<const std::uint64_t> numbers);
PostgresCall range(Shelf shelf, std::uint64_t first, std::uint64_t last, std::uint64_t most);
PostgresCall last(Shelf shelf);
// Answers: place in the list, from 1, and number.
PostgresCall find(Names names, std::span<const Bytes> all);
PostgresCall count(const char* table);

// Records that may be there, and records that are.
PostgresCall put(Shelf shelf, std::span<const std::uint64_t> numbers,
                 std::span<const Bytes> records);
PostgresCall change(Shelf shelf, std::span<const std::uint64_t> numbers,
                    std::span<const Bytes> records);
PostgresCall erase(Shelf shelf, std::uint64_t first, std::uint64_t last);
PostgresCall add(Names names, std::span<const Bytes> all, std::span<const std::uint64_t> numbers);
std::string copy(Names names);

}  // namespace ration::ledger::postgres
