#include "cli/ledger.h"

#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/print.h"
#include "ration/base/error.h"
#include "ration/file/inputs_and_outputs.h"
#include "ration/ledger/location.h"
#include "ration/ledger/people_csv.h"

namespace ration::cli {
namespace {

struct PeopleOptions {
  std::string file, people, id;
  BudgetOptions budget;
  Text column;
};

void add_to(CLI::App& command, PeopleOptions& options) {
  command.add_option("--people", options.people, "CSV file with a row for each person")
      ->type_name("FILE.csv")
      ->required();
  command.add_option("--id", options.id, "Its column of ids, which may be any text")
      ->type_name("COLUMN")
      ->required();
  add_to(command, options.budget, "everybody");
  command
      .add_option("--epsilon-column", options.column,
                  "Its column of everybody's own epsilon, instead of one for all")
      ->type_name("COLUMN");
}

ledger::NewPeople people_of(const PeopleOptions& options, Delta delta) {
  const std::optional<Budget> budget = budget_of(options.budget, delta);
  if (budget.has_value() == options.column.has_value()) {
    throw Error(
        "budgets are missing or given twice: give one of --epsilon, --mu and "
        "--epsilon-column");
  }
  ledger::PeopleTable table =
      ledger::read_people(options.people, {.id = options.id, .number = options.column}, "--people");
  return {
      .ids = std::move(table.ids),
      .budgets = budget ? Budgets{.kinds = {*budget}} : ledger::budgets_of(table.numbers, delta)};
}

void show(Ledger& ledger, bool as_json) {
  const std::string currency(ledger.currency()->name());
  if (as_json) {
    print(Json{{"people", ledger.people()},
               {"currency", currency},
               {"grants", ledger.count_grants()},
               {"head", ledger.head()}});
    return;
  }
  print(
      Rows{{"people", fmt::format("{}", ledger.people())},
           {"currency", fmt::format("{}, eps told at delta {}", currency, double{ledger.delta()})},
           {"grants", fmt::format("{}", ledger.count_grants())},
           {"head", ledger.head()}});
}

void add_create(CLI::App& app) {
  struct Options : PeopleOptions {
    Text delta, currency;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_ledger_command(
      app, "create", "A new ledger: everybody's budgets, across runs and teams", options->file);
  add_to(*command, *options);
  command
      ->add_option("--delta", options->delta,
                   "The delta of --epsilon, at which the ledger tells every epsilon")
      ->type_name("X");
  command
      ->add_option("--currency", options->currency,
                   "What spends are counted in: gdp (the default; steps at rate 1) or rdp (also "
                   "sampled steps)")
      ->type_name("NAME");
  command->footer(
      "Example: ration ledger create ward.ledger --people examples/ledger/people.csv --id patient "
      "--epsilon 3 --delta 1e-5");
  command->callback([options] {
    check_apart({{"--people", options->people}}, {});
    const Delta delta = required("--delta", options->delta);
    const std::string currency = options->currency.value_or("gdp");
    if (currency != "gdp" && currency != "rdp") refuse("--currency", currency, "gdp or rdp");
    Ledger ledger =
        Ledger::create(options->file, currency_named(currency), delta, people_of(*options, delta));
    show(ledger, false);
  });
}

void add_add(CLI::App& app) {
  auto options = std::make_shared<PeopleOptions>();
  CLI::App* command = add_ledger_command(
      app, "add", "More people, with budgets of their own; no budget is ever filled up again",
      options->file);
  add_to(*command, *options);
  command->footer(
      "Example: ration ledger add ward.ledger --people examples/ledger/new-people.csv --id patient "
      "--epsilon 3");
  command->callback([options] {
    check_apart({{"--people", options->people}}, {});
    Ledger ledger = Ledger::open(options->file);
    ledger.add(people_of(*options, ledger.delta()));
    show(ledger, false);
  });
}

void add_quota(CLI::App& app) {
  struct Options {
    std::string file, team;
    BudgetOptions quota;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_ledger_command(
      app, "quota", "What a team may take of each person's budget, from the first day on",
      options->file);
  command->add_option("--team", options->team, "The team")->type_name("NAME")->required();
  add_to(*command, options->quota, "the team's share of each person");
  command->footer("Example: ration ledger quota ward.ledger --team imaging --epsilon 1");
  command->callback([options] {
    Ledger ledger = Ledger::open(options->file);
    const auto quota = budget_of(options->quota, ledger.delta());
    if (!quota) throw Error("quota is missing: give --epsilon or --mu");
    ledger.set_quota(options->team, *quota);
  });
}

struct LookOptions {
  std::string file, id, out;
  bool json = false;
};

template <class Use>
void add_look(CLI::App& app, const std::string& name, const std::string& help, const Use& use) {
  auto options = std::make_shared<LookOptions>();
  CLI::App* command = add_ledger_command(app, name, help, options->file);
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer("Example: ration ledger " + name + " ward.ledger");
  command->callback([options, use] {
    Ledger ledger = Ledger::look_at(options->file);
    use(ledger, options->json);
  });
}

void add_person(CLI::App& app) {
  auto options = std::make_shared<LookOptions>();
  CLI::App* command = add_ledger_command(
      app, "person", "One person's budget and what is left of it, for the owner alone",
      options->file);
  command->add_option("id", options->id, "The person's id")->type_name("ID")->required();
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer("Example: ration ledger person ward.ledger P-001");
  command->callback([options] {
    Ledger ledger = Ledger::look_at(options->file);
    const ledger::Person person = ledger.person(options->id);
    if (options->json) {
      print(Json{{"id", options->id},
                 {"budget", json(person.budget)},
                 {"spent", json(person.spent)},
                 {"reserved", json(person.reserved)},
                 {"left", json(person.left)}});
      return;
    }
    print(Rows{{"id", options->id},
               {"budget", rounded_up(person.budget.upper)},
               {"spent", rounded_up(person.spent.upper)},
               {"reserved", rounded_up(person.reserved.upper)},
               {"left", rounded_down(person.left.lower)},
               {"", fmt::format("as epsilon at delta {}; squares of mu add up, epsilons do not",
                                double{ledger.delta()})}});
  });
}

void print_grants(Ledger& ledger, bool as_json) {
  Json all = Json::array();
  for (const ledger::GrantEntry& one : ledger.grants()) {
    const std::string status(name(one.status));
    if (as_json) {
      all.push_back({{"token", one.token},
                     {"team", one.team},
                     {"purpose", one.purpose},
                     {"query", one.one_off},
                     {"status", status},
                     {"time", one.time},
                     {"limit", one.limit ? json(*one.limit) : Json()}});
      continue;
    }
    fmt::print("{}  {}  {}{}{}{}\n", one.time, one.token, one.one_off ? "query, " : "", status,
               one.team.empty() ? "" : ", team " + one.team,
               one.purpose.empty() ? "" : ": " + one.purpose);
  }
  if (as_json) print(all);
}

void print_history(Ledger& ledger, bool as_json) {
  Json all = Json::array();
  for (const ledger::HistoryEntry& one : ledger.history()) {
    if (as_json) {
      all.push_back({{"number", one.number},
                     {"kind", one.kind},
                     {"time", one.time},
                     {"token", one.token},
                     {"hash", one.hash}});
      continue;
    }
    fmt::print("{:>6}  {}  {:<7} {}{}\n", one.number, one.time, one.kind, one.hash.substr(0, 16),
               one.token.empty() ? "" : "  " + one.token);
  }
  if (as_json) print(all);
}

void add_verify(CLI::App& app) {
  struct Options : LookOptions {
    Text seen;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_ledger_command(
      app, "verify", "Go through all of it, or say which link is broken", options->file);
  command
      ->add_option("--seen", options->seen,
                   "A head that somebody has seen: refuses a ledger that lacks it, as an old copy "
                   "does")
      ->type_name("HEAD");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer("Example: ration ledger verify ward.ledger");
  command->callback([options] {
    Ledger ledger = Ledger::look_at(options->file);
    if (options->seen && !ledger.contains(*options->seen)) {
      throw Error("ledger " + ledger::shown(options->file) +
                  " has never had this head: it is another one, or an old copy that has forgotten "
                  "spends");
    }
    ledger.verify();
    if (options->json) {
      print(Json{{"verified", true}, {"head", ledger.head()}});
    } else {
      print(Rows{{"verified", "every link, every account"}, {"head", ledger.head()}});
    }
  });
}

void add_export(CLI::App& app) {
  auto options = std::make_shared<LookOptions>();
  CLI::App* command = add_ledger_command(
      app, "export", "Everybody's budget and what is left of it as a private CSV file",
      options->file);
  command->add_option("--out", options->out, "The file; only its owner can read it")
      ->type_name("FILE.csv")
      ->required();
  command->footer("Example: ration ledger export ward.ledger --out everybody.csv");
  command->callback([options] {
    check_apart(files_of(options->file), {{"--out", options->out}});
    check_can_write("--out", options->out);
    Ledger ledger = Ledger::look_at(options->file);
    ledger::write_totals(options->out, ledger);
  });
}

}  // namespace

NamedFiles files_of(const std::string& ledger) {
  if (ledger::is_url(ledger)) return {};
  return {{"LEDGER", ledger}, {"LEDGER", ledger + "-journal"}};
}

CLI::App* add_ledger_command(CLI::App& ledger, const std::string& name, const std::string& help,
                             std::string& file) {
  CLI::App* command = ledger.add_subcommand(name, help);
  command->add_option("ledger", file, "The ledger: a file, or postgresql://USER@HOST/DATABASE")
      ->type_name("LEDGER")
      ->required();
  // What is printed does not go into the ledger.
  command->parse_complete_callback([&file] { check_apart(files_of(file), {}); });
  return command;
}

void add_to(CLI::App& command, BudgetOptions& options, const std::string& whose) {
  command
      .add_option("--epsilon", options.epsilon,
                  "The budget of " + whose + ", an epsilon at the ledger's delta")
      ->type_name("X");
  command.add_option("--mu", options.mu, "The same as a GDP parameter")->type_name("X");
}

std::optional<Budget> budget_of(const BudgetOptions& options, Delta delta) {
  if (options.epsilon && options.mu) {
    throw Error("--epsilon and --mu are both given: each is a budget, give one");
  }
  if (options.mu) return MuBudget{number("--mu", *options.mu)};
  if (options.epsilon) {
    return EpsilonBudget{.epsilon = number("--epsilon", *options.epsilon), .delta = delta};
  }
  return std::nullopt;
}

void add_ledger(CLI::App& app) {
  CLI::App* ledger = app.add_subcommand(
      "ledger",
      "Everybody's budgets in a file or database that outlives runs, for all who use their data");
  ledger->require_subcommand(0, 1);
  ledger->footer("Run 'ration help ledger COMMAND' for the options of a command and an example.");
  ledger->callback([ledger] {
    if (ledger->get_subcommands().empty()) fmt::print("{}", ledger->help("ration"));
  });
  add_create(*ledger);
  add_add(*ledger);
  add_quota(*ledger);
  add_grant_commands(*ledger);
  add_look(*ledger, "show", "How many people and grants there are, and the head; nothing private",
           show);
  add_person(*ledger);
  add_look(*ledger, "grants", "All grants and queries; nothing private", print_grants);
  add_look(*ledger, "history", "Every change, as a link of the chain; nothing private",
           print_history);
  add_verify(*ledger);
  add_export(*ledger);
}

}  // namespace ration::cli
