// A table of data as CSV: a header, then a line for each row. Numbers read back equal; texts are
// quoted where they must be (RFC 4180). Pure functions.
#pragma once

#include <string>

#include "paper/figure.h"

namespace ration {

// Refuses rows that have more or fewer cells than there are columns.
std::string csv_of(const DataTable& table);

// A cell as it stands in the file, without quotes.
std::string text_of(const DataTable::Cell& cell);

}  // namespace ration
