// People from a CSV file with a header, one row each: columns of labels that the caller names,
// perhaps a column of groups, columns to leave out, and numbers in every other column. Refusals
// name line and column, never the value. Pure functions. docs/data.md
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ration/dataset/dataset.h"

namespace ration {

struct CsvColumns {
  // One column: each person's class, by any name (LabelKind::one; sorted, as numbers if all are).
  // Several: 0 or 1 in each of them (LabelKind::many; in this order).
  std::vector<std::string> labels;
  std::string group = {};  // none if empty
  std::vector<std::string> leave_out = {};
};

struct FeatureCsv {
  People people = {};
  std::vector<std::string> features = {};  // the names of their columns, in the order of the file
};

FeatureCsv read_feature_csv(const std::filesystem::path& file, const CsvColumns& columns);
// Test people. Columns are found by name and may come in another order; the file has all that
// training had, and no others but those to leave out.
FeatureCsv read_feature_csv(const std::filesystem::path& file, const CsvColumns& columns,
                            const FeatureCsv& train);

}  // namespace ration
