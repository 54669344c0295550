#include "ration/train/toml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>

#include "ration/base/error.h"

namespace ration::train {
namespace {

// The code point of the UTF-8 that starts here, and past it; nothing if it is none.
std::optional<std::uint32_t> code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t more = byte(at) >= 0xF0 ? 3 : byte(at) >= 0xE0 ? 2 : 1;
  if (byte(at) < 0xC2 || byte(at) > 0xF4 || more >= text.size() - at) return std::nullopt;
  std::uint32_t point = byte(at) & (0x3FU >> more);
  for (std::size_t i = 1; i <= more; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80) return std::nullopt;
    point = point << 6 | (byte(at + i) & 0x3FU);
  }
  at += more;
  return point;
}

// The same settings in ASCII alone: toml++ 3.3 does not survive other characters everywhere. They
// are escaped in "quotes", dropped from comments, and refused elsewhere, where no setting has any.
std::string in_ascii(std::string_view text, const std::string& source) {
  const auto is_ascii_at = [&](std::size_t at) {
    return at < text.size() && static_cast<unsigned char>(text[at]) < 0x80;
  };
  std::string ascii;
  std::size_t line = 1;
  char quote = 0;  // that the text is inside of; '#' for a comment
  for (std::size_t i = text.starts_with("\xef\xbb\xbf") ? 3 : 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_ascii_at(i)) {
      if (quote == '#') continue;
      const auto point = quote == '"' ? code_point(text, i) : std::nullopt;
      if (!point) {
        throw Error(
            fmt::format("{}, line {}: a character that is not ASCII stands outside double quotes",
                        source, line));
      }
      ascii += fmt::format("\\U{:08X}", *point);
      continue;
    }
    ascii += c;
    if (c == '\n') {
      ++line;
      quote = 0;
    } else if (quote == 0) {
      if (c == '"' || c == '\'' || c == '#') quote = c;
    } else if (c == '\\' && quote == '"' && is_ascii_at(i + 1) && text[i + 1] != '\n') {
      ascii += text[++i];
    } else if (c == quote && c != '#') {
      quote = 0;
    }
  }
  return ascii;
}

// A text in double quotes, which take any character.
std::string in_quotes(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      all.append(1, '\\').append(1, c);
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      all += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      all += c;
    }
  }
  return all + '"';
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}
std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), is_bare);
  return bare ? std::string(key) : in_quotes(key);
}

std::string value_text(const toml::node& node) {
  const auto listed = [](const auto& elements, const auto& text) {
    std::string all;
    for (auto&& element : elements) {
      all.append(all.empty() ? "" : ", ").append(text(element));
    }
    return all;
  };
  if (const auto* text = node.as_string()) return in_quotes(text->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* list = node.as_array()) {
    const auto text = [](const toml::node& element) { return value_text(element); };
    return fmt::format("[{}]", listed(*list, text));
  }
  if (const auto* table = node.as_table()) {
    const auto member = [](const auto& pair) {
      return fmt::format("{} = {}", key_text(pair.first.str()), value_text(pair.second));
    };
    return table->empty() ? "{}" : fmt::format("{{ {} }}", listed(*table, member));
  }
  std::ostringstream out;  // whole numbers, truths and dates
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& source) {
  const std::string ascii = in_ascii(text, source);
  try {
    return toml::parse(ascii);
  } catch (const toml::parse_error& e) {
    throw Error(fmt::format("{}, line {}: {}", source, e.source().begin.line,
                            std::string(e.description())));
  }
}

std::string toml_text(const toml::table& sections) {
  std::string all;
  for (const auto& [section, node] : sections) {
    all += fmt::format("{}[{}]\n", all.empty() ? "" : "\n", key_text(section.str()));
    for (const auto& [key, value] : *node.as_table()) {
      all += fmt::format("{} = {}\n", key_text(key.str()), value_text(value));
    }
  }
  return all;
}

}  // namespace ration::train
