#include "ration/ledger/encoding.h"

#include <cstring>

#include "ration/base/error.h"

namespace ration::ledger {

Writer& Writer::raw(Bytes value) {
  if (value.empty()) return *this;
  const std::size_t from = blob_.size();
  if (blob_.capacity() < from + value.size()) blob_.reserve(2 * (from + value.size()));
  blob_.resize(from + value.size());
  std::memcpy(blob_.data() + from, value.data(), value.size());
  return *this;
}

std::uint64_t Reader::whole() {
  std::uint64_t value = 0;
  std::memcpy(&value, raw(sizeof value).data(), sizeof value);
  return value;
}

std::string Reader::text() {
  const Bytes all = bytes();
  return {reinterpret_cast<const char*>(all.data()), all.size()};
}

Checksum Reader::checksum() {
  Checksum value{};
  std::memcpy(value.data(), raw(value.size()).data(), value.size());
  return value;
}

Bytes Reader::raw(std::uint64_t size) {
  if (size > rest_.size()) throw Error("ledger is damaged: a record ends too early");
  const Bytes first = rest_.first(size);
  rest_ = rest_.subspan(size);
  return first;
}

Row Reader::units(Bytes bytes) {
  if (bytes.size() % sizeof(Units) != 0) throw Error("ledger is damaged: units are cut short");
  Row row(bytes.size() / sizeof(Units));
  if (!row.empty()) std::memcpy(row.data(), bytes.data(), bytes.size());
  return row;
}

}  // namespace ration::ledger
