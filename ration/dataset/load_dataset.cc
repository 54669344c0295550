#include "ration/dataset/load_dataset.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "ration/base/error.h"
#include "ration/dataset/array_people.h"
#include "ration/dataset/cohort.h"
#include "ration/dataset/person_ids.h"
#include "ration/file/idx.h"
#include "ration/file/open_file.h"

namespace ration {
namespace {

namespace fs = std::filesystem;

void check_one_label_each(std::size_t people, std::size_t labels, const fs::path& file) {
  if (people == labels) return;
  refuse(file.string(), fmt::format("of {} people", labels),
         fmt::format("labels of the {} people of its features", people));
}

// Both or neither.
bool has_test(const fs::path& features, const fs::path& labels) {
  if (features.empty() != labels.empty()) {
    refuse(features.empty() ? "file of test features" : "file of test labels", "not given",
           "both files of the test people, or neither");
  }
  return !features.empty();
}

std::string folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path().string() : ".";
}

// Rows, and whose they are if that was given.
struct Rows {
  Dataset data;
  IdColumn train_ids = {}, test_ids = {};
};

void read_ids(Rows& rows, const fs::path& train, const fs::path& test) {
  if (train.empty() && test.empty()) return;
  const bool tested = rows.data.test.records() > 0;
  if (train.empty() || test.empty() != !tested) {
    refuse(train.empty() ? "file of training ids" : "file of test ids",
           train.empty() || tested ? "not given" : "given without test people",
           "ids of all people, or of none");
  }
  rows.train_ids = read_id_lines(train, rows.data.train.records());
  if (tested) rows.test_ids = read_id_lines(test, rows.data.test.records());
}

struct Loader {
  Rows operator()(const IdxSource& source) const {
    Rows rows = {.data = dataset(source)};
    read_ids(rows, source.train_ids, source.test_ids);
    return rows;
  }

  Rows operator()(const NpySource& source) const {
    Rows rows = {.data = dataset(source)};
    read_ids(rows, source.train_ids, source.test_ids);
    return rows;
  }

  Rows operator()(const CsvSource& source) const {
    FeatureCsv train = read_feature_csv(source.train, source.columns);
    Rows rows = {.data = {.description = "CSV file " + source.train.string()}};
    if (!source.test.empty()) {
      FeatureCsv test = read_feature_csv(source.test, source.columns, train);
      rows.data.test = std::move(test.people);
      rows.test_ids = std::move(test.ids);
    }
    rows.data.train = std::move(train.people);
    rows.train_ids = std::move(train.ids);
    return rows;
  }

  Rows operator()(const CohortSource& source) const {
    return {.data = synthetic_cohort({.train = source.people, .test = source.test_people},
                                     source.seed)};
  }

 private:
  static Dataset dataset(const IdxSource& source) {
    const auto classes = [](const fs::path& file, std::size_t people) {
      const auto bytes = read_idx_bytes(file);
      check_one_label_each(people, bytes.size(), file);
      return std::vector<std::uint16_t>(bytes.begin(), bytes.end());
    };
    Dataset data{.description = "IDX files in " + folder_of(source.train_images)};
    data.train.features = read_idx_rows(source.train_images);
    data.train.labels = class_labels(classes(source.train_labels, data.train.count()),
                                     source.train_labels.string());
    if (!has_test(source.test_images, source.test_labels)) return data;
    data.test.features = read_idx_rows(source.test_images);
    data.test.labels = class_labels(classes(source.test_labels, data.test.count()),
                                    data.train.labels, source.test_labels.string());
    return data;
  }

