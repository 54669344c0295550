#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/interrupts.h"
#include "cli/ledger.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/train_print.h"
#include "ration/base/error.h"
#include "ration/dataset/load_dataset.h"
#include "ration/file/atomic_file.h"
#include "ration/file/inputs_and_outputs.h"
#include "ration/results/directory.h"
#include "ration/train/run.h"
#include "ration/train/setting_list.h"

namespace ration::cli {
namespace {

struct TrainOptions {
  Text config, out;
  Text epochs, noise, epsilon, clip, rate, delta;
  Text ledger, token, team, purpose;
  std::vector<std::string> set;
  bool resume = false, dry_run = false, settings = false, json = false;
};

// Each flag is a setting by another name.
std::vector<std::string> overrides(const TrainOptions& options) {
  std::vector<std::string> all = options.set;
  const auto add = [&](const char* key, const Text& value) {
    if (value) all.push_back(fmt::format("{}={}", key, *value));
  };
  add("run.epochs", options.epochs);
  add("privacy.noise", options.noise);
  add("privacy.epsilon", options.epsilon);
  add("privacy.clip", options.clip);
  add("privacy.rate", options.rate);
  add("privacy.delta", options.delta);
  return all;
}

// A run that is resumed has its settings in its directory.
std::filesystem::path settings_file(const TrainOptions& options) {
  if (options.config) return *options.config;
  if (!options.resume || !options.out) {
    throw Error("CONFIG is missing: give a TOML file, or --resume with --out DIR");
  }
  return results::kept_settings(*options.out);
}

// What the run asks a ledger for, if it has one.
std::optional<train::LedgerAsk> ask_of(const TrainOptions& options) {
  if (options.ledger.has_value() != options.token.has_value()) {
    throw Error("--ledger and --token belong together: give both, or leave both out");
  }
  if (!options.ledger) {
    if (!options.team && !options.purpose) return std::nullopt;
    throw Error("--team and --purpose belong to --ledger: give it, or leave them out");
  }
  return train::LedgerAsk{.ledger = *options.ledger,
                          .token = *options.token,
                          .team = options.team.value_or(""),
                          .purpose = options.purpose.value_or("")};
}

train::Settings settings_of(const TrainOptions& options,
                            const std::optional<train::LedgerAsk>& ask) {
  if (!ask) {
    std::optional<std::string> of_samples;
    if (!options.config) of_samples = train::kKindBefore;
    return train::read_settings(settings_file(options), overrides(options), of_samples);
  }
  const Ledger ledger = Ledger::look_at(ask->ledger);
  train::Settings settings =
      train::read_settings(settings_file(options), overrides(options), ledger);
  train::check_fits(settings, ledger);
  return settings;
}

// Refuses to write over what is read. A run that is resumed leaves its settings as they are.
void check_files(const TrainOptions& options, const train::Settings& settings) {
  NamedFiles inputs = {{"CONFIG", settings_file(options)}}, outputs;
  if (options.ledger) {
    for (const auto& file : files_of(*options.ledger)) inputs.push_back(file);
  }
  add(inputs, "data", files_of(settings.data.source, settings.data.options));
  for (const auto& file : results::run_files(settings.out)) {
    const bool kept = options.resume && file.filename().string().starts_with("settings.");
    if (!kept) outputs.push_back({"--out", file});
  }
  check_apart(inputs, outputs);
}

std::string epoch_text(const train::RunProgress& at) {
  std::string text = fmt::format("Epoch {}/{}", at.epoch, at.epochs);
  if (at.test_loss) text += fmt::format("  test loss {:.4f}", *at.test_loss);
  return text;
}

void print_warning(const std::string& text) { fmt::print(stderr, "ration: warning: {}\n", text); }

void run(const TrainOptions& options) {
  if (options.settings) {
    fmt::print("{}", train::settings_text());
    return;
  }
  const std::optional<train::LedgerAsk> ask = ask_of(options);
  train::Settings settings = settings_of(options, ask);
  if (options.out) settings.out = *options.out;
  check_files(options, settings);
  if (options.dry_run) {
    options.json ? print_plan_json(settings, ask) : print_plan_table(settings, ask);
    return;
  }
  check_can_make("--out", settings.out);
  const Dataset data = load_dataset(settings.data.source, settings.data.options);
  std::size_t told = 0;  // warnings, before the bar is shown
  const results::Results results = [&] {
    const Interrupts interrupts;
    Progress bar("Epoch 1");
    return train::train(
        settings, data, options.resume ? train::Start::resumed : train::Start::fresh,
        {.on_progress =
             [&](const train::RunProgress& at) {
               bar.rename(epoch_text(at));
               bar.update(static_cast<double>(at.step) / static_cast<double>(at.steps));
             },
         .on_warning =
             [&](const std::string& text) {
               print_warning(text);
               ++told;
             },
         .should_stop = Interrupts::asked_to_stop},
        ask);
  }();
  for (; told < results.warnings.size(); ++told) print_warning(results.warnings[told]);
  options.json ? print_results_json(results) : print_results_table(results);
  if (ask && results.made.ledger_head.empty()) {
    throw WriteFailure(
        "the run has finished, but the ledger could not be settled: until ration ledger recover "
        "LEDGER --run DIR all that it holds counts as spent");
  }
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand(
      "train", "Train a model privately, with an account and a filter for every person");
  const auto add = [&](const char* name, Text& text, const char* type, const char* help) {
    command->add_option(name, text, help)->type_name(type);
  };
  add("config", options->config, "CONFIG", "TOML file with the settings of the run");
  add("--out", options->out, "DIR", "Run directory, by default run");
  add("--epochs", options->epochs, "N", "Instead of run.epochs in the file");
  add("--noise", options->noise, "X",
      "Noise multiplier, instead of privacy.noise and privacy.epsilon: standard deviation of the "
      "noise divided by the clip bound");
  add("--epsilon", options->epsilon, "X",
      "Find the least noise that keeps to this epsilon, instead of privacy.epsilon and "
      "privacy.noise");
  add("--clip", options->clip, "X", "Clip bound, instead of privacy.clip");
  add("--rate", options->rate, "X", "Poisson sampling rate, instead of privacy.rate");
  add("--delta", options->delta, "X", "Instead of privacy.delta");
  add("--ledger", options->ledger, "LEDGER",
      "Take everybody's budget from this ledger, by their ids (data.id): at most that of the "
      "filter, or what all steps cost at the clip bound");
  add("--token", options->token, "TEXT",
      "For --ledger: the name of the run's grant. The same one goes on with the same grant");
  add("--team", options->team, "NAME", "For --ledger: who asks");
  add("--purpose", options->purpose, "TEXT", "For --ledger: what it is for");
  command
      ->add_option("--set", options->set,
                   "Any other setting, such as --set model.hidden=[64,32]; may be given again. It "
                   "takes the place of what the file says of the same under another key, such as "
                   "filter.epsilon of filter.after_epochs. --settings lists them")
      ->type_name("SECTION.KEY=VALUE")
      ->take_all();
  command->add_flag("--resume", options->resume,
                    "Go on after an interruption, from the last checkpoint in the run directory. "
                    "What was charged since then stays charged: nothing after Ctrl-C or SIGTERM, "
                    "at most 2% of the steps after a crash");
  command->add_flag("--dry-run", options->dry_run,
                    "Print what the run would do and promise, and read no data");
  command->add_flag("--settings", options->settings,
                    "List every setting of a configuration file: an example, what it means, its "
                    "type and its default");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer("Example: ration train examples/configs/clinical.toml --out run --epochs 20");
  command->callback([options] { run(*options); });
}

}  // namespace ration::cli
