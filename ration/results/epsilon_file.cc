#include "ration/results/epsilon_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>

#include "ration/base/error.h"
#include "ration/base/ids.h"
#include "ration/file/csv.h"

namespace ration::results {
namespace {

constexpr std::size_t kBuffer = 1 << 16;

std::string header(bool with_ids, bool filtered) {
  return fmt::format("person{},epsilon_lower,epsilon_upper{}", with_ids ? ",id" : "",
                     filtered ? ",admitted,left_out,first_left_out" : "");
}

void write_csv(PrivateFile& file, std::span<const Bound> epsilons, const Attendance* attendance,
               std::span<const std::string> ids) {
  std::string text = header(!ids.empty(), attendance != nullptr) + "\n";
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}", i);
    if (!ids.empty()) fmt::format_to(std::back_inserter(text), ",{}", csv::cell_of(ids[i]));
    fmt::format_to(std::back_inserter(text), ",{},{}", epsilons[i].lower, epsilons[i].upper);
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
                        const std::optional<Attendance>& attendance,
                        std::span<const std::string> ids) {
  const Attendance* const filtered = attendance ? &*attendance : nullptr;
  if (auto* csv = std::get_if<PrivateFile>(&file_)) write_csv(*csv, epsilons, filtered, ids);
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

void check_ids(const std::vector<std::string>& ids, const ResultsRows& rows) {
  const auto faulty = [](const std::string& id) { return fault_of_id(id).has_value(); };
  if (std::any_of(ids.begin(), ids.end(), faulty) || repeated_id(ids, order_of_ids(ids))) {
    rows.refuse_file("of ids that nobody has, or several people");
  }
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
  const bool with_ids = rows.header() == header(true, filtered);
  rows.expect_header(header(with_ids, filtered));
  IndividualResults& individual = *results.individual;
  const double most = most_epsilon(results);
  while (rows.next()) {
    if (rows.whole() != individual.epsilons.size()) rows.refuse_row("not of the next person");
    if (with_ids) individual.ids.push_back(rows.text());
    individual.epsilons.push_back(epsilon_in(rows, most));
    if (filtered) individual.attendance.push_back(attendance_in(rows, results.charged_steps));
  }
  check_ids(individual.ids, rows);
  if (individual.epsilons.size() != results.people) {
    rows.refuse_file("not of as many people as the summary, or cut off");
  }
  if (!can_be_quantiles(individual.quantiles, individual.epsilons)) {
    rows.refuse_file("of other values than the quantiles of the summary");
  }
  individual.quantiles = quantiles_of(individual.epsilons);
}

namespace {

// As --method of individual accounts calls them.
std::string_view name_for_people(Method method) {
  return method == Method::contour ? "pld" : name(method);
}

}  // namespace

void write_curve(PrivateFile& file, const PersonCurve& curve) {
  file.write("epsilon");
  for (const Method m : curve.methods) {
    file.write(fmt::format(",{0}_lower,{0}_upper", name_for_people(m)));
  }
  file.write(",blackwell\n");
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const auto& [epsilon, deltas] = curve.points[i];
    file.write(fmt::format("{}", epsilon));
    for (const Bound& delta : deltas) file.write(fmt::format(",{},{}", delta.lower, delta.upper));
    file.write(fmt::format(",{}\n", curve.blackwell[i]));
  }
  file.commit();
}

}  // namespace ration::results
