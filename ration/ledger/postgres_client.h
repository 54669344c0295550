// A connection to a PostgreSQL server: statements with binary values, several of them in one round
// trip, and errors as sentences. For one caller at a time.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ration/ledger/encoding.h"

namespace ration::ledger {

// Values as PostgreSQL sends and takes them: big-endian, arrays behind their header.
Blob postgres_number(std::uint64_t value);
Blob postgres_numbers(std::span<const std::uint64_t> values);
Blob postgres_blobs(std::span<const Bytes> values);

class PostgresAnswer {
 public:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;
  explicit PostgresAnswer(Result result) : result_(std::move(result)) {}

  std::string_view command() const { return PQcmdStatus(result_.get()); }
  std::size_t rows() const { return static_cast<std::size_t>(PQntuples(result_.get())); }
  bool is_null(std::size_t row, int column) const;
  std::uint64_t number(std::size_t row, int column) const;
  Bytes bytes(std::size_t row, int column) const;

 private:
  Result result_;
};

struct PostgresCall {
  std::string text;
  std::vector<Blob> values = {};
};

class PostgresClient {
 public:
  // Refuses a URL that cannot be read and a server that does not answer.
  explicit PostgresClient(const std::string& url);

  const std::string& name() const { return name_; }
  bool is_connected() const { return PQstatus(connection_.get()) == CONNECTION_OK; }

  // In order, in one round trip; the answers to all of them. Where one fails, those after it did
  // not happen. The last one of what commits is COMMIT; if the connection is lost then, nobody
  // knows whether it happened.
  enum class Writes { nothing, until_commit, commits };
  std::vector<PostgresAnswer> run(std::span<const PostgresCall> calls, Writes writes);
  PostgresAnswer run(const PostgresCall& call, Writes writes);

  // COPY ... FROM STDIN (FORMAT binary), row by row.
  void begin_copy(const std::string& text);
  void copy(std::span<const Bytes> values);
  void end_copy();

  // Ends a transaction, if one is open, and whatever was going on.
  void rollback() noexcept;

 private:
  using Result = PostgresAnswer::Result;
  [[noreturn]] void fail(const PGresult* result, Writes writes) const;
  std::size_t send(const PostgresCall& call, std::vector<std::string>& fresh);
  void flush_copy();

  std::string name_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::map<std::string, std::string> prepared_;  // names of statements by their texts
  std::uint64_t statements_ = 0;
  Blob copied_;
};

}  // namespace ration::ledger
