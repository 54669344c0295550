// What each column of a CSV file of people is for. Pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ration/dataset/feature_csv.h"

namespace ration {

enum class Role { number, category, label, group, id, left_out };
struct Column {
  Role role = Role::number;
  std::size_t index = 0;  // of its label, or of its feature; of its first one for categories
  Scale scale = {};
  std::map<std::string, std::size_t, std::less<>> categories = {};  // and their places

  bool is_feature() const { return role == Role::number || role == Role::category; }
  std::size_t width() const { return role == Role::category ? categories.size() : 1; }
};

struct CsvLayout {
  std::vector<Column> columns = {};        // of the file, in its order
  std::vector<std::string> features = {};  // the names of columns that hold features
  std::size_t width = 0;                   // how many features they are
};

// Refuses a header with names that are missing, not plain text (label_names.h) or there twice.
void check_header(const std::vector<std::string>& header, const std::string& source);

// Refuses names that the header does not have, or that are given twice, and categories and
// constants that are none. Features are numbered in the order of the header or, with those of
// training, as they were there.
CsvLayout layout_of(const std::vector<std::string>& header, const CsvColumns& named,
                    const std::vector<std::string>* train_features, const std::string& source);

}  // namespace ration
