#include "ration/file/npy_literal.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace ration::npy {
namespace {

// Reads from the front. Each reader says whether it found what it looked for.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool skip(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  // Without escapes: none of the texts that may stand here has any.
  std::optional<std::string> text() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return {};
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return {};
    std::string found(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    if (found.find('\\') != std::string::npos) return {};
    return found;
  }

  // Python writes no leading zeros, and reads none. Beyond 64 bits one number is as good as
  // another.
  std::optional<std::uint64_t> number() {
    skip_blanks();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto digits = static_cast<std::size_t>(end - rest_.data());
    if (digits == 0 || (rest_[0] == '0' && digits > 1)) return {};
    if (error != std::errc{}) value = std::numeric_limits<std::uint64_t>::max();
    rest_.remove_prefix(digits);
    return value;
  }

  // (), (3,), (3, 4) or (3, 4,), but not (3), which Python takes for a number.
  std::optional<std::vector<std::uint64_t>> shape() {
    if (!skip("(")) return {};
    std::vector<std::uint64_t> found;
    for (bool comma = true; !skip(")"); comma = skip(",")) {
      const auto length = comma ? number() : std::nullopt;
      if (!length) return {};
      found.push_back(*length);
      if (found.size() == 1 && !rest_follows_comma()) return {};
    }
    return found;
  }

  // A structured type is a list; what is in it does not matter, only where it ends.
  bool skip_list() {
    if (!skip("[")) return false;
    int depth = 1;
    std::size_t at = 0;
    for (; at < rest_.size() && depth > 0; ++at) {
      if (rest_[at] == '[') ++depth;
      if (rest_[at] == ']') --depth;
    }
    rest_.remove_prefix(at);
    return depth == 0;
  }

 private:
  void skip_blanks() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(first, rest_.size()));
  }
  bool rest_follows_comma() {
    skip_blanks();
    return rest_.starts_with(",");
  }

  std::string_view rest_;
};

bool read_entry(Scanner& scanner, const std::string& key, Literal& literal) {
  if (key == "descr") {
    const auto descr = scanner.text();
    if (descr) literal.descr = *descr;
    return descr ? !descr->empty() : scanner.skip_list();
  }
  if (key == "fortran_order") {
    literal.fortran_order = scanner.skip("True");
    return literal.fortran_order || scanner.skip("False");
  }
  if (key == "shape") {
    auto shape = scanner.shape();
    if (shape) literal.shape = std::move(*shape);
    return shape.has_value();
  }
  return false;
}

}  // namespace

std::optional<Literal> parsed(std::string_view text) {
  Scanner scanner(text);
  Literal literal;
  std::vector<std::string> keys;
  if (!scanner.skip("{")) return {};
  for (bool comma = true; !scanner.skip("}"); comma = scanner.skip(",")) {
    const auto key = comma ? scanner.text() : std::nullopt;
    if (!key || std::find(keys.begin(), keys.end(), *key) != keys.end()) return {};
    if (!scanner.skip(":") || !read_entry(scanner, *key, literal)) return {};
    keys.push_back(*key);
  }
  if (keys.size() != 3 || !scanner.at_end()) return {};
  return literal;
}

}  // namespace ration::npy
