#include "ration/base/ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/plain_text.h"

namespace ration {
namespace {

std::size_t common_start(std::span<const std::string> ids) {
  if (ids.empty()) return 0;
  std::size_t length = ids[0].size();
  for (const std::string& id : ids) {
    length = std::min(length, id.size());
    const auto end = id.begin() + static_cast<std::ptrdiff_t>(length);
    const auto differs = std::mismatch(id.begin(), end, ids[0].begin());
    length = static_cast<std::size_t>(differs.first - id.begin());
  }
  return length;
}

// The next eight bytes, the first one highest; zeros behind the end.
std::uint64_t eight_bytes(std::string_view text) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    key = key << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return key;
}

struct Keyed {
  std::uint64_t key;
  std::size_t at;
};

}  // namespace

// Most pairs are told apart by the eight bytes in which ids first differ, without looking at them.
std::vector<std::size_t> order_of_ids(std::span<const std::string> ids) {
  const std::size_t start = common_start(ids);
  std::vector<Keyed> keyed(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    keyed[i] = {eight_bytes(std::string_view(ids[i]).substr(start)), i};
  }
  std::sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
    if (a.key != b.key) return a.key < b.key;
    const int order = ids[a.at].compare(ids[b.at]);
    return order != 0 ? order < 0 : a.at < b.at;
  });
  std::vector<std::size_t> order;
  order.reserve(ids.size());
  for (const Keyed& one : keyed) order.push_back(one.at);
  return order;
}

std::optional<std::pair<std::size_t, std::size_t>> repeated_id(std::span<const std::string> ids,
                                                               std::span<const std::size_t> order) {
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (ids[order[i]] == ids[order[i - 1]]) return std::pair(order[i - 1], order[i]);
  }
  return std::nullopt;
}

std::optional<std::string_view> fault_of_id(std::string_view id) {
  constexpr std::string_view kBlanks = " \t";
  if (id.empty()) return "is empty: give everybody an id";
  if (id.size() > 1000) return "is longer than 1000 bytes: give a shorter id";
  if (!is_utf8(id)) return "is no UTF-8: give ids as text in UTF-8";
  if (std::any_of(id.begin(), id.end(), is_control)) {
    return "has a line break or another control character in it: give ids as plain text";
  }
  if (kBlanks.find(id.front()) != std::string_view::npos ||
      kBlanks.find(id.back()) != std::string_view::npos) {
    return "has blanks around it: one person would have two ids";
  }
  return std::nullopt;
}

Ids::Ids(std::vector<std::string> ids) : ids_(std::move(ids)) {
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    if (const auto fault = fault_of_id(ids_[i])) {
      throw Error(fmt::format("id at position {} (from 0) {}", i, *fault));
    }
  }
  order_ = order_of_ids(ids_);
  if (const auto both = repeated_id(ids_, order_)) {
    throw Error(
        fmt::format("ids at positions {} and {} (from 0) are the same: give each person once",
                    both->first, both->second));
  }
}

std::optional<std::size_t> Ids::find(std::string_view id) const {
  const auto found =
      std::lower_bound(order_.begin(), order_.end(), id,
                       [&](std::size_t at, std::string_view sought) { return ids_[at] < sought; });
  if (found == order_.end() || ids_[*found] != id) return std::nullopt;
  return *found;
}

}  // namespace ration
