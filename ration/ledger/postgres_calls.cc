#include "ration/ledger/postgres_calls.h"

#include <fmt/format.h>

#include <string_view>

namespace ration::ledger::postgres {
namespace {

std::string sql(std::string_view text, const char* table) {
  return fmt::format(fmt::runtime(text), table);
}
// Records of a few kilobytes stay in their row, and pages have room for a new version of them: an
// account that changes is written in place, and only what differs goes into the log.
std::string table_of_records(const char* table) {
  return sql(
      "CREATE TABLE ration.{} (number bigint PRIMARY KEY, record bytea NOT NULL) WITH (fillfactor "
      "= 50, toast_tuple_target = 8160)",
      table);
}
std::string table_of_names(const char* table) {
  return sql("CREATE TABLE ration.{} (name bytea PRIMARY KEY, number bigint NOT NULL)", table);
}

}  // namespace

// A client that is gone, with its machine or for a pause of minutes, does not keep others waiting:
// its change is rolled back.
PostgresCall settings() {
  return {
      "SELECT set_config('synchronous_commit', 'on', false), set_config('lock_timeout', '60s', "
      "false), set_config('statement_timeout', '0', false), "
      "set_config('idle_in_transaction_session_timeout', '5min', false), "
      "set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', "
      "false), set_config('tcp_keepalives_count', '3', false), set_config('jit', 'off', false), "
      "set_config('plan_cache_mode', 'force_generic_plan', false), set_config('search_path', "
      "'pg_catalog', false)"};
}

std::vector<PostgresCall> make_tables() {
  std::vector<PostgresCall> calls = {{"CREATE SCHEMA ration"},
                                     {"CREATE TABLE ration.ledger (version bigint NOT NULL)"},
                                     {"CREATE TABLE ration.turn ()"}};
  for (const char* table : kShelfTables) {
    calls.push_back({table_of_records(table)});
    calls.push_back({sql("ALTER TABLE ration.{} ALTER COLUMN record SET STORAGE EXTERNAL", table)});
  }
  for (const char* table : kNameTables) calls.push_back({table_of_names(table)});
  calls.push_back({"INSERT INTO ration.ledger VALUES ($1::bigint)", {postgres_number(kVersion)}});
  return calls;
}

PostgresCall get(Shelf shelf, std::span<const std::uint64_t> numbers) {
  return {sql("SELECT w.at, t.record FROM unnest($1::bigint[]) WITH ORDINALITY AS w(number, at) "
              "JOIN ration.{} t USING (number)",
              table_of(shelf)),
          {postgres_numbers(numbers)}};
}
PostgresCall range(Shelf shelf, std::uint64_t first, std::uint64_t last, std::uint64_t most) {
  return {sql("SELECT number, record FROM ration.{} WHERE number BETWEEN $1::bigint AND $2::bigint "
              "ORDER BY number LIMIT $3::bigint",
              table_of(shelf)),
          {postgres_number(first), postgres_number(last), postgres_number(most)}};
}
PostgresCall last(Shelf shelf) {
  return {
      sql("SELECT number, record FROM ration.{} ORDER BY number DESC LIMIT 1", table_of(shelf))};
}
PostgresCall find(Names names, std::span<const Bytes> all) {
  return {sql("SELECT w.at, t.number FROM unnest($1::bytea[]) WITH ORDINALITY AS w(name, at) JOIN "
              "ration.{} t USING (name)",
              table_of(names)),
          {postgres_blobs(all)}};
}
PostgresCall count(const char* table) { return {sql("SELECT count(*) FROM ration.{}", table)}; }

PostgresCall put(Shelf shelf, std::span<const std::uint64_t> numbers,
                 std::span<const Bytes> records) {
  return {sql("INSERT INTO ration.{} SELECT * FROM unnest($1::bigint[], $2::bytea[]) ON CONFLICT "
              "(number) DO UPDATE SET record = excluded.record",
              table_of(shelf)),
          {postgres_numbers(numbers), postgres_blobs(records)}};
}
PostgresCall change(Shelf shelf, std::span<const std::uint64_t> numbers,
                    std::span<const Bytes> records) {
  return {sql("UPDATE ration.{} t SET record = w.record FROM unnest($1::bigint[], $2::bytea[]) AS "
              "w(number, record) WHERE t.number = w.number",
              table_of(shelf)),
          {postgres_numbers(numbers), postgres_blobs(records)}};
}
PostgresCall erase(Shelf shelf, std::uint64_t first, std::uint64_t last) {
  return {
      sql("DELETE FROM ration.{} WHERE number BETWEEN $1::bigint AND $2::bigint", table_of(shelf)),
      {postgres_number(first), postgres_number(last)}};
}
PostgresCall add(Names names, std::span<const Bytes> all, std::span<const std::uint64_t> numbers) {
  return {
      sql("INSERT INTO ration.{} SELECT * FROM unnest($1::bytea[], $2::bigint[])", table_of(names)),
      {postgres_blobs(all), postgres_numbers(numbers)}};
}
std::string copy(Names names) {
  return sql("COPY ration.{} FROM STDIN (FORMAT binary)", table_of(names));
}

}  // namespace ration::ledger::postgres
