// Ids of people: text by which a person is known outside one file, in the order of the people. They
// are private, and no refusal shows one. Plain functions and a value; safe from many threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ration {

// Their positions in the order of their bytes, in which an index is filled fastest.
std::vector<std::size_t> order_of_ids(std::span<const std::string> ids);
// Two positions with the same id, the smaller one first.
std::optional<std::pair<std::size_t, std::size_t>> repeated_id(std::span<const std::string> ids,
                                                               std::span<const std::size_t> order);

// What is wrong with an id that goes into tables, JSON and HTML, to go on with behind its place:
// that it is empty, longer than 1000 bytes, not UTF-8, that it holds a control character (a line
// break is one) or has blanks around it.
std::optional<std::string_view> fault_of_id(std::string_view id);

// Everybody's id, found again by its text. People may have none: empty().
class Ids {
 public:
  Ids() = default;
  // Refuses, with positions from 0 on, an id with a fault and one that two people have.
  explicit Ids(std::vector<std::string> ids);

  bool empty() const { return ids_.empty(); }
  std::size_t size() const { return ids_.size(); }
  const std::string& operator[](std::size_t person) const { return ids_[person]; }
  std::span<const std::string> all() const { return ids_; }
  std::optional<std::size_t> find(std::string_view id) const;

 private:
  std::vector<std::string> ids_;
  std::vector<std::size_t> order_;
};

}  // namespace ration
