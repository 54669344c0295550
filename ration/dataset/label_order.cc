#include "ration/dataset/label_order.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace ration {

std::optional<double> number_in(const std::string& label) {
  double value = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), value);
  if (error != std::errc{} || end != label.data() + label.size() || !std::isfinite(value)) {
    return {};
  }
  return value;
}

bool all_numbers(const std::vector<std::string>& labels) {
  return std::all_of(labels.begin(), labels.end(),
                     [](const std::string& label) { return number_in(label).has_value(); });
}

namespace {

// Where each label stands in their order.
std::vector<std::uint32_t> order_of(const std::vector<std::string>& labels) {
  std::vector<double> numbers;
  if (all_numbers(labels)) {
    for (const std::string& label : labels) numbers.push_back(*number_in(label));
  }
  std::vector<std::uint32_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    // 1 and 1.0 are two labels.
    if (!numbers.empty() && numbers[a] != numbers[b]) return numbers[a] < numbers[b];
    return labels[a] < labels[b];
  });
  return order;
}

std::vector<std::string> ordered(const std::vector<std::string>& labels,
                                 const std::vector<std::uint32_t>& order) {
  std::vector<std::string> sorted;
  sorted.reserve(labels.size());
  for (const std::uint32_t label : order) sorted.push_back(labels[label]);
  return sorted;
}

}  // namespace

void sort_labels(std::vector<std::string>& labels) { labels = ordered(labels, order_of(labels)); }

void sort_labels(Groups& groups) {
  const std::vector<std::uint32_t> order = order_of(groups.labels);
  groups.labels = ordered(groups.labels, order);
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (std::uint32_t& group : groups.of_person) group = place[group];
}

}  // namespace ration
