// To which group each person belongs, from a file with one line per person: a label, after an
// optional header `group`; or, after the header `person,group`, the person's number (from 0, in
// order) and a label. A person's group is private: no error shows a label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>
#include <vector>

namespace ration {

struct Groups {
  std::vector<std::uint32_t> of_person;  // indices into labels
  std::vector<std::string> labels;       // in an order that says nothing of who is in which
};

// Labels are sorted (label_order.h). Refuses, with the line, a label that is empty, longer than 200
// bytes, no UTF-8, or holds a comma, a quote or a control character; more than 10^4 labels; and any
// other number of lines than `people`.
Groups read_groups(std::istream& in, const std::string& source, std::size_t people);
Groups read_groups(const std::filesystem::path& file, std::size_t people);

}  // namespace ration
