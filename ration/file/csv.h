// The lines and cells of small CSV files, with errors that say where. No quoting: numbers need
// none.
#pragma once

#include <filesystem>
#include <fstream>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace ration::csv {

// `what` is the argument that a refusal names.
std::ifstream open(std::string_view what, const std::filesystem::path& file);

// The next line, and the first one without a byte-order mark; false at the end. Refuses lines of
// more than 10000 characters: a file that is no text may have no end.
bool first_line(std::istream& in, std::string& line, const std::string& source);
bool next_line(std::istream& in, std::string& line, const std::string& source);

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> cells_of(std::string_view line);

bool is_number(std::string_view cell);
double number_in(std::string_view cell, const std::string& where);

}  // namespace ration::csv
