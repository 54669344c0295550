#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/train_print.h"
#include "ration/base/error.h"
#include "ration/dataset/load_dataset.h"
#include "ration/results/directory.h"
#include "ration/train/run.h"

namespace ration::cli {
namespace {

struct TrainOptions {
  Text config, out;
  Text epochs, noise, epsilon, clip, rate, delta;
  std::vector<std::string> set;
  bool resume = false, dry_run = false, json = false;
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

std::string epoch_text(const train::RunProgress& at) {
  std::string text = fmt::format("Epoch {}/{}", at.epoch, at.epochs);
  if (at.test_loss) text += fmt::format("  test loss {:.4f}", *at.test_loss);
  return text;
}

void run(const TrainOptions& options) {
  train::Settings settings = train::read_settings(settings_file(options), overrides(options));
  if (options.out) settings.out = *options.out;
  if (options.dry_run) {
    options.json ? print_plan_json(settings) : print_plan_table(settings);
    return;
  }
  const Dataset data = load_dataset(settings.data.source, settings.data.options);
  const results::Results results = [&] {
    Progress bar("Epoch 1");
    return train::train(settings, data,
                        options.resume ? train::Start::resumed : train::Start::fresh,
                        [&](const train::RunProgress& at) {
                          bar.rename(epoch_text(at));
                          bar.update(static_cast<double>(at.step) / static_cast<double>(at.steps));
                        });
  }();
  options.json ? print_results_json(results) : print_results_table(results);
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
      "Noise multiplier, instead of privacy.noise: standard deviation of the noise divided by the "
      "clip bound");
  add("--epsilon", options->epsilon, "X",
      "Find the least noise that keeps to this epsilon, instead of privacy.epsilon");
  add("--clip", options->clip, "X", "Clip bound, instead of privacy.clip");
  add("--rate", options->rate, "X", "Poisson sampling rate, instead of privacy.rate");
  add("--delta", options->delta, "X", "Instead of privacy.delta");
  command
      ->add_option("--set", options->set,
                   "Any other setting, such as --set model.hidden=[64,32]; may be given again")
      ->type_name("SECTION.KEY=VALUE")
      ->take_all();
  command->add_flag("--resume", options->resume,
                    "Go on after an interruption, from the last checkpoint in the run directory. "
                    "What was charged since then stays charged");
  command->add_flag("--dry-run", options->dry_run,
                    "Print what the run would do and promise, and read no data");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer("Example: ration train examples/configs/clinical.toml --out run --epochs 20");
  command->callback([options] { run(*options); });
}

}  // namespace ration::cli
