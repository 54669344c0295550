#include "ration/ledger/link.h"

#include <fmt/format.h>

#include <charconv>

#include "ration/base/error.h"

namespace ration::ledger {
namespace {

Writer written(const Link& link) {
  Writer out;
  out.text(link.kind).text(link.time).text(link.token).bytes(link.body);
  out.checksum(link.answer).checksum(link.state).checksum(link.previous);
  return out;
}

}  // namespace

Checksum hash_of(const Link& link, const Checksum& key) {
  Writer out;
  out.text("ration ledger link 1").checksum(key).whole(link.number).raw(written(link).blob());
  return digest_of(out.blob());
}

Blob record_of(const Link& link) { return written(link).checksum(link.hash).blob(); }

Link link_in(std::uint64_t number, Bytes record) {
  Reader in(record);
  Link link = {.number = number};
  link.kind = in.text();
  link.time = in.text();
  link.token = in.text();
  const Bytes body = in.bytes();
  link.body.assign(body.begin(), body.end());
  link.answer = in.checksum();
  link.state = in.checksum();
  link.previous = in.checksum();
  link.hash = in.checksum();
  return link;
}

std::string hex(const Checksum& hash) {
  std::string text;
  for (const std::byte byte : hash) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

Checksum hash_in(std::string_view text) {
  Checksum hash{};
  bool right = text.size() == 2 * hash.size();
  for (std::size_t i = 0; right && i < hash.size(); ++i) {
    unsigned value = 0;
    const char* const from = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(from, from + 2, value, 16);
    right = error == std::errc{} && end == from + 2;
    hash[i] = static_cast<std::byte>(value);
  }
  if (!right) {
    refuse("head", "'" + std::string(text.substr(0, 80)) + "'", "the 64 digits of a ledger's head");
  }
  return hash;
}

}  // namespace ration::ledger
