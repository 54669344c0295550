#include "ration/compose/calibrate.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "ration/base/error.h"

namespace ration::cli {
namespace {

struct CalibrateOptions {
  MechanismOptions mechanism;
  AccountingOptions accounting;
  Text solve, epsilon, delta;
  bool json = false;
};

// What is solved for may not be given too.
void check_free(const Text& text, const std::string& option) {
  if (text) throw Error(option + " is what --solve asks for: leave it out");
}

struct Answer {
  double noise, rate, steps;
  double solved;
};

Answer solve(const CalibrateOptions& options, const Target& target, const Accounting& how) {
  const MechanismOptions& given = options.mechanism;
  if (options.solve == "noise") {
    check_free(given.noise, "--noise");
    const double rate = rate_of(given), steps = steps_of(given);
    const double noise = calibrate_noise(target, {.rate = rate, .steps = steps}, how);
    return {noise, rate, steps, noise};
  }
  if (options.solve == "steps") {
    check_free(given.steps, "--steps");
    const double noise = noise_of(given), rate = rate_of(given);
    const auto steps =
        static_cast<double>(calibrate_steps(target, {.noise = noise, .rate = rate}, how));
    return {noise, rate, steps, steps};
  }
  if (options.solve == "rate") {
    check_free(given.rate, "--rate");
    const double noise = noise_of(given), steps = steps_of(given);
    const double rate = calibrate_rate(target, {.noise = noise, .steps = steps}, how);
    return {noise, rate, steps, rate};
  }
  refuse("--solve", "'" + options.solve.value_or("") + "'", "noise, steps or rate");
}

void run(const CalibrateOptions& options) {
  const Target target = {.epsilon = required("--epsilon", options.epsilon),
                         .delta = required("--delta", options.delta)};
  const Accounting how = accounting_of(options.accounting);
  const Answer answer = solve(options, target, how);
  const bool nothing_fits = answer.steps == 0;
  const Bound spent =
      nothing_fits
          ? exactly(0)
          : compose({entry({.noise = answer.noise, .rate = answer.rate, .steps = answer.steps})},
                    target.delta, how)
                .epsilon;
  if (options.json) {
    const Json value = options.solve == "steps" ? Json(static_cast<std::int64_t>(answer.solved))
                                                : Json(answer.solved);
    print(Json{{*options.solve, value}, {"epsilon", json(spent)}, {"delta", double{target.delta}}});
    return;
  }
  print(Rows{{*options.solve, fmt::format("{}", answer.solved)},
             {"epsilon", nothing_fits ? "not even one step fits" : upper_end(spent)},
             {"delta", fmt::format("{}", double{target.delta})}});
}

}  // namespace

void add_calibrate(CLI::App& app) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command = app.add_subcommand(
      "calibrate", "The least noise, the most steps or the highest rate within a budget");
  command->add_option("--solve", options->solve, "What to find: noise, steps or rate")
      ->type_name("NAME")
      ->required();
  command->add_option("--epsilon", options->epsilon, "Budget; never overshot")->type_name("X");
  command->add_option("--delta", options->delta, "Probability, 1e-300 to 1")->type_name("X");
  add_to(*command, options->mechanism);
  add_to(*command, options->accounting);
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer("Example: ration calibrate --solve steps --noise 100 --epsilon 0.8 --delta 1e-5");
  command->callback([options] { run(*options); });
}

}  // namespace ration::cli
