// What may name a label, a column or a group: it is printed in tables, JSON and HTML, and written
// as CSV. Pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ration {

// How a refusal goes on: "... is FOUND: give ACCEPTED". Neither shows the text.
struct LabelFault {
  std::string found;
  std::string_view accepted;
};

// What is wrong with a label: that it is empty, longer than 200 bytes, no UTF-8, or that it holds a
// comma, a quote or a control character.
std::optional<LabelFault> fault_of_label(std::string_view label);

}  // namespace ration
