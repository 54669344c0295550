#include "cli/individual_print.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/histogram.h"

namespace ration::cli {
namespace {

constexpr unsigned kShown[] = {5, 50, 95, 100};

std::string spent_in(const GroupQuantiles& group, unsigned percent) {
  if (group.people == 0) return "-";
  const auto place = std::find(kPercents.begin(), kPercents.end(), percent) - kPercents.begin();
  return shown(group.quantiles[static_cast<std::size_t>(place)]);
}

}  // namespace

std::string shown(const Bound& epsilon) { return rounded_up(epsilon.upper, 6); }

void print_histogram(const Everybody& everybody) {
  fmt::print("{}", histogram(everybody.epsilons, everybody.promise,
                             shows_unicode() ? Bars::blocks : Bars::ascii));
}

void append(Rows& rows, const Everybody& everybody) {
  const auto spent = [&](unsigned percent) { return shown(spent_by(percent, everybody.epsilons)); };
  // An approximation may say less than was spent.
  const char* const at_most = everybody.certified ? "at most" : "about";
  rows.emplace_back("half",
                    fmt::format("of the people spent {} epsilon {} (private)", at_most, spent(50)));
  rows.emplace_back("95%", fmt::format("of them {} epsilon {} (private)", at_most, spent(95)));
  if (everybody.attendance.empty()) return;
  const auto left_out =
      std::count_if(everybody.attendance.begin(), everybody.attendance.end(),
                    [](const Attendance::Person& person) { return person.left_out > 0; });
  rows.emplace_back("left out", fmt::format("{} of {} people, of at least one step (private)",
                                            left_out, everybody.attendance.size()));
}

void print_groups(std::span<const std::string> labels, std::span<const GroupQuantiles> groups) {
  if (groups.empty()) return;
  std::size_t widest = 5;
  for (const std::string& label : labels) widest = std::max(widest, label.size());
  fmt::print("{:<{}}  {:>9}  {:>9}  {:>9}  {:>9}  {:>9}\n", "group", widest, "people", "5% spent",
             "half", "95%", "all");
  for (std::size_t g = 0; g < groups.size(); ++g) {
    fmt::print("{:<{}}  {:>9}", labels[g], widest, groups[g].people);
    for (const unsigned percent : kShown) fmt::print("  {:>9}", spent_in(groups[g], percent));
    fmt::print("\n");
  }
}

void append_wide(Rows& rows, std::size_t wide) {
  if (wide == 0) return;
  rows.emplace_back("wide", fmt::format("{} people's bounds hold, but are not sharp: their "
                                        "epsilon may be smaller than is said",
                                        wide));
}

}  // namespace ration::cli
