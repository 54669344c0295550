#include "ration/ledger/postgres_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/ledger/postgres_storage.h"

namespace ration::ledger {
namespace {

constexpr std::uint32_t kInt8 = 20, kBytea = 17;  // types, as servers number them
constexpr std::size_t kCopyBuffer = 1 << 20;

void put_u32(Blob& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(std::byte(value >> shift & 0xff));
}
void put_u64(Blob& out, std::uint64_t value) {
  put_u32(out, static_cast<std::uint32_t>(value >> 32));
  put_u32(out, static_cast<std::uint32_t>(value));
}
void put_bytes(Blob& out, Bytes bytes) {
  put_u32(out, static_cast<std::uint32_t>(bytes.size()));
  out.insert(out.end(), bytes.begin(), bytes.end());
}
// One dimension, counted from 1, without nulls; an empty array has no dimension.
Blob array_header(std::uint32_t type, std::size_t count) {
  Blob out;
  put_u32(out, count == 0 ? 0 : 1);
  put_u32(out, 0);
  put_u32(out, type);
  if (count == 0) return out;
  put_u32(out, static_cast<std::uint32_t>(count));
  put_u32(out, 1);
  return out;
}

std::string first_line(const char* text) {
  std::string line = text == nullptr ? "" : text;
  line.resize(std::min(line.find('\n'), line.size()));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return line;
}

[[noreturn]] void refuse_url() {
  throw Error(
      "ledger is a URL that cannot be read: give postgresql://USER@HOST:PORT/DATABASE, with a "
      "password in the file ~/.pgpass, or percent-encoded");
}

using Options = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

// A password with an unescaped / @ ? or # would be taken for a host, a port or a database, and
// messages tell those.
Options options_of(const std::string& url) {
  const std::size_t at = url.find("://") + 3;
  const std::size_t path = std::min(url.find_first_of("/?#", at), url.size());
  const auto ats = std::count(url.begin(), url.end(), '@');
  if (ats > 1 || (ats == 1 && url.find('@') > path)) refuse_url();
  Options options(PQconninfoParse(url.c_str(), nullptr), PQconninfoFree);
  if (options == nullptr) refuse_url();
  return options;
}
std::string option(const Options& options, std::string_view name) {
  for (const PQconninfoOption* one = options.get(); one->keyword != nullptr; ++one) {
    if (one->keyword == name && one->val != nullptr) return one->val;
  }
  return "";
}

}  // namespace

std::string postgres_name(const std::string& url) {
  const Options options = options_of(url);
  const std::string host = option(options, "host"), port = option(options, "port");
  if (!std::all_of(port.begin(), port.end(),
                   [](char c) { return (c >= '0' && c <= '9') || c == ','; })) {
    refuse_url();
  }
  return fmt::format("postgresql://{}{}/{}", host, port.empty() ? "" : ":" + port,
                     option(options, "dbname"));
}

Blob postgres_number(std::uint64_t value) {
  Blob out;
  put_u64(out, value);
  return out;
}
Blob postgres_numbers(std::span<const std::uint64_t> values) {
  Blob out = array_header(kInt8, values.size());
  for (const std::uint64_t value : values) {
    put_u32(out, sizeof value);
    put_u64(out, value);
  }
  return out;
}
Blob postgres_blobs(std::span<const Bytes> values) {
  Blob out = array_header(kBytea, values.size());
  std::size_t size = out.size();
  for (const Bytes value : values) size += 4 + value.size();
  out.reserve(size);
  for (const Bytes value : values) put_bytes(out, value);
  return out;
}

bool PostgresAnswer::is_null(std::size_t row, int column) const {
  return PQgetisnull(result_.get(), static_cast<int>(row), column) == 1;
}
Bytes PostgresAnswer::bytes(std::size_t row, int column) const {
  const int at = static_cast<int>(row);
  return std::as_bytes(std::span(PQgetvalue(result_.get(), at, column),
                                 static_cast<std::size_t>(PQgetlength(result_.get(), at, column))));
}
std::uint64_t PostgresAnswer::number(std::size_t row, int column) const {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes(row, column)) {
    value = value << 8 | std::to_integer<std::uint64_t>(byte);
  }
  return value;
}

PostgresClient::PostgresClient(const std::string& url)
    : name_(postgres_name(url)), connection_(nullptr, PQfinish) {
  const Options given = options_of(url);
  // What comes later wins: the URL over the first three, and those behind it over the URL.
  std::vector<const char*> names = {"connect_timeout", "tcp_user_timeout",
                                    "fallback_application_name"};
  std::vector<const char*> values = {"10", "60000", "ration"};
  for (const PQconninfoOption* one = given.get(); one->keyword != nullptr; ++one) {
    if (one->val == nullptr) continue;
    names.push_back(one->keyword);
    values.push_back(one->val);
  }
  names.push_back("client_encoding");
  values.push_back("UTF8");
  names.push_back(nullptr);
  values.push_back(nullptr);
  connection_.reset(PQconnectdbParams(names.data(), values.data(), 0));
  if (PQstatus(connection_.get()) != CONNECTION_OK) {
    throw Error(fmt::format("ledger {} does not answer: {}", name_,
                            first_line(PQerrorMessage(connection_.get()))));
  }
}

