#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "ration/base/error.h"
#include "ration/compose/compose.h"
#include "ration/compose/household.h"
#include "ration/file/atomic_file.h"
#include "ration/file/inputs_and_outputs.h"
#include "ration/mechanism/mechanism_csv.h"

namespace ration::cli {
namespace {

struct ComposeOptions {
  MechanismOptions mechanism;
  AccountingOptions accounting;
  Text plan, laplace, response, answers, pair, epsilon, delta, curve, from, to, points, household;
  bool json = false;
};

// Which one of the ways to say what is run was used.
Plan plan_of(const ComposeOptions& options) {
  const auto& [noise, rate, steps] = options.mechanism;
  const int ways = options.plan.has_value() + options.laplace.has_value() +
                   options.response.has_value() + options.pair.has_value() + noise.has_value();
  if (ways > 1) {
    throw Error(
        "more than one of --noise, --plan, --laplace, --response and --pair is given: give one");
  }
  if (options.plan && (rate || steps)) {
    throw Error("--plan is given together with --rate or --steps: the file holds both");
  }
  if (options.answers && !options.response) {
    throw Error("--answers belongs to --response: give it, or leave --answers out");
  }
  if (options.plan) return read_plan(std::filesystem::path(*options.plan));
  const bool normal = !options.laplace && !options.response && !options.pair;
  if (normal) {
    return {entry({.noise = noise_of(options.mechanism),
                   .rate = rate_of(options.mechanism),
                   .steps = steps_of(options.mechanism)})};
  }
  if (rate) throw Error("--rate belongs to --noise: sampling is known for normal noise only");
  const Steps count = steps ? number("--steps", *steps) : 1;
  if (options.laplace) return {{Laplace{.noise = number("--laplace", *options.laplace)}, count}};
  if (options.pair) return {{read_pair(std::filesystem::path(*options.pair)), count}};
  const double answers = options.answers ? number("--answers", *options.answers) : 2;
  return {{RandomisedResponse{.truth = number("--response", *options.response), .options = answers},
           count}};
}

Privacy account_for(const ComposeOptions& options) {
  if (options.delta.has_value() == options.epsilon.has_value()) {
    throw Error("compose takes --delta to find epsilon, or --epsilon to find delta: give one");
  }
  const Plan plan = plan_of(options);
  const Accounting how = accounting_of(options.accounting);
  const int people = household_of(options.household);
  return options.delta
             ? compose_household(plan, number("--delta", *options.delta), people, how)
             : delta_at_household(plan, number("--epsilon", *options.epsilon), people, how);
}

// Refuses to write over what is read.
void check_files(const ComposeOptions& options) {
  NamedFiles inputs;
  if (options.plan) inputs.push_back({"--plan", *options.plan});
  if (options.pair) inputs.push_back({"--pair", *options.pair});
  check_apart(inputs, options.curve ? NamedFiles{{"--curve", *options.curve}} : NamedFiles{});
}

// delta over a range of eps, as CSV: two columns, lower and upper end, for each method.
void write_curve(AtomicFile& file, const ComposeOptions& options, const Privacy& found) {
  const Plan plan = plan_of(options);
  const std::vector<Method> methods = methods_for(plan);
  const double twice = std::min(1e8, std::max(1.0, 2 * found.epsilon.upper));
  const double points = options.points ? number("--points", *options.points) : 101;
  if (!(points >= 2 && points <= 1e6)) refuse("--points", points, "a number from 2 to 1e6");
  const CurveRange range = {.from = options.from ? number("--from", *options.from) : 0,
                            .to = options.to ? number("--to", *options.to) : twice,
                            .points = static_cast<int>(points)};
  const std::vector<CurvePoint> curve = delta_curve(plan, methods, range);
  file.write("epsilon");
  for (const Method m : methods) file.write(fmt::format(",{0}_lower,{0}_upper", name(m)));
  for (const CurvePoint& point : curve) {
    file.write(fmt::format("\n{}", point.epsilon));
    for (const Bound& delta : point.delta) {
      file.write(fmt::format(",{},{}", delta.lower, delta.upper));
    }
  }
  file.write("\n");
  file.commit();
}

void run(const ComposeOptions& options) {
  check_files(options);
  if (options.household && options.curve) {
    throw Error("--curve is of one person: leave it out, or leave --household out");
  }
  // Opened before the work is done: what cannot be written is told at once.
  std::optional<AtomicFile> curve;
  if (options.curve) {
    check_can_write("--curve", *options.curve);
    curve.emplace(*options.curve, AtomicFile::Readers::everybody);
  }
  const Privacy found = account_for(options);
  if (curve) {
    write_curve(*curve, options, found);
  } else if (options.from || options.to || options.points) {
    throw Error("--from, --to and --points belong to --curve: give it, or leave them out");
  }
  if (options.json) {
    Json document = {{"epsilon", json(found.epsilon)},
                     {"delta", json(found.delta)},
                     {"direction", name(found.direction)},
                     {"method", name(found.method)},
                     {"guarantee", json(found.guarantee)}};
    if (options.household) document["household"] = household_of(options.household);
    if (found.errors) {
      document["errors"] = {{"grid", found.errors->grid},
                            {"tail", found.errors->tail},
                            {"wrap", found.errors->wrap},
                            {"rounding", found.errors->rounding}};
    }
    print(document);
    return;
  }
  const std::string_view of = found.method == Method::rdp ? "the best Renyi bound" : "the truth";
  const bool chained = household_of(options.household) > 1 && found.method != Method::gdp;
  const auto shown_end = [&](const Bound& bound) {
    if (!chained || bound.lower == bound.upper) return upper_end(bound, of);
    return fmt::format("{}   (an upper bound; for one person alone at least {})",
                       rounded_up(bound.upper), rounded_down(bound.lower));
  };
  Rows rows = {
      {"epsilon", shown_end(found.epsilon)},
      {"delta", shown_end(found.delta)},
      {"method", fmt::format("{}, {} direction", name(found.method), name(found.direction))}};
  if (found.errors) {
    rows.emplace_back("errors",
                      fmt::format("of delta: grid {:.1e}, tail {:.1e}, wrap-around {:.1e}, "
                                  "rounding {:.1e}",
                                  found.errors->grid, found.errors->tail, found.errors->wrap,
                                  found.errors->rounding));
  }
  rows.emplace_back("guarantee", found.guarantee.theorem);
  rows.emplace_back("neighbours", found.guarantee.neighbours);
  print(rows);
}

}  // namespace

void add_compose(CLI::App& app) {
  auto options = std::make_shared<ComposeOptions>();
  CLI::App* command =
      app.add_subcommand("compose", "What a whole plan costs: epsilon at a delta, or the reverse");
  add_to(*command, options->mechanism);
  command
      ->add_option("--plan", options->plan, "Instead: a CSV file with the columns noise,rate,steps")
      ->type_name("FILE");
  command
      ->add_option("--laplace", options->laplace,
                   "Instead: Laplace noise of this scale, divided by what one person can change")
      ->type_name("X");
  command
      ->add_option("--response", options->response,
                   "Instead: randomised response that tells the truth with this probability")
      ->type_name("P");
  command
      ->add_option("--answers", options->answers,
                   "For --response: how many answers there are, by default 2")
      ->type_name("N");
  command
      ->add_option("--pair", options->pair,
                   "Instead: a CSV file of two columns, the probability of each outcome with the "
                   "person and without")
      ->type_name("FILE");
  command->add_option("--delta", options->delta, "Find epsilon at this delta")->type_name("X");
  command->add_option("--epsilon", options->epsilon, "Find delta at this epsilon")->type_name("X");
  add_household(*command, options->household);
  add_to(*command, options->accounting);
  command
      ->add_option("--curve", options->curve,
                   "Also write delta over a range of epsilon under every method, as CSV")
      ->type_name("FILE");
  command->add_option("--from", options->from, "Start of the curve, by default 0")->type_name("X");
  command->add_option("--to", options->to, "End of the curve, by default twice the epsilon found")
      ->type_name("X");
  command->add_option("--points", options->points, "How many points, by default 101")
      ->type_name("N");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer("Example: ration compose --noise 2 --rate 0.005 --steps 10000 --delta 1e-6");
  command->callback([options] { run(*options); });
}

}  // namespace ration::cli
