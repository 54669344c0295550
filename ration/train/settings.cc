#include "ration/train/settings.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "ration/base/error.h"
#include "ration/compose/calibrate.h"
#include "ration/control/renyi_currency.h"
#include "ration/file/csv.h"
#include "ration/results/moments_csv.h"
#include "ration/train/toml_reader.h"

namespace ration::train {
namespace {

std::string required_text(TomlReader& in, std::string_view section, std::string_view key,
                          std::string_view accepted) {
  auto text = in.text(section, key);
  if (!text) throw Error(fmt::format("{}.{} is missing: give {}", section, key, accepted));
  return *std::move(text);
}

DataSource idx_source(TomlReader& in) {
  if (const auto directory = in.text("data", "directory")) return idx_source_in(*directory);
  return IdxSource{.train_images = required_text(in, "data", "train_images", "an IDX file"),
                   .train_labels = required_text(in, "data", "train_labels", "an IDX file"),
                   .test_images = in.text("data", "test_images").value_or(""),
                   .test_labels = in.text("data", "test_labels").value_or("")};
}

DataSource npy_source(TomlReader& in) {
  return NpySource{.train_features = required_text(in, "data", "train_features", "an NPY file"),
                   .train_labels = required_text(in, "data", "train_labels", "an NPY file"),
                   .test_features = in.text("data", "test_features").value_or(""),
                   .test_labels = in.text("data", "test_labels").value_or("")};
}

DataSource csv_source(TomlReader& in) {
  auto labels = in.texts("data", "labels");
  if (!labels || labels->empty()) {
    throw Error("data.labels is missing: give the names of the columns that hold labels");
  }
  const bool by_column = in.text("groups", "by") == "column";
  return CsvSource{
      .train = required_text(in, "data", "train", "a CSV file"),
      .test = in.text("data", "test").value_or(""),
      .columns = {.labels = *std::move(labels),
                  .group = by_column ? required_text(in, "groups", "column", "a column") : "",
                  .leave_out = in.texts("data", "leave_out").value_or(std::vector<std::string>{})}};
}

DataSource cohort_source(TomlReader& in) {
  CohortSource source;
  source.people = in.whole("data", "people").value_or(source.people);
  source.test_people = in.whole("data", "test_people").value_or(source.test_people);
  source.seed = in.whole("data", "seed").value_or(source.seed);
  return source;
}

DataSource source_of(TomlReader& in) {
  constexpr std::string_view kAccepted = "idx, npy, csv or cohort";
  const std::string kind = required_text(in, "data", "source", kAccepted);
  if (kind == "idx") return idx_source(in);
  if (kind == "npy") return npy_source(in);
  if (kind == "csv") return csv_source(in);
  if (kind == "cohort") return cohort_source(in);
  refuse("data.source", "'" + kind + "'", kAccepted);
}

std::optional<Standardisation> standardisation_of(TomlReader& in) {
  auto mean = in.numbers("data", "mean"), scale = in.numbers("data", "scale");
  if (!mean && !scale) return std::nullopt;
  return Standardisation{.mean = mean.value_or(std::vector{0.0}),
                         .scale = scale.value_or(std::vector{1.0})};
}

std::optional<Split> split_of(TomlReader& in) {
  const auto fraction = in.number("data", "test_fraction");
  const auto seed = in.whole("data", "split_seed");
  if (!fraction) {
    if (seed) throw Error("data.split_seed belongs to data.test_fraction: give both");
    return std::nullopt;
  }
  return Split{.test_fraction = *fraction, .seed = seed.value_or(0)};
}

// A column of groups is a part of its CSV file.
Grouping grouping_of(TomlReader& in, const DataSource& source) {
  const auto by = in.text("groups", "by");
  if (!by) return {};
  if (*by == "column") {
    if (std::holds_alternative<CsvSource>(source)) return {};
    throw Error("groups.by is 'column': give label or file where the data are no CSV files");
  }
  if (*by == "label") return GroupsByLabel{.label = in.text("groups", "label").value_or("")};
  if (*by == "file") {
    return GroupsFromFiles{.train = required_text(in, "groups", "train", "a file of groups"),
                           .test = in.text("groups", "test").value_or("")};
  }
  refuse("groups.by", "'" + *by + "'", "label, column or file");
}

}  // namespace

DataSettings data_settings(TomlReader& in) {
  DataSettings settings = {.source = source_of(in), .options = {}};
  settings.options = {.standardise = standardisation_of(in),
                      .split = split_of(in),
                      .groups = grouping_of(in, settings.source)};
  return settings;
}

namespace {

template <class Value>
Value required(std::optional<Value> value, std::string_view what, std::string_view accepted) {
  if (!value) throw Error(fmt::format("{} is missing: give {}", what, accepted));
  return *std::move(value);
}

Activation activation_of(TomlReader& in) {
  const std::string text = in.text("model", "activation").value_or("relu");
  for (const Activation activation : {Activation::relu, Activation::tanh}) {
    if (text == name(activation)) return activation;
  }
  refuse("model.activation", "'" + text + "'", "relu or tanh");
}

OptimiserRule optimiser_of(TomlReader& in) {
  const std::string kind = in.text("optimiser", "kind").value_or("adam");
  const double rate = required(in.number("optimiser", "rate"), "optimiser.rate", "a learning rate");
  const double decay = in.number("optimiser", "weight_decay").value_or(0);
  const auto momentum = in.number("optimiser", "momentum");
  if (kind == "sgd") {
    return SgdRule{.rate = rate, .momentum = momentum.value_or(0), .weight_decay = decay};
  }
  if (kind != "adam") refuse("optimiser.kind", "'" + kind + "'", "adam or sgd");
  if (momentum) throw Error("optimiser.momentum belongs to kind sgd: leave it out");
  return AdamRule{.rate = rate, .weight_decay = decay};
}

enum class Mode { gd, sgd, none };
Mode mode_of(TomlReader& in) {
  const std::string text =
      required(in.text("privacy", "mode"), "privacy.mode", "\"gd\", \"sgd\" or \"none\"");
  if (text == "gd") return Mode::gd;
  if (text == "sgd") return Mode::sgd;
  if (text == "none") return Mode::none;
  refuse("privacy.mode", "'" + text + "'",
         "gd (everybody at every step), sgd (Poisson samples) or none");
}

double rate_of(TomlReader& in, Mode mode) {
  const auto rate = in.number("privacy", "rate");
  if (mode == Mode::gd && rate && *rate != 1) {
    refuse("privacy.rate", *rate, "1 where privacy.mode is gd, or mode sgd");
  }
  if (mode == Mode::sgd && !(rate && *rate < 1)) {
    throw Error("privacy.mode is sgd: give privacy.rate, a probability below 1");
  }
  return rate.value_or(1);
}

std::optional<std::uint64_t> refresh_of(TomlReader& in, Mode mode) {
  const auto norms = in.text("privacy", "norms");
  const auto refresh = in.whole("privacy", "refresh");
  if (mode != Mode::sgd) {
    if (norms.value_or("exact") == "exact" && !refresh) return 1;
    throw Error(
        "privacy.norms and privacy.refresh belong to mode sgd: with everybody at every step norms "
        "are exact");
  }
  const std::string kind = norms.value_or("held");
  if (kind == "held") {
    return required(refresh, "privacy.refresh",
                    "after how many steps everybody's norm is computed anew");
  }
  if (kind != "exact" && kind != "clip") {
    refuse("privacy.norms", "'" + kind + "'", "exact, held or clip");
  }
  const auto meant = kind == "exact" ? std::optional<std::uint64_t>(1) : std::nullopt;
  if (refresh && refresh != meant) {
    throw Error("privacy.refresh belongs to norms held: leave it out");
  }
  return meant;
}

// What a filter may let a person spend, as it was given.
struct BudgetSettings {
  CurrencyPtr currency = {};  // none: no filter
  std::optional<double> epsilon = {}, mu = {};
  std::optional<std::uint64_t> after_epochs = {};
};
BudgetSettings budget_settings(TomlReader& in, Mode mode) {
  BudgetSettings given = {.epsilon = in.number("filter", "epsilon"),
                          .mu = in.number("filter", "mu"),
                          .after_epochs = in.whole("filter", "after_epochs")};
  const bool budgeted = given.epsilon || given.mu || given.after_epochs;
  const std::string by_default = !budgeted ? "none" : mode == Mode::sgd ? "rdp" : "gdp";
  const std::string kind = in.text("filter", "kind").value_or(by_default);
  if (kind != "none") given.currency = currency_named(kind);
  if (given.epsilon.has_value() + given.mu.has_value() + given.after_epochs.has_value() > 1) {
    throw Error("[filter] has several budgets: give one of epsilon, mu and after_epochs");
  }
  if (given.currency && !budgeted) {
    throw Error("[filter] has no budget: give epsilon, mu or after_epochs");
  }
  if (given.after_epochs && *given.after_epochs == 0) {
    refuse("filter.after_epochs", 0, "a whole number from 1");
  }
  return given;
}

// What is left of an epsilon for exact noise.
double exact_part(double epsilon) {
  if (!(epsilon > 1e-6)) refuse("epsilon", epsilon, "a number above 1e-6");
  return epsilon - 2 * kComputedEpsilon;
}

// The noise that was given, or the least that keeps to an epsilon: over all epochs, or over those
// that the filter's budget is worth. A Renyi filter accounts for them as it will.
double noise_of(TomlReader& in, TrainingPlan& plan, const BudgetSettings& budget) {
  const auto noise = in.number("privacy", "noise"), epsilon = in.number("privacy", "epsilon");
  if (noise.has_value() == epsilon.has_value()) {
    throw Error(
        "[privacy] needs either noise, or epsilon for which the noise is to be found: give one");
  }
  if (noise) return *noise;
  const std::uint64_t epochs = budget.after_epochs.value_or(plan.epochs);
  Accounting how = {};
  if (budget.currency && budget.currency->takes_sampling() && budget.after_epochs) {
    how = {.method = Method::rdp, .orders = default_orders()};
  }
  return calibrate_noise(
      {.epsilon = exact_part(*epsilon), .delta = accounted_delta(plan)},
      {.rate = plan.step.rate, .steps = static_cast<double>(epochs * plan.steps_per_epoch())}, how);
}

std::optional<FilterPlan> filter_of(const TrainingPlan& plan, const BudgetSettings& given) {
  if (!given.currency) return std::nullopt;
  const auto shape = plan.sampled() ? std::optional(plan.step) : std::nullopt;
  if (given.mu) return FilterPlan{.currency = given.currency, .budget = MuBudget{.mu = *given.mu}};
  if (given.epsilon) {
    return FilterPlan{
        .currency = given.currency,
        .budget = EpsilonBudget{
            .epsilon = exact_part(*given.epsilon), .delta = accounted_delta(plan), .shape = shape}};
  }
  const auto steps = static_cast<double>(*given.after_epochs * plan.steps_per_epoch());
  return FilterPlan{.currency = given.currency,
                    .budget = StepsBudget{.step = plan.step, .steps = steps}};
}

std::vector<std::size_t> follow_of(TomlReader& in) {
  const auto given = in.wholes("run", "follow").value_or(std::vector<std::uint64_t>{});
  std::vector<std::size_t> who(given.begin(), given.end());
  results::check_followed(who, "run.follow");
  return who;
}

TrainingPlan plan_of(TomlReader& in, Mode mode, double rate, std::uint64_t epochs) {
  const double clip = required(in.number("privacy", "clip"), "privacy.clip", "a bound on norms");
  const double delta = required(in.number("privacy", "delta"), "privacy.delta", "a probability");
  TrainingPlan plan = {.step = {.noise = 1, .clip = clip, .rate = rate},
                       .delta = delta,
                       .epochs = epochs,
                       .refresh = refresh_of(in, mode)};
  const BudgetSettings budget = budget_settings(in, mode);
  plan.step.noise = noise_of(in, plan, budget);
  plan.filter = filter_of(plan, budget);
  check(plan);
  return plan;
}

// A run without privacy takes the settings of a private one and leaves them alone.
void look_past_privacy(TomlReader& in) {
  for (const char* key : {"noise", "epsilon", "clip", "delta", "refresh"})
    in.number("privacy", key);
  in.text("privacy", "norms");
  in.text("filter", "kind");
  for (const char* key : {"epsilon", "mu", "after_epochs"}) in.number("filter", key);
}

}  // namespace

Settings parse_settings(std::string_view text, const std::string& source,
                        std::span<const std::string> overrides) {
  TomlReader in(text, source, overrides);
  Settings settings = {.data = data_settings(in),
                       .hidden = {},
                       .activation = activation_of(in),
                       .optimiser = optimiser_of(in),
                       .plan = {},
                       .plain = {},
                       .test_seed = in.whole("run", "test_seed"),
                       .checkpoint_seconds = in.number("run", "checkpoint_seconds").value_or(10),
                       .out = in.text("run", "out").value_or("run"),
                       .follow = follow_of(in),
                       .text = {},
                       .shown_text = {}};
  const auto hidden = in.wholes("model", "hidden").value_or(std::vector<std::uint64_t>{});
  settings.hidden.assign(hidden.begin(), hidden.end());
  const std::uint64_t epochs =
      required(in.whole("run", "epochs"), "run.epochs", "a whole number from 1");
  const Mode mode = mode_of(in);
  const double rate = rate_of(in, mode);
  if (mode == Mode::none) {
    look_past_privacy(in);
    if (epochs == 0) refuse("run.epochs", 0, "a whole number from 1");
    settings.plain = {.rate = rate, .epochs = epochs};
  } else {
    settings.plan = plan_of(in, mode, rate, epochs);
  }
  in.finish();
  constexpr std::string_view kLeftOut[] = {"run.out", "run.checkpoint_seconds", "run.follow"};
  settings.text = in.canonical(std::span(kLeftOut).first(2));
  settings.shown_text = in.canonical(kLeftOut);
  return settings;
}

Settings read_settings(const std::filesystem::path& file, std::span<const std::string> overrides) {
  std::ifstream in = csv::open("settings", file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse_settings(text, file.string(), overrides);
}

Architecture architecture_of(const Settings& settings, const People& people) {
  Architecture architecture = {
      .inputs = people.features.columns,
      .outputs = people.labels.count(),
      .hidden = settings.hidden,
      .activation = settings.activation,
      .loss = people.labels.kind == LabelKind::one ? Loss::softmax : Loss::binary};
  check(architecture);
  return architecture;
}

}  // namespace ration::train
