// Records of people from a CSV file with a header, one row each: columns of labels that the caller
// names, perhaps a column of groups and one of ids, columns of categories, columns to leave out,
// and numbers in every other column. The file may be all that csv_rows.h says. Refusals name line
// and column, never the value. Pure functions. docs/data.md
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ration/dataset/dataset.h"
#include "ration/dataset/person_ids.h"
#include "ration/dataset/preparation.h"

namespace ration {

// What is known of the columns before anybody looks at these people.
struct CsvColumns {
  // One column: each person's class, by any name (LabelKind::one; sorted, as numbers if all are).
  // Several: 0 or 1 in each of them (LabelKind::many; in this order).
  std::vector<std::string> labels;
  std::string group = {};  // none if empty
  std::string id = {};     // whose row it is: any text, or none if empty
  std::vector<std::string> leave_out = {};
  // Columns of text, and all that may stand in them: each category is a feature, 1 for those who
  // have it and 0 for the others. A list that were made from the data would tell of people.
  std::map<std::string, std::vector<std::string>> categories = {};
  std::map<std::string, Scale> standardise = {};  // columns of numbers; others stay as they are
  std::optional<char> separator = {};             // none: what the header has
};

struct FeatureCsv {
  People people = {};  // each row is one: make_people() (person_ids.h) goes on from here
  IdColumn ids = {};   // of rows, if there is a column of them
  std::vector<std::string> features = {};  // the names of their columns, in the order of the file
};

FeatureCsv read_feature_csv(const std::filesystem::path& file, const CsvColumns& columns);
// Test people. Columns are found by name and may come in another order; the file has all that
// training had, and no others but those to leave out.
FeatureCsv read_feature_csv(const std::filesystem::path& file, const CsvColumns& columns,
                            const FeatureCsv& train);

}  // namespace ration
