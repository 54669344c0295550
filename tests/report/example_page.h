// Pages from results that are made up here. With RATION_PAGES=DIR they are written there, to look
// at.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ration/report/page.h"

namespace ration::report {

inline std::vector<std::string> group_names(std::size_t count) {
  std::vector<std::string> names = {"no label", "pneumonia", "heart attack", "other"};
  while (names.size() < count) names.push_back("ward " + std::to_string(names.size()));
  names.resize(count);
  return names;
}

struct Shape {
  std::size_t people = 3000, groups = 4, moments = 100;
};

// A run whose people's eps is theirs alone: no number of theirs is also a public one.
inline Results example_run(const Shape& shape = {}) {
  std::mt19937_64 random(5);
  std::gamma_distribution<double> spread(4, 0.22);
  std::vector<Bound> epsilons;
  std::vector<Attendance::Person> attendance;
  std::vector<std::uint32_t> group_of;
  for (std::size_t i = 0; i < shape.people; ++i) {
    const double epsilon = std::min(2.751, 0.05 + spread(random));
    epsilons.push_back({.lower = epsilon * (1 - 1e-9), .upper = epsilon});
    const bool left_out = epsilon > 2;
    attendance.push_back({.admitted = left_out ? 71u : 100u,
                          .left_out = left_out ? 29u : 0u,
                          .first_left_out = left_out ? 71u : Attendance::kNever});
    if (shape.groups > 0) group_of.push_back(static_cast<std::uint32_t>(i * i % shape.groups));
  }
  Results results = {.kind = Results::Kind::run,
                     .gaussian = true,
                     .data = "synthetic cohort of 3000 people, 714 features, 25 labels",
                     .people = shape.people,
                     .steps = 100,
                     .charged_steps = 100,
                     .delta = 1e-5,
                     .epsilon = Bound{2.751020, 2.751022},
                     .worst_case = Bound{4.085655, 4.085657},
                     .budget = Bound{2.751020, 2.751022},
                     .guarantee = Guarantee{.theorem = "Individual Gaussian DP filter",
                                            .adaptive = true,
                                            .certified = true},
                     .score_name = "macro AUC",
                     .groups = group_names(shape.groups),
                     .test_people = {},
                     .moments = {},
                     .settings = "[privacy]\nmode = \"gd\"\nnoise = 10.6\n"};
  for (const std::string& label : results.groups) results.test_people[label] = 10;
  for (std::size_t m = 1; m <= shape.moments; ++m) {
    const double t = static_cast<double>(m) / static_cast<double>(shape.moments);
    ResultsMoment at = {
        .epoch = m, .steps = m, .epsilon = std::min(2.751022, 4.085657 * std::sqrt(t))};
    for (std::size_t g = 0; g <= shape.groups; ++g) {
      const double shift = 0.013 * static_cast<double>(g % 7);
      at.test_loss.push_back(0.3 + 0.4 * std::exp(-4 * t) + shift);
      at.test_score.push_back(0.8 - 0.3 * std::exp(-5 * t) - shift);
      at.train_loss.push_back(0.2912345 + 0.39 * std::exp(-4 * t) + shift);
      at.mean_epsilon.push_back((0.9187654 + 3 * shift) * std::sqrt(t));
      at.active.push_back(static_cast<std::uint64_t>(
          static_cast<double>(g == 0 ? shape.people : shape.people / shape.groups) *
          (t < 0.5 ? 1.0 : 1.5 - t)));
    }
    results.moments.push_back(std::move(at));
  }
  const Quantiles quantiles = quantiles_of(epsilons);
  results.individual = {.method = "gdp",
                        .guarantee = {.theorem = "Gaussian DP", .certified = true},
                        .epsilons = epsilons,
                        .attendance = attendance,
                        .quantiles = quantiles,
                        .groups = quantiles_of(epsilons, group_of, shape.groups),
                        .followed = {{.person = 7, .points = {}}}};
  for (std::uint64_t step = 1; step <= 100; ++step) {
    const double epsilon = 0.123456 * std::sqrt(static_cast<double>(step));
    results.individual->followed[0].points.push_back(
        {.steps = step, .epsilon = {epsilon, epsilon}, .admitted = step});
  }
  return results;
}

inline std::string page_of(const std::string& name, const Results& results,
                           PageOptions options = {}) {
  options.date = "2025-06-01";
  const std::string page = report_page(results, options);
  if (const char* directory = std::getenv("RATION_PAGES")) {
    std::filesystem::create_directories(directory);
    std::ofstream(std::filesystem::path(directory) / (name + ".html")) << page;
  }
  return page;
}

inline bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

inline std::size_t count(const std::string& page, const std::string& text) {
  std::size_t found = 0;
  for (std::size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) {
    ++found;
  }
  return found;
}

inline nlohmann::json charts_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"charts\">";
  const std::size_t from = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

inline nlohmann::json chart_of(const std::string& page, const std::string& id) {
  for (const auto& chart : charts_of(page)) {
    if (chart["id"] == id) return chart;
  }
  throw std::out_of_range("no chart " + id);
}

inline std::vector<std::string> chart_ids(const std::string& page) {
  std::vector<std::string> ids;
  for (const auto& chart : charts_of(page)) ids.push_back(chart["id"]);
  return ids;
}

}  // namespace ration::report
