#include "ration/report/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ration/base/bound.h"
#include "ration/base/error.h"
#include "ration/numeric/directed.h"

namespace ration::report {

std::string as_utf8(std::string_view text) {
  using Json = nlohmann::json;
  const std::string repaired = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(repaired).get<std::string>();
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : as_utf8(text)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += control ? ' ' : c;
    }
  }
  return safe;
}

std::string filled(std::string_view skeleton, const std::vector<Filling>& fillings) {
  std::string text;
  while (true) {
    const std::size_t open = skeleton.find("{{");
    text += skeleton.substr(0, open);
    if (open == std::string_view::npos) return text;
    const std::size_t close = skeleton.find("}}", open);
    const std::string_view name = skeleton.substr(open + 2, close - open - 2);
    const auto value = std::find_if(fillings.begin(), fillings.end(),
                                    [&](const Filling& filling) { return filling.first == name; });
    if (value == fillings.end()) throw Error(fmt::format("the page has no value for {}", name));
    text += value->second;
    skeleton.remove_prefix(close + 2);
  }
}

std::string html(const HtmlTable& table) {
  // Anyone who reads by keyboard can reach a table wider than the screen, and scroll it.
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">"
      "<table><caption>{0}</caption><thead><tr>",
      escaped(table.caption));
  for (const std::string& column : table.columns) {
    text += fmt::format("<th scope=\"col\">{}</th>", escaped(column));
  }
  text += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = escaped(row[i]);
      text += i == 0 ? "<th scope=\"row\">" + cell + "</th>" : "<td>" + cell + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string counted(std::uint64_t count) {
  std::string text = fmt::format("{}", count);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, 1, ',');
  return text;
}

std::string shown_epsilon(double upper) { return std::isinf(upper) ? "∞" : rounded_up(upper, 4); }

std::string percent_up(double probability) {
  return fmt::format("{}\u00a0%", rounded_up(std::min(100.0, mul_up(100, probability)), 3));
}

std::string percent_up(double part, double whole) {
  // Rounding up must not make more than all of what is all of it.
  const double percent = part == whole ? 100 : div_up(mul_up(100, part), whole);
  return std::isinf(percent) ? "∞" : fmt::format("{}\u00a0%", rounded_up(percent, 3));
}

}  // namespace ration::report
