// Words and tables as HTML. What users wrote, such as group labels, cannot become markup: it goes
// through escaped(), which tables do by themselves. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ration {

// For text between tags and in quoted attributes. What is no UTF-8 becomes U+FFFD.
std::string escaped(std::string_view text);

// Valid UTF-8: as it was, or with U+FFFD where it was not.
std::string as_utf8(std::string_view text);

// {{name}} becomes its value, once: braces in values stay what they are. Refuses names without a
// value, which are mistakes in the template.
using Filling = std::pair<std::string_view, std::string_view>;
std::string filled(std::string_view skeleton, const std::vector<Filling>& fillings);

// The first cell of each row names it. All texts are escaped here.
struct HtmlTable {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
std::string html(const HtmlTable& table);

}  // namespace ration
