#include "ration/report/markup.h"

namespace ration {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
        out += control ? ' ' : c;
    }
  }
  return out;
}

}  // namespace ration
