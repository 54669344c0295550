#include "ration/train/settings.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "ration/base/error.h"
#include "ration/results/moments_csv.h"
#include "ration/train/filter_plan.h"
#include "ration/train/toml_reader.h"

namespace ration::train {
namespace {

template <class Value>
Value required(std::optional<Value> value, std::string_view what, std::string_view accepted) {
  if (!value) throw Error(fmt::format("{} is missing: give {}", what, accepted));
  return *std::move(value);
}
std::string required(TomlReader& in, Key<Kind::text> key, std::string_view accepted) {
  return required(in.text(key), (*key).path, accepted);
}

IdxSource idx_images(TomlReader& in) {
  if (const auto directory = in.text("data.directory")) return idx_source_in(*directory);
  return IdxSource{.train_images = required(in, "data.train_images", "an IDX file"),
                   .train_labels = required(in, "data.train_labels", "an IDX file"),
                   .test_images = in.text("data.test_images").value_or(""),
                   .test_labels = in.text("data.test_labels").value_or("")};
}

DataSource idx_source(TomlReader& in) {
  IdxSource source = idx_images(in);
  source.train_ids = in.text("data.train_ids").value_or("");
  source.test_ids = in.text("data.test_ids").value_or("");
  return source;
}

DataSource npy_source(TomlReader& in) {
  return NpySource{.train_features = required(in, "data.train_features", "an NPY file"),
                   .train_labels = required(in, "data.train_labels", "an NPY file"),
                   .test_features = in.text("data.test_features").value_or(""),
                   .test_labels = in.text("data.test_labels").value_or(""),
                   .train_ids = in.text("data.train_ids").value_or(""),
                   .test_ids = in.text("data.test_ids").value_or("")};
}

std::optional<char> separator_of(TomlReader& in) {
  const auto text = in.text("data.separator");
  if (!text) return std::nullopt;
  for (const char separator : {',', ';', '\t', '|'})
    if (*text == std::string(1, separator)) return separator;
  refuse("data.separator", "'" + *text + "'", R"(",", ";", "\t" or "|")");
}

DataSource csv_source(TomlReader& in) {
  auto labels = in.texts("data.labels");
  if (!labels || labels->empty()) {
    throw Error("data.labels is missing: give the names of the columns that hold labels");
  }
  const bool by_column = in.text("groups.by") == "column";
  return CsvSource{.train = required(in, "data.train", "a CSV file"),
                   .test = in.text("data.test").value_or(""),
                   .columns = {.labels = *std::move(labels),
                               .group = by_column ? required(in, "groups.column", "a column") : "",
                               .id = in.text("data.id").value_or(""),
                               .leave_out = in.texts_or_default("data.leave_out"),
                               .categories = in.texts_by_column("data.categories"),
                               .standardise = in.scales_by_column("data.standardise"),
                               .separator = separator_of(in)}};
}

DataSource cohort_source(TomlReader& in) {
  return CohortSource{.people = in.whole_or_default("data.people"),
                      .test_people = in.whole_or_default("data.test_people"),
                      .seed = in.whole_or_default("data.seed")};
}

DataSource source_of(TomlReader& in) {
  constexpr std::string_view kAccepted = "idx, npy, csv or cohort";
  const std::string kind = required(in, "data.source", kAccepted);
  if (kind == "idx") return idx_source(in);
  if (kind == "npy") return npy_source(in);
  if (kind == "csv") return csv_source(in);
  if (kind == "cohort") return cohort_source(in);
  refuse("data.source", "'" + kind + "'", kAccepted);
}

// By position: one-hot columns and constants by name have none that a user could count.
std::optional<Standardisation> standardisation_of(TomlReader& in, const DataSource& source) {
  auto mean = in.numbers("data.mean"), scale = in.numbers("data.scale");
  if (!mean && !scale) return std::nullopt;
  const auto* const csv = std::get_if<CsvSource>(&source);
  if (csv != nullptr && !(csv->columns.categories.empty() && csv->columns.standardise.empty())) {
    throw Error(
        "data.mean and data.scale go by position: beside data.categories or data.standardise give "
        "all constants in data.standardise");
  }
  return Standardisation{.mean = mean.value_or(std::vector{0.0}),
                         .scale = scale.value_or(std::vector{1.0})};
}

std::optional<Split> split_of(TomlReader& in) {
  const auto fraction = in.number("data.test_fraction");
  const auto seed = in.whole("data.split_seed");
  if (!fraction) {
    if (seed) throw Error("data.split_seed belongs to data.test_fraction: give both");
    return std::nullopt;
  }
  return Split{.test_fraction = *fraction, .seed = seed.value_or(0)};
}

struct HasIds {
  bool operator()(const IdxSource& source) const { return !source.train_ids.empty(); }
  bool operator()(const NpySource& source) const { return !source.train_ids.empty(); }
  bool operator()(const CsvSource& source) const { return !source.columns.id.empty(); }
  bool operator()(const CohortSource&) const { return false; }
};

Records records_of(TomlReader& in, const DataSource& source) {
  const std::string kind = in.text("data.records").value_or("one");
  if (kind == "one") return Records::one;
  if (kind != "together") refuse("data.records", "'" + kind + "'", "one or together");
  if (!has_ids(source)) {
    throw Error(
        "data.records is 'together': give data.id, or data.train_ids, which say whose each row is");
  }
  return Records::together;
}

// A column of groups is a part of its CSV file.
Grouping grouping_of(TomlReader& in, const DataSource& source) {
  const auto by = in.text("groups.by");
  if (!by) return {};
  if (*by == "column") {
    if (std::holds_alternative<CsvSource>(source)) return {};
    throw Error("groups.by is 'column': give label or file where the data are no CSV files");
  }
  if (*by == "label") return GroupsByLabel{.label = in.text("groups.label").value_or("")};
  if (*by == "file") {
    return GroupsFromFiles{.train = required(in, "groups.train", "a file of groups"),
                           .test = in.text("groups.test").value_or("")};
  }
  refuse("groups.by", "'" + *by + "'", "label, column or file");
}

}  // namespace

DataSettings data_settings(TomlReader& in) {
  DataSettings settings = {.source = source_of(in), .options = {}};
  settings.options = {.standardise = standardisation_of(in, settings.source),
                      .split = split_of(in),
                      .groups = grouping_of(in, settings.source),
                      .records = records_of(in, settings.source)};
  return settings;
}

bool has_ids(const DataSource& source) { return std::visit(HasIds{}, source); }

namespace {

Activation activation_of(TomlReader& in) {
  const std::string text = in.text_or_default("model.activation");
  for (const Activation activation : {Activation::relu, Activation::tanh}) {
    if (text == name(activation)) return activation;
  }
  refuse("model.activation", "'" + text + "'", "relu or tanh");
}

OptimiserRule optimiser_of(TomlReader& in) {
  const std::string kind = in.text_or_default("optimiser.kind");
  const double rate = required(in.number("optimiser.rate"), "optimiser.rate", "a learning rate");
  const double decay = in.number_or_default("optimiser.weight_decay");
  const auto momentum = in.number("optimiser.momentum");
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
      required(in.text("privacy.mode"), "privacy.mode", "\"gd\", \"sgd\" or \"none\"");
  if (text == "gd") return Mode::gd;
  if (text == "sgd") return Mode::sgd;
  if (text == "none") return Mode::none;
  refuse("privacy.mode", "'" + text + "'",
         "gd (everybody at every step), sgd (Poisson samples) or none");
}

double rate_of(TomlReader& in, Mode mode) {
  const auto rate = in.number("privacy.rate");
  if (mode == Mode::gd && rate && *rate != 1) {
    refuse("privacy.rate", *rate, "1 where privacy.mode is gd, or mode sgd");
  }
  if (mode == Mode::sgd && !(rate && *rate < 1)) {
    throw Error("privacy.mode is sgd: give privacy.rate, a probability below 1");
  }
  return rate.value_or(1);
}

std::optional<std::uint64_t> refresh_of(TomlReader& in, Mode mode) {
  const auto norms = in.text("privacy.norms");
  const auto refresh = in.whole("privacy.refresh");
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

FilterAsk filter_ask(TomlReader& in, const std::optional<std::string>& of_samples) {
  return {.noise = in.number("privacy.noise"),
          .privacy_epsilon = in.number("privacy.epsilon"),
          .kind = in.text("filter.kind"),
          .of_samples = of_samples,
          .epsilon = in.number("filter.epsilon"),
          .mu = in.number("filter.mu"),
          .after_epochs = in.whole("filter.after_epochs")};
}

std::vector<std::string> follow_of(TomlReader& in) {
  std::vector<std::string> who = in.people_or_default("run.follow");
  results::check_followed(who, "run.follow");
  return who;
}

TrainingPlan plan_of(TomlReader& in, Mode mode, double rate, std::uint64_t epochs,
                     const std::optional<std::string>& of_samples) {
  const double clip = required(in.number("privacy.clip"), "privacy.clip", "a bound on norms");
  const double delta = required(in.number("privacy.delta"), "privacy.delta", "a probability");
  TrainingPlan plan = {.step = {.noise = 1, .clip = clip, .rate = rate},
                       .delta = delta,
                       .epochs = epochs,
                       .refresh = refresh_of(in, mode)};
  check(plan);
  settle(plan, filter_ask(in, of_samples));
  check(plan);
  return plan;
}

// A run without privacy takes the settings of a private one and leaves them alone.
void look_past_privacy(TomlReader& in) {
  in.look_past("privacy");
  in.look_past("filter");
}

// What says the same in several ways, of which a file or the options give one.
const std::vector<Alternatives> kAlternatives = {
    {"privacy.noise", "privacy.epsilon"}, {"filter.epsilon", "filter.mu", "filter.after_epochs"}};

std::string norms_in_force(const TrainingPlan& plan) {
  if (!plan.refresh) return "clip";
  return plan.sampled() && *plan.refresh > 1 ? "held" : "exact";
}

// What holds where nothing is given, and is no default in the list.
std::vector<std::string> in_force(const Settings& settings) {
  std::vector<std::string> all = {"privacy.rate=1"};
  if (std::holds_alternative<SgdRule>(settings.optimiser)) all.emplace_back("optimiser.momentum=0");
  if (settings.data.options.split) all.emplace_back("data.split_seed=0");
  if (settings.data.options.standardise) {
    all.insert(all.end(), {"data.mean=0", "data.scale=1"});
  }
  if (!settings.plan) return all;
  all.push_back(fmt::format("privacy.norms={}", norms_in_force(*settings.plan)));
  const auto& filter = settings.plan->filter;
  all.push_back(fmt::format("filter.kind={}", filter ? filter->currency->name() : "none"));
  return all;
}

void add_texts(TomlReader& in, Settings& settings) {
  const std::vector<std::string_view> apart = {"run.out", "run.checkpoint_seconds"};
  const std::vector<std::string_view> shown = {"run.out", "run.follow"};
  const std::vector<std::string_view> kept =
      settings.follow.empty() ? shown : std::vector<std::string_view>{"run.out"};
  settings.identity_before = in.canonical_before(apart);
  settings.given = in.canonical();
  in.fill_in(in_force(settings));
  if (settings.plan) {
    in.replace("privacy.epsilon",
               fmt::format("privacy.noise={}", double{settings.plan->step.noise}));
  }
  settings.text = in.canonical(kept);
  settings.shown_text = in.canonical(shown);
  settings.json = in.json(kept);
  settings.identity = in.canonical(apart);
}

}  // namespace

Settings parse_settings(std::string_view text, const std::string& source,
                        std::span<const std::string> overrides,
                        const std::optional<std::string>& of_samples) {
  TomlReader in(text, source, overrides, kAlternatives);
  Settings settings = {.data = data_settings(in),
                       .hidden = {},
                       .activation = activation_of(in),
                       .optimiser = optimiser_of(in),
                       .plan = {},
                       .plain = {},
                       .noise_for_epsilon = in.number("privacy.epsilon"),
                       .test_seed = in.whole("run.test_seed"),
                       .checkpoint_seconds = in.number_or_default("run.checkpoint_seconds"),
                       .out = in.text_or_default("run.out"),
                       .follow = follow_of(in),
                       .text = {},
                       .shown_text = {},
                       .json = {},
                       .identity = {},
                       .identity_before = {},
                       .given = {},
                       .record = record_of(in)};
  const auto hidden = in.wholes_or_default("model.hidden");
  settings.hidden.assign(hidden.begin(), hidden.end());
  const std::uint64_t epochs =
      required(in.whole("run.epochs"), "run.epochs", "a whole number from 1");
  const Mode mode = mode_of(in);
  const double rate = rate_of(in, mode);
  if (mode == Mode::none) {
    look_past_privacy(in);
    if (epochs == 0) refuse("run.epochs", 0, "a whole number from 1");
    settings.plain = {.rate = rate, .epochs = epochs};
  } else {
    settings.plan = plan_of(in, mode, rate, epochs, of_samples);
  }
  in.finish();
  add_texts(in, settings);
  return settings;
}

Settings read_settings(const std::filesystem::path& file, std::span<const std::string> overrides,
                       const std::optional<std::string>& of_samples) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    refuse("settings", file.string(), "the name of a TOML file that can be read");
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse_settings(text, file.string(), overrides, of_samples);
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
