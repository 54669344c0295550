#include "ration/state/saved.h"

#include <optional>
#include <utility>

#include "ration/state/sections.h"

namespace ration {
namespace {

constexpr std::string_view kAccounts = "accounts", kIndividual = "individual-", kFilter = "-filter",
                           kOdometer = "-odometer", kIds = "ids";

std::string kind_named(Scope scope, const Currency& currency, std::string_view what) {
  std::string kind(scope == Scope::each_person ? kIndividual : "");
  return kind.append(currency.state_name()).append(what);
}

// Of a kind that ends as `what`.
std::optional<KindParts> parts_of(std::string_view kind, std::string_view what) {
  if (!kind.ends_with(what)) return std::nullopt;
  kind.remove_suffix(what.size());
  const bool each_person = kind.starts_with(kIndividual);
  if (each_person) kind.remove_prefix(kIndividual.size());
  return KindParts{.scope = each_person ? Scope::each_person : Scope::everybody_at_once,
                   .currency = kind};
}
KindParts expected_parts(const StateReader& reader, std::string_view what) {
  if (const auto parts = parts_of(reader.kind(), what)) return *parts;
  refuse(reader.source(), "a saved " + std::string(reader.kind()),
         "a saved " + std::string(what.substr(1)));
}

// A line each: no id has a line break in it.
std::string text_of(const Ids& ids) {
  std::string text;
  for (const std::string& id : ids.all()) text.append(id).push_back('\n');
  return text;
}
Ids ids_in(std::string_view text) {
  std::vector<std::string> ids;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1)) {
    ids.emplace_back(text.substr(0, end));
  }
  if (!text.empty()) throw Error("the last id has no end");
  return Ids(std::move(ids));
}

AccountsWithIds read(StateReader& reader, const AccountsWithIds* /*type*/) {
  reader.expect_kind(kAccounts);
  AccountsWithIds both = {.accounts = read_accounts(reader, ""), .ids = {}};
  if (!reader.has(kIds)) return both;
  built_from(reader.source(), [&] {
    both.ids = ids_in(reader.text(kIds));
    if (both.ids.size() == both.accounts.people()) return true;
    refuse("number of ids", std::to_string(both.ids.size()), "one for each person");
  });
  return both;
}
Accounts read(StateReader& reader, const Accounts* /*type*/) {
  return read(reader, static_cast<const AccountsWithIds*>(nullptr)).accounts;
}
Filter read(StateReader& reader, const Filter* /*type*/) {
  return read_filter(reader, "", expected_parts(reader, kFilter));
}
Odometer read(StateReader& reader, const Odometer* /*type*/) {
  return read_odometer(reader, "", expected_parts(reader, kOdometer));
}

// From a file or from its bytes: the sections of one, and nothing else.
template <class Saved>
Saved load_alone(const auto& from, std::string_view kind) {
  StateReader reader(from);
  if (!kind.empty()) reader.expect_kind(kind);
  Saved saved = read(reader, static_cast<const Saved*>(nullptr));
  reader.finish();
  return saved;
}

// use(writer) while it holds the sections of one.
template <class Saved, class Use>
auto with_sections(const Saved& saved, const Use& use) {
  StateWriter writer(kind_of(saved));
  add_sections(writer, "", saved);
  return use(writer);
}
template <class Use>
auto with_ids(const Accounts& accounts, const Ids& ids, const Use& use) {
  if (!ids.empty() && ids.size() != accounts.people()) {
    refuse("number of ids", std::to_string(ids.size()), "one for each person");
  }
  StateWriter writer(kAccounts);
  add_sections(writer, "", accounts);
  if (!ids.empty()) writer.add_text(kIds, text_of(ids));
  return use(writer);
}
void save_alone(const std::filesystem::path& file, const auto& saved) {
  with_sections(saved, [&](const StateWriter& writer) { writer.write(file); });
}
std::vector<std::byte> bytes_alone(const auto& saved) {
  return with_sections(saved, [](const StateWriter& writer) { return writer.bytes(); });
}

}  // namespace

std::string kind_of(const Accounts& /*accounts*/) { return std::string(kAccounts); }
std::string kind_of(const Filter& filter) {
  return kind_named(filter.scope(), filter.currency(), kFilter);
}
std::string kind_of(const Odometer& odometer) {
  return kind_named(odometer.scope(), odometer.currency(), kOdometer);
}

void save(const std::filesystem::path& file, const Accounts& accounts) {
  save_alone(file, accounts);
}
void save(const std::filesystem::path& file, const Accounts& accounts, const Ids& ids) {
  with_ids(accounts, ids, [&](const StateWriter& writer) { writer.write(file); });
}
void save(const std::filesystem::path& file, const Filter& filter) { save_alone(file, filter); }
void save(const std::filesystem::path& file, const Odometer& odometer) {
  save_alone(file, odometer);
}

template <>
Accounts load(const std::filesystem::path& file, std::string_view kind) {
  return load_alone<Accounts>(file, kind);
}
template <>
AccountsWithIds load(const std::filesystem::path& file, std::string_view kind) {
  return load_alone<AccountsWithIds>(file, kind);
}
template <>
Filter load(const std::filesystem::path& file, std::string_view kind) {
  return load_alone<Filter>(file, kind);
}
template <>
Odometer load(const std::filesystem::path& file, std::string_view kind) {
  return load_alone<Odometer>(file, kind);
}

std::vector<std::byte> saved(const Accounts& accounts) { return bytes_alone(accounts); }
std::vector<std::byte> saved(const Accounts& accounts, const Ids& ids) {
  return with_ids(accounts, ids, [](const StateWriter& writer) { return writer.bytes(); });
}
std::vector<std::byte> saved(const Filter& filter) { return bytes_alone(filter); }
std::vector<std::byte> saved(const Odometer& odometer) { return bytes_alone(odometer); }

template <>
Accounts restored(std::span<const std::byte> bytes, std::string_view kind) {
  return load_alone<Accounts>(bytes, kind);
}
template <>
AccountsWithIds restored(std::span<const std::byte> bytes, std::string_view kind) {
  return load_alone<AccountsWithIds>(bytes, kind);
}
template <>
Filter restored(std::span<const std::byte> bytes, std::string_view kind) {
  return load_alone<Filter>(bytes, kind);
}
template <>
Odometer restored(std::span<const std::byte> bytes, std::string_view kind) {
  return load_alone<Odometer>(bytes, kind);
}

}  // namespace ration
