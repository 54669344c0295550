#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "ration/base/error.h"
#include "ration/loss/gdp.h"
#include "ration/numeric/interval.h"

namespace ration::cli {
namespace {

struct ConvertOptions {
  Text mu, epsilon, delta, household;
  bool json = false;
};

// mu is of one person; eps and delta, like `together`, are of all who are asked about.
struct Triple {
  Bound mu, together, epsilon, delta;
};

// k people have k mu.
Bound times(int people, const Bound& mu) { return people == 1 ? mu : double(people) * mu; }
Bound divided(const Bound& mu, int people) { return people == 1 ? mu : mu / double(people); }

Triple solve(const ConvertOptions& given) {
  if (given.mu.has_value() + given.epsilon.has_value() + given.delta.has_value() != 2) {
    throw Error("convert takes two of --mu, --epsilon and --delta: give exactly two of them");
  }
  const int people = household_of(given.household);
  const double mu = given.mu ? number("--mu", *given.mu) : 0;
  const double epsilon = given.epsilon ? number("--epsilon", *given.epsilon) : 0;
  const double delta = given.delta ? number("--delta", *given.delta) : 0;
  if (!given.mu) {
    const Bound together = gdp::mu({.epsilon = epsilon, .delta = delta});
    return {divided(together, people), together, exactly(epsilon), exactly(delta)};
  }
  // eps and delta grow with mu, so the ends of mu give the ends of the answer.
  const Bound together = times(people, exactly(mu));
  if (!given.delta) {
    return {exactly(mu), together, exactly(epsilon),
            hull(gdp::delta({.epsilon = epsilon, .mu = together.lower}),
                 gdp::delta({.epsilon = epsilon, .mu = together.upper}))};
  }
  return {exactly(mu), together,
          hull(gdp::epsilon({.mu = together.lower, .delta = delta}),
               gdp::epsilon({.mu = together.upper, .delta = delta})),
          exactly(delta)};
}

// What the best membership attack can do against this mu.
struct Attacks {
  Bound advantage, one_percent, one_per_mille;
};
Attacks attacks_on(const Bound& mu) {
  const auto with = [](double m) {
    return Attacks{gdp::advantage(m),
                   gdp::true_positive_rate({.mu = m, .false_positive_rate = 0.01}),
                   gdp::true_positive_rate({.mu = m, .false_positive_rate = 0.001})};
  };
  if (mu.upper > 20000) return {exactly(1), exactly(1), exactly(1)};
  const Attacks low = with(mu.lower), high = with(mu.upper);
  return {hull(low.advantage, high.advantage), hull(low.one_percent, high.one_percent),
          hull(low.one_per_mille, high.one_per_mille)};
}

void run(const ConvertOptions& options) {
  const Triple found = solve(options);
  const Attacks attacks = attacks_on(found.together);
  if (options.json) {
    Json document = {{"mu", json(found.mu)},
                     {"epsilon", json(found.epsilon)},
                     {"delta", json(found.delta)},
                     {"attack",
                      {{"advantage", json(attacks.advantage)},
                       {"true_positive_rate_at_0.01", json(attacks.one_percent)},
                       {"true_positive_rate_at_0.001", json(attacks.one_per_mille)}}}};
    if (options.household) {
      document["household"] = {{"people", household_of(options.household)},
                               {"mu", json(found.together)}};
    }
    print(document);
    return;
  }
  // Given eps and delta the answer is the mu that is allowed: its lower end is the safe one.
  Rows rows = {{"mu", options.mu ? upper_end(found.mu) : lower_end(found.mu)}};
  if (options.household) {
    rows.emplace_back("household",
                      fmt::format("{} people: mu {} together, and what follows holds for them all",
                                  household_of(options.household),
                                  options.mu ? rounded_up(found.together.upper)
                                             : rounded_down(found.together.lower)));
  }
  rows.insert(rows.end(), {{"epsilon", upper_end(found.epsilon)},
                           {"delta", upper_end(found.delta)},
                           {"advantage", rounded_up(attacks.advantage.upper) +
                                             "   of the best membership attack"},
                           {"TPR at FPR 1%", rounded_up(attacks.one_percent.upper)},
                           {"TPR at FPR 0.1%", rounded_up(attacks.one_per_mille.upper)}});
  print(rows);
}

}  // namespace

void add_convert(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command =
      app.add_subcommand("convert", "Gaussian DP: any two of mu, epsilon and delta give the third");
  command->add_option("--mu", options->mu, "GDP parameter, 0 to 20000")->type_name("X");
  command->add_option("--epsilon", options->epsilon, "0 to 1e8; with --mu also negative")
      ->type_name("X");
  command->add_option("--delta", options->delta, "Probability, 1e-300 to 1")->type_name("X");
  add_household(*command, options->household);
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer("Example: ration convert --epsilon 1 --delta 1e-5");
  command->callback([options] { run(*options); });
}

}  // namespace ration::cli