void PostgresClient::fail(const PGresult* result, Writes writes) const {
  const std::string ledger = "ledger " + name_;
  if (PQstatus(connection_.get()) != CONNECTION_OK) {  // also of no connection
    throw WriteFailure(ledger + (writes == Writes::commits
                                     ? " was lost while a change was being made: it happened or "
                                       "not; ask again with the same token, which tells"
                                     : " was lost: the server closed the connection; nothing was "
                                       "changed; try again"));
  }
  const char* const code =
      result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string_view state = code == nullptr ? "" : code;
  const std::string reason =
      first_line(result == nullptr ? PQerrorMessage(connection_.get())
                                   : PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
  if (state == "55P03") throw WriteFailure(ledger + " is in use by another process: try again");
  if (state.starts_with("53")) {  // no room
    throw WriteFailure(
        fmt::format("{} cannot be written: {}; nothing was charged", ledger, reason));
  }
  if (state == "40001" || state == "40P01") {
    throw WriteFailure(
        ledger + " was changed by another program than ration: nothing was charged; try again");
  }
  throw WriteFailure(fmt::format("{} cannot be used: {}", ledger, reason));
}

// Sends a statement, prepared once for all calls with its text. How many answers will come.
std::size_t PostgresClient::send(const PostgresCall& call, std::vector<std::string>& fresh) {
  PGconn* const connection = connection_.get();
  std::size_t answers = 1;
  auto known = prepared_.find(call.text);
  if (known == prepared_.end()) {
    known = prepared_.emplace(call.text, fmt::format("s{}", statements_++)).first;
    fresh.push_back(call.text);
    ++answers;
    if (PQsendPrepare(connection, known->second.c_str(), call.text.c_str(), 0, nullptr) != 1) {
      return 0;
    }
  }
  std::vector<const char*> values;
  std::vector<int> sizes;
  for (const Blob& value : call.values) {
    values.push_back(reinterpret_cast<const char*>(value.data()));
    sizes.push_back(static_cast<int>(value.size()));
  }
  const std::vector<int> binary(values.size(), 1);
  return PQsendQueryPrepared(connection, known->second.c_str(), static_cast<int>(values.size()),
                             values.data(), sizes.data(), binary.data(), 1) == 1
             ? answers
             : 0;
}

// Answers are read to the end also where one of them is an error: the connection stays in step.
std::vector<PostgresAnswer> PostgresClient::run(std::span<const PostgresCall> calls,
                                                Writes writes) {
  PGconn* const connection = connection_.get();
  std::vector<std::string> fresh;
  std::vector<std::size_t> expected;
  bool sent = PQenterPipelineMode(connection) == 1;
  for (std::size_t i = 0; sent && i < calls.size(); ++i) {
    expected.push_back(send(calls[i], fresh));
    sent = expected.back() != 0;
  }
  if (!sent || PQpipelineSync(connection) != 1) fail(nullptr, writes);
  std::vector<PostgresAnswer> answers;
  Result error;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Result last;
    for (std::size_t k = 0; k < expected[i]; ++k) {
      last.reset(PQgetResult(connection));
      const ExecStatusType status = PQresultStatus(last.get());
      if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && error == nullptr) {
        if (last == nullptr || PQstatus(connection) != CONNECTION_OK) fail(last.get(), writes);
        error = std::move(last);
      }
      Result(PQgetResult(connection));  // nothing: the end of this answer
    }
    answers.emplace_back(std::move(last));
  }
  const Result end(PQgetResult(connection));
  if (PQresultStatus(end.get()) != PGRES_PIPELINE_SYNC || PQexitPipelineMode(connection) != 1) {
    fail(end.get(), writes);
  }
  if (error != nullptr) {
    for (const std::string& text : fresh) prepared_.erase(text);
    fail(error.get(), writes);
  }
  // A transaction that has failed before answers COMMIT with ROLLBACK.
  if (writes == Writes::commits && answers.back().command() != "COMMIT") {
    throw WriteFailure("ledger " + name_ + " has refused a change: nothing was charged; try again");
  }
  return answers;
}

PostgresAnswer PostgresClient::run(const PostgresCall& call, Writes writes) {
  return std::move(run(std::span(&call, 1), writes).front());
}

void PostgresClient::begin_copy(const std::string& text) {
  const Result result(PQexec(connection_.get(), text.c_str()));
  if (PQresultStatus(result.get()) != PGRES_COPY_IN) fail(result.get(), Writes::until_commit);
  constexpr std::string_view kSignature("PGCOPY\n\377\r\n\0", 11);
  copied_.assign(bytes_of(kSignature).begin(), bytes_of(kSignature).end());
  put_u64(copied_, 0);  // flags, and no further header
}
void PostgresClient::copy(std::span<const Bytes> values) {
  copied_.push_back(std::byte{0});
  copied_.push_back(static_cast<std::byte>(values.size()));
  for (const Bytes value : values) put_bytes(copied_, value);
  if (copied_.size() >= kCopyBuffer) flush_copy();
}
void PostgresClient::flush_copy() {
  const char* const bytes = reinterpret_cast<const char*>(copied_.data());
  if (PQputCopyData(connection_.get(), bytes, static_cast<int>(copied_.size())) != 1) {
    fail(nullptr, Writes::until_commit);
  }
  copied_.clear();
}
void PostgresClient::end_copy() {
  copied_.insert(copied_.end(), 2, std::byte{0xff});
  flush_copy();
  if (PQputCopyEnd(connection_.get(), nullptr) != 1) fail(nullptr, Writes::until_commit);
  const Result result(PQgetResult(connection_.get()));
  if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) fail(result.get(), Writes::until_commit);
  Result(PQgetResult(connection_.get()));
}

// In the middle of a copy or of a batch there is no going on: the server rolls back what is lost.
void PostgresClient::rollback() noexcept {
  PGconn* const connection = connection_.get();
  const PGTransactionStatusType status = PQtransactionStatus(connection);
  if (status == PQTRANS_IDLE || status == PQTRANS_UNKNOWN) return;
  if (status == PQTRANS_ACTIVE || PQpipelineStatus(connection) != PQ_PIPELINE_OFF) {
    connection_.reset();
    return;
  }
  Result(PQexec(connection, "ROLLBACK"));
}

}  // namespace ration::ledger
