// Words, numbers and tables as HTML. What users wrote, such as group labels, cannot become markup:
// it goes through escaped(), which tables do by themselves. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ration::report {

// For text between tags and in quoted attributes. Bytes that are not UTF-8 become U+FFFD.
std::string escaped(std::string_view text);

// Valid UTF-8: as it was, or with U+FFFD where it was not.
std::string as_utf8(std::string_view text);

// {{name}} becomes its value, once: braces in values stay as they are. Refuses names without a
// value, which are mistakes in the template.
using Filling = std::pair<std::string_view, std::string_view>;
std::string filled(std::string_view skeleton, const std::vector<Filling>& fillings);

// "1,000,000"
std::string counted(std::uint64_t count);
// Four digits, rounded up; "∞" without a bound.
std::string shown_epsilon(double upper);
// "26.1 %", rounded up: a probability, or a part of something, which may exceed the whole.
std::string percent_up(double probability);
std::string percent_up(double part, double whole);

// The first cell of each row names it. All texts are escaped here.
struct HtmlTable {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
std::string html(const HtmlTable& table);

}  // namespace ration::report
