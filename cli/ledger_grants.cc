#include <memory>

#include "cli/ledger.h"
#include "cli/print.h"
#include "ration/base/error.h"
#include "ration/file/inputs_and_outputs.h"
#include "ration/ledger/people_csv.h"
#include "ration/state/saved.h"
#include "ration/train/held_grant.h"

namespace ration::cli {
namespace {

struct GrantOptions {
  std::string file, token, purpose, team, run, filter, out, norms, id, norm;
  BudgetOptions limit;
  MechanismOptions step;
  Text clip;
  bool everything = false, all = false;
};
using Shared = std::shared_ptr<GrantOptions>;

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& help,
                      const Shared& options) {
  CLI::App* command = add_ledger_command(app, name, help, options->file);
  command
      ->add_option("--token", options->token,
                   "The name of the request; asked again, it gets the first answer")
      ->type_name("TEXT")
      ->required();
  return command;
}
void add_reasons(CLI::App& command, GrantOptions& options) {
  command.add_option("--purpose", options.purpose, "What it is for")->type_name("TEXT");
  command.add_option("--team", options.team, "Who asks")->type_name("NAME");
}

void add_grant(CLI::App& app) {
  const auto options = std::make_shared<GrantOptions>();
  CLI::App* command =
      add_command(app, "grant",
                  "Reserve for a run: of everybody as much as they have left, to a limit", options);
  add_reasons(*command, *options);
  add_to(*command, options->limit, "the run for each person, at most");
  command->add_flag("--all", options->all, "Instead: all that everybody has left");
  command
      ->add_option("--filter", options->filter,
                   "Save the run's filter here (private): each person's budget is their reserve")
      ->type_name("FILE");
  command->footer(
      "Example: ration ledger grant ward.ledger --token autumn-run --team imaging --epsilon 0.5 "
      "--filter run.filter");
  command->callback([options] {
    if (!options->filter.empty()) {
      check_apart(files_of(options->file), {{"--filter", options->filter}});
      check_can_write("--filter", options->filter);
    }
    Ledger ledger = Ledger::open(options->file);
    const auto limit = budget_of(options->limit, ledger.delta());
    if (limit.has_value() == options->all) {
      throw Error("limit of the grant is unclear: give one of --epsilon, --mu and --all");
    }
    const ledger::Grant grant = ledger.grant({.token = options->token,
                                              .purpose = options->purpose,
                                              .team = options->team,
                                              .limit = limit});
    if (!options->filter.empty()) save(options->filter, ledger.filter(grant));
    print(Rows{{"grant", options->token},
               {"status", std::string(name(grant.status))},
               {"head", ledger.head()}});
  });
}

void add_start(CLI::App& app) {
  const auto options = std::make_shared<GrantOptions>();
  CLI::App* command =
      add_command(app, "start", "From now on a run may release something with its grant", options);
  command
      ->add_option("--run", options->run,
                   "A name that no other run has: a grant is started by one run")
      ->type_name("TEXT")
      ->required();
  command->footer("Example: ration ledger start ward.ledger --token autumn-run --run node-7-0412");
  // Whoever goes on with a grant need not start it again.
  command->callback([options] {
    Ledger::open(options->file).start(ledger::Grant{.token = options->token}, options->run);
  });
}

void add_settle(CLI::App& app) {
  const auto options = std::make_shared<GrantOptions>();
  CLI::App* command = add_command(
      app, "settle", "End a grant: what was charged is spent, the rest goes back", options);
  command
      ->add_option("--filter", options->filter, "The filter of the run, as it was saved at its end")
      ->type_name("FILE");
  command->add_flag("--everything", options->everything,
                    "Nobody knows what was charged: all that was reserved is spent");
  command->footer("Example: ration ledger settle ward.ledger --token autumn-run --everything");
  command->callback([options] {
    if (options->everything == !options->filter.empty()) {
      throw Error("settle takes --filter or --everything: give one of them");
    }
    Ledger ledger = Ledger::open(options->file);
    if (options->everything) {
      ledger.settle_everything(options->token);
    } else {
      ledger.settle(ledger.held(options->token), load<Filter>(options->filter));
    }
  });
}

void add_void(CLI::App& app) {
  const auto options = std::make_shared<GrantOptions>();
  CLI::App* command = add_command(app, "void", "Give a grant back that was never started", options);
  command->footer(
      "Example: ration ledger grant ward.ledger --token spare --mu 0.1 && ration ledger void "
      "ward.ledger --token spare");
  command->callback([options] { Ledger::open(options->file).void_grant(options->token); });
}

void add_recover(CLI::App& app) {
  struct Options {
    std::string file, run;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_ledger_command(
      app, "recover",
      "Settle the grant of a run of ration train from its directory: what its checkpoint and "
      "journal say was charged is spent",
      options->file);
  command
      ->add_option("--run", options->run,
                   "The run directory; a grant that was never started goes back as a whole")
      ->type_name("DIR")
      ->required();
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer(
      "Example: ration train examples/ledger/train.toml --ledger ward.ledger --token lost --out "
      "lost-run && ration ledger recover ward.ledger --run lost-run");
  command->callback([options] {
    const train::Recovered done = train::recover(options->file, options->run);
    const std::string status(name(done.status));
    if (options->json) {
      print(Json{{"token", done.token}, {"status", status}, {"head", done.head}});
    } else {
      print(Rows{{"grant", done.token}, {"status", status}, {"head", done.head}});
    }
  });
}

void add_admit(CLI::App& app) {
  const auto options = std::make_shared<GrantOptions>();
  CLI::App* command = add_command(
      app, "admit", "A noisy sum that is released once: who takes part, charged before", options);
  add_reasons(*command, *options);
  command->add_option("--norms", options->norms, "CSV file with everybody who would take part")
      ->type_name("FILE.csv")
      ->required();
  command->add_option("--id", options->id, "Its column of ids")->type_name("COLUMN")->required();
  command->add_option("--norm", options->norm, "Its column of norms, before clipping")
      ->type_name("COLUMN")
      ->required();
  command
      ->add_option("--noise", options->step.noise,
                   "Noise multiplier: standard deviation of the noise divided by the clip bound")
      ->type_name("X");
  command->add_option("--clip", options->clip, "Clip bound, by default 1")->type_name("X");
  command
      ->add_option("--rate", options->step.rate,
                   "Poisson sampling rate, by default 1; below 1 "
                   "the ledger's currency must be rdp")
      ->type_name("X");
  command
      ->add_option("--out", options->out,
                   "Who takes part, as a private CSV file: sum their contributions and no others'")
      ->type_name("FILE.csv")
      ->required();
  command->footer(
      "Example: ration ledger admit ward.ledger --token mean-age --norms "
      "examples/ledger/people.csv --id patient --norm norm --noise 20 --out takes-part.csv");
  command->callback([options] {
    NamedFiles read = files_of(options->file);
    read.push_back({"--norms", options->norms});
    check_apart(read, {{"--out", options->out}});
    check_can_write("--out", options->out);
    const ledger::PeopleTable table = ledger::read_people(
        options->norms, {.id = options->id, .number = options->norm}, "--norms");
    const Step step = {.noise = noise_of(options->step),
                       .clip = options->clip ? number("--clip", *options->clip) : 1.0,
                       .rate = rate_of(options->step)};
    const auto mask = Ledger::open(options->file)
                          .admit({.token = options->token,
                                  .purpose = options->purpose,
                                  .team = options->team,
                                  .step = step,
                                  .ids = table.ids,
                                  .norms = table.numbers});
    ledger::write_mask(options->out, table.ids, mask);
  });
}

}  // namespace

void add_grant_commands(CLI::App& app) {
  add_grant(app);
  add_start(app);
  add_settle(app);
  add_void(app);
  add_recover(app);
  add_admit(app);
}

}  // namespace ration::cli
