#include "ration/train/data_settings.h"

#include <fmt/format.h>

#include "ration/base/error.h"

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

}  // namespace ration::train
