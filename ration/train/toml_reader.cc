#include "ration/train/toml_reader.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <sstream>

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "ration/base/error.h"

namespace ration::train {

struct TomlReader::Parsed {
  std::string source;
  toml::table table;
  std::map<std::string, std::set<std::string>, std::less<>> asked;  // keys, by section

  const toml::node* find(std::string_view section, std::string_view key) const {
    const toml::table* const in = table[section].as_table();
    return in == nullptr ? nullptr : in->get(key);
  }
  const toml::node* take(std::string_view section, std::string_view key) {
    asked[std::string(section)].emplace(key);
    return find(section, key);
  }
  [[noreturn]] void refuse_type(std::string_view section, std::string_view key,
                                std::string_view accepted) const {
    throw Error(
        fmt::format("{}: {}.{} is of another kind: give {}", source, section, key, accepted));
  }
};

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

toml::table parse(std::string_view text, const std::string& source) {
  const std::string ascii = in_ascii(text, source);
  try {
    return toml::parse(ascii);
  } catch (const toml::parse_error& e) {
    throw Error(fmt::format("{}, line {}: {}", source, e.source().begin.line,
                            std::string(e.description())));
  }
}

// 3, true, [1, 2] and "text" are what they are in TOML; anything else is a text.
toml::table parse_value(const std::string& value) {
  try {
    return parse("value = " + value, "--set");
  } catch (const Error&) {
    toml::table table;
    table.insert("value", value);
    return table;
  }
}

void apply(const std::string& override, toml::table& table) {
  const auto equals = override.find('=');
  const auto dot = override.find('.');
  if (equals == std::string::npos || dot == std::string::npos || dot == 0 || dot + 1 >= equals) {
    refuse("--set", "'" + override + "'", "section.key=value, such as run.epochs=20");
  }
  const std::string section = override.substr(0, dot);
  const std::string key = override.substr(dot + 1, equals - dot - 1);
  const toml::table value = parse_value(override.substr(equals + 1));
  if (!table.contains(section)) table.insert(section, toml::table{});
  toml::table* const in = table[section].as_table();
  if (in == nullptr) refuse("--set", "'" + override + "'", "the name of a section first");
  in->insert_or_assign(key, *value.get("value"));
}

bool is_whole(const toml::node& node) {
  const auto* const integer = node.as_integer();
  return integer != nullptr && integer->get() >= 0;
}

}  // namespace

TomlReader::TomlReader(std::string_view text, const std::string& source,
                       std::span<const std::string> overrides)
    : parsed_(std::make_unique<Parsed>()) {
  parsed_->source = source;
  parsed_->table = parse(text, source);
  for (const std::string& override : overrides) apply(override, parsed_->table);
  for (const auto& [name, node] : parsed_->table) {
    if (node.is_table()) continue;
    throw Error(fmt::format("{}: {} stands outside any section: put it below a line such as [run]",
                            source, std::string(name.str())));
  }
}

TomlReader::~TomlReader() = default;

std::optional<std::string> TomlReader::text(std::string_view section, std::string_view key) {
  const toml::node* const node = parsed_->take(section, key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_string()) parsed_->refuse_type(section, key, "a text in quotes");
  return node->as_string()->get();
}

std::optional<double> TomlReader::number(std::string_view section, std::string_view key) {
  const toml::node* const node = parsed_->take(section, key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_number()) parsed_->refuse_type(section, key, "a number");
  return node->value<double>();
}

std::optional<std::uint64_t> TomlReader::whole(std::string_view section, std::string_view key) {
  const toml::node* const node = parsed_->take(section, key);
  if (node == nullptr) return std::nullopt;
  if (!is_whole(*node)) parsed_->refuse_type(section, key, "a whole number that is not negative");
  return static_cast<std::uint64_t>(node->as_integer()->get());
}

std::optional<std::vector<std::string>> TomlReader::texts(std::string_view section,
                                                          std::string_view key) {
  const toml::node* const node = parsed_->take(section, key);
  if (node == nullptr) return std::nullopt;
  constexpr std::string_view kAccepted = "texts in quotes, such as [\"a\", \"b\"]";
  if (node->is_string()) return std::vector{node->as_string()->get()};
  if (!node->is_array()) parsed_->refuse_type(section, key, kAccepted);
  std::vector<std::string> list;
  for (const toml::node& element : *node->as_array()) {
    if (!element.is_string()) parsed_->refuse_type(section, key, kAccepted);
    list.push_back(element.as_string()->get());
  }
  return list;
}

std::optional<std::vector<std::uint64_t>> TomlReader::wholes(std::string_view section,
                                                             std::string_view key) {
  const toml::node* const node = parsed_->take(section, key);
  if (node == nullptr) return std::nullopt;
  constexpr std::string_view kAccepted = "whole numbers, such as [128, 64]";
  if (!node->is_array()) parsed_->refuse_type(section, key, kAccepted);
  std::vector<std::uint64_t> list;
  for (const toml::node& element : *node->as_array()) {
    if (!is_whole(element)) parsed_->refuse_type(section, key, kAccepted);
    list.push_back(static_cast<std::uint64_t>(element.as_integer()->get()));
  }
  return list;
}

std::optional<std::vector<double>> TomlReader::numbers(std::string_view section,
                                                       std::string_view key) {
  const toml::node* const node = parsed_->take(section, key);
  if (node == nullptr) return std::nullopt;
  constexpr std::string_view kAccepted = "a number or a list of numbers";
  if (node->is_number()) return std::vector{*node->value<double>()};
  if (!node->is_array()) parsed_->refuse_type(section, key, kAccepted);
  std::vector<double> list;
  for (const toml::node& element : *node->as_array()) {
    if (!element.is_number()) parsed_->refuse_type(section, key, kAccepted);
    list.push_back(*element.value<double>());
  }
  return list;
}

void TomlReader::finish() const {
  for (const auto& [section, node] : parsed_->table) {
    const auto known = parsed_->asked.find(section.str());
    if (known == parsed_->asked.end()) {
      std::string sections;
      for (const auto& [name, keys] : parsed_->asked) {
        sections += (sections.empty() ? "" : ", ") + name;
      }
      throw Error(fmt::format("{} has a section [{}]: give {}", parsed_->source,
                              std::string(section.str()), sections));
    }
    for (const auto& [key, value] : *node.as_table()) {
      if (known->second.contains(std::string(key.str()))) continue;
      std::string keys;
      for (const std::string& name : known->second) keys += (keys.empty() ? "" : ", ") + name;
      throw Error(fmt::format("{} has {}.{}, which is no setting here: give {}", parsed_->source,
                              std::string(section.str()), std::string(key.str()), keys));
    }
  }
}

std::string TomlReader::canonical(std::span<const std::string_view> left_out) const {
  toml::table table = parsed_->table;
  for (const std::string_view path : left_out) {
    const auto dot = path.find('.');
    if (toml::table* const section = table[path.substr(0, dot)].as_table()) {
      section->erase(path.substr(dot + 1));
    }
  }
  std::ostringstream out;
  out << table << '\n';
  return out.str();
}

}  // namespace ration::train
