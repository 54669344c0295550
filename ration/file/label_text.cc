#include "ration/file/label_text.h"

#include <algorithm>

namespace ration {
namespace {

constexpr std::size_t kLongest = 200;

// Well-formed UTF-8 (RFC 3629: no surrogates, nothing overlong): labels go into JSON and HTML.
bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned first = byte(i);
    if (first < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() - i < length) return false;
    // The second byte's range keeps overlong forms, surrogates and numbers beyond Unicode out.
    const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (byte(i + 1) < least || byte(i + 1) > most) return false;
    for (std::size_t k = 2; k < length; ++k)
      if (byte(i + k) < 0x80 || byte(i + k) > 0xBF) return false;
    i += length;
  }
  return true;
}

bool is_forbidden(char c) {
  const auto code = static_cast<unsigned char>(c);
  return c == ',' || c == '"' || code < 0x20 || code == 0x7F;
}

}  // namespace

std::optional<LabelFault> fault_of_label(std::string_view label) {
  if (label.empty()) return LabelFault{"without a label", "one label for each person"};
  if (label.size() > kLongest) {
    return LabelFault{"a label of " + std::to_string(label.size()) + " bytes", "at most 200 bytes"};
  }
  if (std::any_of(label.begin(), label.end(), is_forbidden)) {
    return LabelFault{"a label with a comma, a quote or a control character", "plain text"};
  }
  if (!is_utf8(label)) return LabelFault{"no UTF-8", "plain text in UTF-8"};
  return {};
}

}  // namespace ration
