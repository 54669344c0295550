#include "ration/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/individual/norms.h"
#include "ration/state/sections.h"
#include "ration/state/state_file.h"

namespace ration::train {
namespace {

constexpr std::string_view kKind = "training", kProgress = "training-progress", kNone = "none";
// Only of runs that follow somebody, of those that hold norms, and of those with a ledger.
constexpr std::string_view kFollowed = "followed-rows", kLosses = "losses",
                           kLedgerHead = "ledger-head";
constexpr const char *kAccounts = "accounts-", *kFilter = "filter-";  // prefixes

void check(const TrainingState& training, std::size_t people, std::uint64_t charged_steps) {
  if (training.parameters.empty()) throw Error("parameters are missing: give at least one");
  for (const auto& moments : training.optimiser) {
    if (moments.size() == training.parameters.size()) continue;
    throw Error(fmt::format("moments of the optimiser are {}: give one for each of {} parameters",
                            moments.size(), training.parameters.size()));
  }
  if (!training.held_norms.empty()) {
    check_people(people, training.held_norms.size(), "held norms");
    check_norms(training.held_norms, training.step);
  }
  if (!training.losses.empty()) check_people(people, training.losses.size(), "losses");
  if (training.step > charged_steps) {
    throw Error(fmt::format("training is at step {} and only {} steps were charged", training.step,
                            charged_steps));
  }
}

// A person's three counts lie one after the other, in memory as on disk.
using Person = Attendance::Person;
static_assert(std::is_standard_layout_v<Person> && sizeof(Person) == 3 * sizeof(std::uint32_t));

std::span<const std::uint32_t> as_triples(const Attendance& attendance) {
  return {reinterpret_cast<const std::uint32_t*>(attendance.people.data()),
          3 * attendance.people.size()};
}
Attendance from_triples(std::span<const std::uint32_t> triples) {
  if (triples.size() % 3 != 0) throw Error("attendance is not three counts for each person");
  Attendance attendance{.people = std::vector<Person>(triples.size() / 3)};
  for (std::size_t i = 0; i < attendance.people.size(); ++i) {
    attendance.people[i] = {.admitted = triples[3 * i],
                            .left_out = triples[3 * i + 1],
                            .first_left_out = triples[3 * i + 2]};
  }
  return attendance;
}

std::vector<std::vector<float>> rows_of(std::span<const float> values, std::size_t length) {
  if (length == 0 || values.size() % length != 0) {
    throw Error("moments of the optimiser are not one for each parameter");
  }
  std::vector<std::vector<float>> rows;
  for (; !values.empty(); values = values.subspan(length)) {
    rows.push_back(copy_of(values.first(length)));
  }
  return rows;
}

void add_books(StateWriter& writer, const Books::Settled& books) {
  const auto& [accounts, filter, attendance] = books;
  add_sections(writer, kAccounts, accounts);
  writer.add("attendance", as_triples(attendance));
  writer.add_text("filter", filter ? filter->currency().name() : kNone);
  if (filter) add_sections(writer, kFilter, *filter);
}

// Prices of a tight filter stand beside it in the file: it cannot be made from its name.
std::string_view state_name(std::string_view currency) {
  return currency == "tight" ? currency : currency_named(currency)->state_name();
}

std::optional<Filter> read_filter_if_any(StateReader& reader) {
  const std::string_view kind = reader.text("filter");
  if (kind == kNone) return {};
  const std::string_view currency = built_from(reader.source(), [&] { return state_name(kind); });
  return read_filter(reader, kFilter, {.scope = Scope::each_person, .currency = currency});
}

Books read_books(StateReader& reader) {
  auto accounts = read_accounts(reader, kAccounts);
  const auto attendance = reader.array<std::uint32_t>("attendance");
  auto filter = read_filter_if_any(reader);
  return built_from(reader.source(), [&] {
    return Books({.accounts = std::move(accounts),
                  .filter = std::move(filter),
                  .attendance = from_triples(attendance)});
  });
}

void add_training(StateWriter& writer, const TrainingState& training) {
  writer.add_value("generation", training.generation);
  writer.add_value("step", training.step);
  writer.add("parameters", training.parameters);
  writer.add_rows("moments", training.optimiser);
  writer.add_value("optimiser-steps", training.optimiser_steps);
  writer.add("held-norms", training.held_norms);
  writer.add_text("settings", training.settings);
  writer.add_text("people", training.people);
  writer.add_text("shown-rows", training.shown_rows);
  writer.add_text("private-rows", training.private_rows);
  if (!training.followed_rows.empty()) writer.add_text(kFollowed, training.followed_rows);
  if (!training.losses.empty()) writer.add(kLosses, training.losses);
  if (!training.ledger_head.empty()) writer.add_text(kLedgerHead, training.ledger_head);
}

TrainingState read_training(StateReader& reader) {
  const auto parameters = reader.array<float>("parameters");
  const auto moments = reader.array<float>("moments");
  return {
      .generation = reader.value<std::uint64_t>("generation"),
      .step = reader.value<std::uint64_t>("step"),
      .parameters = copy_of(parameters),
      .optimiser = built_from(reader.source(), [&] { return rows_of(moments, parameters.size()); }),
      .optimiser_steps = reader.value<std::uint64_t>("optimiser-steps"),
      .held_norms = copy_of(reader.array<float>("held-norms")),
      .losses = reader.has(kLosses) ? copy_of(reader.array<float>(kLosses)) : std::vector<float>{},
      .settings = std::string(reader.text("settings")),
      .people = std::string(reader.text("people")),
      .ledger_head = std::string(reader.has(kLedgerHead) ? reader.text(kLedgerHead) : ""),
      .shown_rows = std::string(reader.text("shown-rows")),
      .private_rows = std::string(reader.text("private-rows")),
      .followed_rows = std::string(reader.has(kFollowed) ? reader.text(kFollowed) : "")};
}

}  // namespace

void save_checkpoint(const std::filesystem::path& file, const TrainingState& training,
                     const Books::Settled& books) {
  check(training, books.accounts.people(), books.accounts.steps());
  StateWriter writer(kKind);
  add_training(writer, training);
  add_books(writer, books);
  writer.write(file);
}

Checkpoint load_checkpoint(const std::filesystem::path& file) {
  StateReader reader(file, kKind);
  TrainingState training = read_training(reader);
  Books books = read_books(reader);
  reader.finish();
  built_from(file, [&] { check(training, books.people(), books.charged_steps()); });
  return {.training = std::move(training), .books = std::move(books)};
}

std::vector<std::byte> progress_bytes(const TrainingState& training) {
  StateWriter writer(kProgress);
  add_training(writer, training);
  return writer.bytes();
}

TrainingState read_progress(std::span<const std::byte> bytes, std::size_t people,
                            std::uint64_t charged_steps) {
  StateReader reader(bytes);
  reader.expect_kind(kProgress);
  TrainingState training = read_training(reader);
  reader.finish();
  built_from(reader.source(), [&] { check(training, people, charged_steps); });
  return training;
}

}  // namespace ration::train
