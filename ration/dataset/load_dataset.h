// The one way to a data set, wherever it comes from. What is wrong with it is refused with a
// sentence that says where; sizes are checked before memory is taken, and loading needs less than
// twice the memory of what is loaded. The names of labels, columns and groups, and the numbers of
// people, count as public; all else in a Dataset is private. docs/data.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ration/dataset/dataset.h"
#include "ration/dataset/feature_csv.h"
#include "ration/dataset/groups.h"
#include "ration/dataset/person_ids.h"
#include "ration/dataset/preparation.h"

namespace ration {

// Images and their classes (idx.h). Without test files there are no test people. Files of ids
// (person_ids.h) say whose each row is: of all rows, or of none.
struct IdxSource {
  std::filesystem::path train_images, train_labels;
  std::filesystem::path test_images = {}, test_labels = {};
  std::filesystem::path train_ids = {}, test_ids = {};
};
// The four files of MNIST and its kin in a folder: train-images-idx3-ubyte,
// train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, each of them plain or
// with .gz at its end.
IdxSource idx_source_in(const std::filesystem::path& folder);

// NumPy's arrays (array_people.h), again with test files or without.
struct NpySource {
  std::filesystem::path train_features, train_labels;
  std::filesystem::path test_features = {}, test_labels = {};
  std::filesystem::path train_ids = {}, test_ids = {};
};

// Tables with a header (feature_csv.h), again with a test file or without.
struct CsvSource {
  std::filesystem::path train, test = {};
  CsvColumns columns;
};

// The synthetic clinical cohort (cohort.h).
struct CohortSource {
  std::size_t people = 29'250, test_people = 6'281;
  std::uint64_t seed = 1;
};

using DataSource = std::variant<IdxSource, NpySource, CsvSource, CohortSource>;

struct DataOptions {
  std::optional<Standardisation> standardise = {};
  std::optional<Split> split = {};  // only for sources without test people
  Grouping groups = {};
  Records records = Records::one;  // together only where there are ids
};

// The files that are read for it.
std::vector<std::filesystem::path> files_of(const DataSource& source, const DataOptions& options);

Dataset load_dataset(const DataSource& source, const DataOptions& options = {});

}  // namespace ration
