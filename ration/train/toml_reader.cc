#include "ration/train/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "ration/base/error.h"
#include "ration/train/toml_text.h"

namespace ration::train {

struct TomlReader::Parsed {
  std::string source;
  toml::table table, record;
  std::set<std::string> overridden;  // paths
  std::set<std::string_view> asked;
  std::map<std::string_view, toml::table> defaults;

  // What is given, or null.
  const toml::node* take(const Setting& setting) {
    asked.insert(setting.path);
    const toml::table* const section = table[setting.section()].as_table();
    return section == nullptr ? nullptr : section->get(setting.key());
  }
  const toml::node& take_or_default(const Setting& setting);
  // Where a setting comes from, for messages.
  std::string source_of(const Setting& setting) const {
    return overridden.contains(std::string(setting.path)) ? "command line" : source;
  }
};

namespace {

// 3, true, [1, 2] and "text" are what they are in TOML; anything else is a text.
toml::table parse_value(const std::string& value) {
  try {
    return parse_toml("value = " + value, "--set");
  } catch (const Error&) {
    toml::table table;
    table.insert("value", value);
    return table;
  }
}

// The table that an override goes into, and its key there: data.categories.ward is a key of the
// table data.categories.
struct Place {
  toml::table* table;
  std::string key;
};
Place place_of(std::string_view path, toml::table& table) {
  const auto within = [](toml::table& of, std::string_view name) {
    if (!of.contains(name)) of.insert(name, toml::table{});
    return of[name].as_table();
  };
  const std::size_t dot = path.find('.'), second = path.find('.', dot + 1);
  Place place = {within(table, path.substr(0, dot)), std::string(path.substr(dot + 1))};
  const Setting* const by_column = find_setting(path.substr(0, second));
  if (place.table == nullptr || second == std::string_view::npos || by_column == nullptr) {
    return place;
  }
  return {within(*place.table, by_column->key()), std::string(path.substr(second + 1))};
}

// A section, or a key of one as "section.key".
void erase(std::string_view path, toml::table& table) {
  const auto dot = path.find('.');
  if (dot == std::string_view::npos) {
    table.erase(path);
  } else if (toml::table* const section = table[path.substr(0, dot)].as_table()) {
    section->erase(path.substr(dot + 1));
  }
}

void erase_alternatives(const std::string& override, std::span<const Alternatives> alternatives,
                        toml::table& table) {
  const std::string_view path = std::string_view(override).substr(0, override.find('='));
  for (const Alternatives& keys : alternatives) {
    if (std::find(keys.begin(), keys.end(), path) == keys.end()) continue;
    for (const std::string_view key : keys) erase(key, table);
  }
}

void apply(const std::string& override, toml::table& table) {
  const auto equals = override.find('=');
  const auto dot = override.find('.');
  if (equals == std::string::npos || dot == std::string::npos || dot == 0 || dot + 1 >= equals) {
    refuse("--set", "'" + override + "'", "section.key=value, such as run.epochs=20");
  }
  const Place place = place_of(std::string_view(override).substr(0, equals), table);
  if (place.table == nullptr) refuse("--set", "'" + override + "'", "the name of a section first");
  const toml::table value = parse_value(override.substr(equals + 1));
  place.table->insert_or_assign(place.key, *value.get("value"));
}

[[noreturn]] void refuse_unknown(const std::string& source, const std::string& path) {
  throw Error(
      fmt::format("{}: {} is no setting: give {}, or another that ration train --settings lists",
                  source, path, nearest_setting(path).path));
}

// Tables within a section are put in one form.
void check_known(toml::table& table, const std::string& source) {
  for (auto&& [section, node] : table) {
    const std::string name(section.str());
    if (!node.is_table()) {
      throw Error(fmt::format(
          "{}: {} stands outside any section: put it below a line such as [run]", source, name));
    }
    for (auto&& [key, value] : *node.as_table()) {
      const std::string path = name + "." + std::string(key.str());
      if (find_setting(path) == nullptr) refuse_unknown(source, path);
      if (value.is_table()) value.as_table()->is_inline(true);
    }
    if (node.as_table()->empty() && !is_section(name)) refuse_unknown(source, name);
  }
}

[[noreturn]] void refuse_type(const std::string& source, const Setting& setting) {
  throw Error(fmt::format("{}: {} is of another kind: give a {}, such as {}", source, setting.path,
                          name(setting.kind), setting.example));
}

// What a node says; nothing if it is of another type.
std::optional<std::string> as_text(const toml::node& node) {
  return node.is_string() ? std::optional(node.as_string()->get()) : std::nullopt;
}
std::optional<double> as_number(const toml::node& node) {
  return node.is_number() ? node.value<double>() : std::nullopt;
}
std::optional<std::uint64_t> as_whole(const toml::node& node) {
  const auto* const integer = node.as_integer();
  if (integer == nullptr || integer->get() < 0) return std::nullopt;
  return static_cast<std::uint64_t>(integer->get());
}
// An id, which may be a number.
std::optional<std::string> as_person(const toml::node& node) {
  if (const auto* const integer = node.as_integer()) return std::to_string(integer->get());
  return as_text(node);
}
template <class Element>
using List = std::optional<std::vector<typename Element::value_type>>;
template <class As>
auto as_list(const toml::node& node, const As& as) -> List<decltype(as(node))> {
  if (!node.is_array()) return std::nullopt;
  typename List<decltype(as(node))>::value_type list;
  for (const toml::node& element : *node.as_array()) {
    auto value = as(element);
    if (!value) return std::nullopt;
    list.push_back(*std::move(value));
  }
  return list;
}
template <class As>
auto as_one_or_list(const toml::node& node, const As& as) -> List<decltype(as(node))> {
  if (auto one = as(node)) return std::vector{*std::move(one)};
  return as_list(node, as);
}
std::optional<Scale> as_scale(const toml::node& node) {
  const auto list = as_list(node, as_number);
  if (!list || list->size() != 2) return std::nullopt;
  return Scale{.mean = (*list)[0], .scale = (*list)[1]};
}

}  // namespace

const toml::node& TomlReader::Parsed::take_or_default(const Setting& setting) {
  if (const toml::node* const given = take(setting)) return *given;
  const auto [parsed, is_new] = defaults.try_emplace(setting.path);
  if (is_new) parsed->second = parse_toml("value = " + std::string(setting.by_default), "default");
  return *parsed->second.get("value");
}

TomlReader::TomlReader(std::string_view text, const std::string& source,
                       std::span<const std::string> overrides,
                       std::span<const Alternatives> alternatives)
    : parsed_(std::make_unique<Parsed>()) {
  parsed_->source = source;
  parsed_->table = parse_toml(text, source);
  if (const toml::table* const record = parsed_->table["record"].as_table()) {
    parsed_->record = *record;
    parsed_->table.erase("record");
  }
  for (const std::string& override : overrides) {
    erase_alternatives(override, alternatives, parsed_->table);
    const std::string path = override.substr(0, override.find('='));
    parsed_->overridden.insert(path);
    parsed_->overridden.insert(path.substr(0, path.rfind('.')));  // if it is a column's
  }
  for (const std::string& override : overrides) apply(override, parsed_->table);
  check_known(parsed_->table, source);
}

TomlReader::~TomlReader() = default;

namespace {

// As `as` has it, or refused.
template <class As>
auto checked(const toml::node& node, const Setting& setting, const std::string& source,
             const As& as) {
  auto value = as(node);
  if (!value) refuse_type(source, setting);
  return *std::move(value);
}
template <class As>
auto checked(const toml::node* node, const Setting& setting, const std::string& source,
             const As& as) {
  return node == nullptr ? decltype(as(*node)){}
                         : std::optional(checked(*node, setting, source, as));
}

// Of a table with a key for each column.
template <class As>
auto by_column(const toml::node* node, const Setting& setting, const std::string& source,
               const As& as) {
  std::map<std::string, typename decltype(as(*node))::value_type> columns;
  if (node == nullptr) return columns;
  if (!node->is_table()) refuse_type(source, setting);
  for (const auto& [column, value] : *node->as_table())
    columns.emplace(std::string(column.str()), checked(value, setting, source, as));
  return columns;
}

constexpr auto kTexts = [](const toml::node& node) { return as_one_or_list(node, as_text); };
constexpr auto kNumbers = [](const toml::node& node) { return as_one_or_list(node, as_number); };
constexpr auto kWholes = [](const toml::node& node) { return as_list(node, as_whole); };
constexpr auto kPeople = [](const toml::node& node) { return as_list(node, as_person); };
constexpr auto kTextList = [](const toml::node& node) { return as_list(node, as_text); };

}  // namespace

std::optional<std::string> TomlReader::text(Key<Kind::text> key) {
  return checked(parsed_->take(*key), *key, parsed_->source_of(*key), as_text);
}
std::optional<double> TomlReader::number(Key<Kind::number> key) {
  return checked(parsed_->take(*key), *key, parsed_->source_of(*key), as_number);
}
std::optional<std::uint64_t> TomlReader::whole(Key<Kind::whole> key) {
  return checked(parsed_->take(*key), *key, parsed_->source_of(*key), as_whole);
}
std::optional<std::vector<std::string>> TomlReader::texts(Key<Kind::texts> key) {
  return checked(parsed_->take(*key), *key, parsed_->source_of(*key), kTexts);
}
std::optional<std::vector<double>> TomlReader::numbers(Key<Kind::numbers> key) {
  return checked(parsed_->take(*key), *key, parsed_->source_of(*key), kNumbers);
}
std::map<std::string, std::vector<std::string>> TomlReader::texts_by_column(
    Key<Kind::texts_by_column> key) {
  return by_column(parsed_->take(*key), *key, parsed_->source_of(*key), kTextList);
}
std::map<std::string, Scale> TomlReader::scales_by_column(Key<Kind::scales_by_column> key) {
  return by_column(parsed_->take(*key), *key, parsed_->source_of(*key), as_scale);
}

std::string TomlReader::text_or_default(DefaultKey<Kind::text> key) {
  return checked(parsed_->take_or_default(*key), *key, parsed_->source_of(*key), as_text);
}
double TomlReader::number_or_default(DefaultKey<Kind::number> key) {
  return checked(parsed_->take_or_default(*key), *key, parsed_->source_of(*key), as_number);
}
std::uint64_t TomlReader::whole_or_default(DefaultKey<Kind::whole> key) {
  return checked(parsed_->take_or_default(*key), *key, parsed_->source_of(*key), as_whole);
}
std::vector<std::string> TomlReader::texts_or_default(DefaultKey<Kind::texts> key) {
  return checked(parsed_->take_or_default(*key), *key, parsed_->source_of(*key), kTexts);
}
std::vector<std::uint64_t> TomlReader::wholes_or_default(DefaultKey<Kind::wholes> key) {
  return checked(parsed_->take_or_default(*key), *key, parsed_->source_of(*key), kWholes);
}

std::vector<std::string> TomlReader::people_or_default(DefaultKey<Kind::people> key) {
  return checked(parsed_->take_or_default(*key), *key, parsed_->source, kPeople);
}

void TomlReader::look_past(std::string_view section) {
  for (const Setting& setting : kSettingList)
    if (setting.section() == section) parsed_->asked.insert(setting.path);
}

void TomlReader::finish() const {
  for (const Setting& setting : kSettingList) {
    const toml::table* const section = parsed_->table[setting.section()].as_table();
    if (section == nullptr || !section->contains(setting.key())) continue;
    if (parsed_->asked.contains(setting.path)) continue;
    throw Error(fmt::format(
        "{} has {}, which is no setting here{}: leave it out", parsed_->source, setting.path,
        setting.only_for.empty() ? "" : fmt::format(" but belongs to {}", setting.only_for)));
  }
}

std::optional<std::string> TomlReader::recorded_text(std::string_view key) const {
  const toml::node* const node = parsed_->record.get(key);
  return node == nullptr ? std::nullopt : as_text(*node);
}
std::optional<double> TomlReader::recorded_number(std::string_view key) const {
  const toml::node* const node = parsed_->record.get(key);
  return node == nullptr ? std::nullopt : as_number(*node);
}
std::optional<std::uint64_t> TomlReader::recorded_whole(std::string_view key) const {
  const toml::node* const node = parsed_->record.get(key);
  return node == nullptr ? std::nullopt : as_whole(*node);
}

void TomlReader::fill_in(std::span<const std::string> values) {
  for (const auto& [path, parsed] : parsed_->defaults) {
    const Place place = place_of(path, parsed_->table);
    place.table->insert(place.key, *parsed.get("value"));
  }
  for (const std::string& value : values) {
    const Place place =
        place_of(std::string_view(value).substr(0, value.find('=')), parsed_->table);
    if (!place.table->contains(place.key)) apply(value, parsed_->table);
  }
}

void TomlReader::replace(std::string_view path, const std::string& value) {
  erase(path, parsed_->table);
  apply(value, parsed_->table);
}

namespace {

toml::table without(toml::table table, std::span<const std::string_view> left_out) {
  for (const std::string_view path : left_out) erase(path, table);
  return table;
}

}  // namespace

std::string TomlReader::canonical(std::span<const std::string_view> left_out) const {
  return toml_text(without(parsed_->table, left_out));
}

std::string TomlReader::canonical_before(std::span<const std::string_view> left_out) const {
  std::ostringstream out;
  out << without(parsed_->table, left_out) << '\n';
  return out.str();
}

std::string TomlReader::json(std::span<const std::string_view> left_out) const {
  std::ostringstream out;
  out << toml::json_formatter{without(parsed_->table, left_out)};
  return out.str();
}

}  // namespace ration::train
