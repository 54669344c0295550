// What each column of a CSV file of people is for. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ration/dataset/feature_csv.h"

namespace ration {

enum class Role { feature, label, group, left_out };
struct Column {
  Role role = Role::feature;
  std::size_t index = 0;  // among features or labels
};

struct CsvLayout {
  std::vector<Column> columns = {};        // of the file, in its order
  std::vector<std::string> features = {};  // their names, by index
};

// Refuses a header with names that are missing, not plain text (label_names.h) or there twice.
void check_header(const std::vector<std::string>& header, const std::string& source);

// Refuses names that the header does not have, or that are given twice. Features are numbered
// in the order of the header or, with those of training, as they were there.
CsvLayout layout_of(const std::vector<std::string>& header, const CsvColumns& named,
                    const std::vector<std::string>* train_features, const std::string& source);

}  // namespace ration
