#include "ration/results/epsilon_file.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <limits>
#include <string>

#include "ration/base/error.h"

namespace ration::results {
namespace {

constexpr std::size_t kBuffer = 1 << 16;

std::string header(bool filtered) {
  return filtered ? "person,epsilon_lower,epsilon_upper,admitted,left_out,first_left_out"
                  : "person,epsilon_lower,epsilon_upper";
}

void write_csv(PrivateFile& file, std::span<const Bound> epsilons, const Attendance* attendance) {
  std::string text = header(attendance != nullptr) + "\n";
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{},{},{}", i, epsilons[i].lower, epsilons[i].upper);
    if (attendance != nullptr) {
      const auto& [admitted, left_out, first] = attendance->people[i];
      fmt::format_to(std::back_inserter(text), ",{},{},", admitted, left_out);
      if (first != Attendance::kNever) text += fmt::format("{}", first);
    }
    text += '\n';
    if (text.size() > kBuffer) {
      file.write(text);
      text.clear();
    }
  }
  file.write(text);
  file.commit();
}

void write_npy(NpyWriter<double>& file, std::span<const Bound> epsilons,
               const Attendance* attendance) {
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    file.append(std::array{epsilons[i].lower, epsilons[i].upper});
    if (attendance == nullptr) continue;
    const auto& [admitted, left_out, first] = attendance->people[i];
    file.append(std::array{static_cast<double>(admitted), static_cast<double>(left_out),
                           first == Attendance::kNever ? -1.0 : static_cast<double>(first)});
  }
  file.commit();
}

}  // namespace

EpsilonFile::EpsilonFile(const std::filesystem::path& file, std::size_t people, bool filtered) {
  if (file.extension() == ".csv") {
    file_.emplace<PrivateFile>(file);
  } else if (file.extension() == ".npy") {
    const std::size_t columns = filtered ? 5 : 2;
    file_.emplace<NpyWriter<double>>(file, std::vector<std::size_t>{people, columns});
  } else {
    refuse("file to write", "'" + file.string() + "'", "a name that ends in .csv or .npy");
  }
}

void EpsilonFile::write(std::span<const Bound> epsilons,
                        const std::optional<Attendance>& attendance) {
  const Attendance* const filtered = attendance ? &*attendance : nullptr;
  if (auto* csv = std::get_if<PrivateFile>(&file_)) write_csv(*csv, epsilons, filtered);
  if (auto* npy = std::get_if<NpyWriter<double>>(&file_)) write_npy(*npy, epsilons, filtered);
}

namespace {

// A person who is counted by a filter was admitted to each step that was charged, or left out.
Attendance::Person attendance_in(ResultsRows& rows, std::uint64_t charged_steps) {
  const std::uint64_t admitted = rows.whole(), left_out = rows.whole();
  const std::uint64_t first = rows.whole_or_blank().value_or(Attendance::kNever);
  if (admitted > charged_steps || left_out != charged_steps - admitted ||
      (first == Attendance::kNever) != (left_out == 0) ||
      (left_out > 0 && first > charged_steps - left_out)) {
    rows.refuse_row("of steps that do not add up");
  }
  return {.admitted = static_cast<std::uint32_t>(admitted),
          .left_out = static_cast<std::uint32_t>(left_out),
          .first_left_out = static_cast<std::uint32_t>(first)};
}

}  // namespace

// A fitted Gaussian is not held to what is proved.
double most_epsilon(const Results& results) {
  return results.individual->guarantee.certified ? results.epsilon->upper
                                                 : std::numeric_limits<double>::infinity();
}

Bound epsilon_in(ResultsRows& rows, double most) {
  const Bound epsilon = {.lower = rows.number(), .upper = rows.number()};
  if (!(0 <= epsilon.lower && epsilon.lower <= epsilon.upper)) {
    rows.refuse_row("without a bound on an epsilon");
  }
  if (epsilon.upper > most) rows.refuse_row("of an epsilon above what the summary promises");
  return epsilon;
}

void read_epsilons(ResultsRows rows, Results& results) {
  const bool filtered = results.budget.has_value();
  rows.expect_header(header(filtered));
  IndividualResults& individual = *results.individual;
  const double most = most_epsilon(results);
  while (rows.next()) {
    if (rows.whole() != individual.epsilons.size()) rows.refuse_row("not of the next person");
    individual.epsilons.push_back(epsilon_in(rows, most));
    if (filtered) individual.attendance.push_back(attendance_in(rows, results.charged_steps));
  }
  if (individual.epsilons.size() != results.people) {
    rows.refuse_file("not of as many people as the summary, or cut off");
  }
  if (quantiles_of(individual.epsilons) != individual.quantiles) {
    rows.refuse_file("of other values than the quantiles of the summary");
  }
}

}  // namespace ration::results