  static Dataset dataset(const NpySource& source) {
    Dataset data{.description = "NPY files in " + folder_of(source.train_features)};
    data.train.features = read_npy_rows(source.train_features);
    data.train.labels = read_npy_labels(source.train_labels);
    check_one_label_each(data.train.count(), data.train.labels.records(), source.train_labels);
    if (!has_test(source.test_features, source.test_labels)) return data;
    data.test.features = read_npy_rows(source.test_features);
    data.test.labels = read_npy_labels(source.test_labels, data.train.labels);
    check_one_label_each(data.test.count(), data.test.labels.records(), source.test_labels);
    return data;
  }
};

void check_alike(const Dataset& data) {
  if (data.test.count() == 0 || data.test.features.columns == data.train.features.columns) return;
  refuse("test features", fmt::format("{} columns wide", data.test.features.columns),
         fmt::format("the {} of training", data.train.features.columns));
}

void standardise(Dataset& data, const Standardisation& by) {
  standardise(data.train.features, by, "training features");
  if (data.test.count() > 0) standardise(data.test.features, by, "test features");
}

void read_group_files(Dataset& data, const GroupsFromFiles& files) {
  data.train.groups = read_groups(files.train, data.train.count());
  if (data.test.count() > 0 && !files.test.empty())
    data.test.groups = read_groups(files.test, data.test.count());
}

void split(Dataset& data, const Split& split) {
  if (data.test.count() > 0) {
    refuse("split", "given for data that have test people", "either a split or test people");
  }
  data.test = take_out(data.train, test_people(data.train.count(), split));
}

void group_by_label(Dataset& data, const GroupsByLabel& by) {
  data.train.groups = groups_by_label(data.train.labels, by);
  if (data.test.count() > 0) data.test.groups = groups_by_label(data.test.labels, by);
}

// Rows become people: from here on a person is one, however many records they have.
void make_people(Rows& rows, Records records) {
  if (rows.train_ids.empty()) {
    if (records == Records::one) return;
    refuse("records to take together", "without ids", "whose each row is");
  }
  make_people(rows.data.train, rows.train_ids, records);
  if (rows.data.test.records() == 0) return;
  make_people(rows.data.test, rows.test_ids, records);
  check_apart(rows.train_ids, rows.test_ids);
}

struct FilesOf {
  std::vector<fs::path> operator()(const IdxSource& s) const {
    return {s.train_images, s.train_labels, s.test_images, s.test_labels, s.train_ids, s.test_ids};
  }
  std::vector<fs::path> operator()(const NpySource& s) const {
    return {s.train_features, s.train_labels, s.test_features,
            s.test_labels,    s.train_ids,    s.test_ids};
  }
  std::vector<fs::path> operator()(const CsvSource& s) const { return {s.train, s.test}; }
  std::vector<fs::path> operator()(const CohortSource&) const { return {}; }
};

}  // namespace

std::vector<fs::path> files_of(const DataSource& source, const DataOptions& options) {
  std::vector<fs::path> files = std::visit(FilesOf{}, source);
  if (const auto* groups = std::get_if<GroupsFromFiles>(&options.groups)) {
    files.insert(files.end(), {groups->train, groups->test});
  }
  std::erase_if(files, [](const fs::path& file) { return file.empty(); });
  return files;
}

IdxSource idx_source_in(const fs::path& folder) {
  const auto file = [&](const char* name) {
    for (const fs::path& path : {folder / name, folder / (std::string(name) + ".gz")})
      if (is_there(path)) return path;
    refuse(folder.string(), fmt::format("without {} and {}.gz", name, name),
           "a folder with the four IDX files of MNIST or its kin");
  };
  return {.train_images = file("train-images-idx3-ubyte"),
          .train_labels = file("train-labels-idx1-ubyte"),
          .test_images = file("t10k-images-idx3-ubyte"),
          .test_labels = file("t10k-labels-idx1-ubyte")};
}

Dataset load_dataset(const DataSource& source, const DataOptions& options) try {
  Rows rows = std::visit(Loader{}, source);
  Dataset& data = rows.data;
  check_alike(data);
  if (options.standardise) standardise(data, *options.standardise);
  // Groups are those of rows at first, and files tell of all of them in the order of the source.
  const bool grouped = !data.train.groups.labels.empty();
  if (grouped && !std::holds_alternative<std::monostate>(options.groups)) {
    refuse("groups", "given twice", "a group column, or another way to group");
  }
  if (const auto* files = std::get_if<GroupsFromFiles>(&options.groups))
    read_group_files(data, *files);
  if (const auto* by = std::get_if<GroupsByLabel>(&options.groups)) group_by_label(data, *by);
  make_people(rows, options.records);
  if (options.split) split(data, *options.split);
  share_labels(data.train.groups, data.test.groups);
  return std::move(data);
} catch (const std::bad_alloc&) {
  throw Error("there is not enough memory for these data: give fewer people or columns");
}

}  // namespace ration
