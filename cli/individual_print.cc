#include "cli/individual_print.h"

#include <fmt/format.h>

namespace ration::cli {
namespace {

std::string quantile_name(std::size_t i) { return fmt::format("{}", kQuantiles[i]); }

std::string in_words(const GroupQuantiles& group, const std::string& label) {
  const auto at = [&](double quantile) {
    std::size_t i = 0;
    while (kQuantiles[i] != quantile) ++i;
    return shown(group.quantiles[i]);
  };
  if (group.people == 0) return label + ": nobody";
  return fmt::format("{}: {} people, 0.05: {}, 0.5: {}, 0.95: {}, 1: {}", label, group.people,
                     at(0.05), at(0.5), at(0.95), at(1));
}

}  // namespace

std::string shown(const Bound& epsilon) { return rounded_up(epsilon.upper, 6); }

void append(Rows& rows, const Quantiles& quantiles) {
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    rows.emplace_back("quantile " + quantile_name(i), "epsilon " + shown(quantiles[i]));
  }
}

void append(Rows& rows, std::span<const std::string> labels,
            std::span<const GroupQuantiles> groups) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    rows.emplace_back("group", in_words(groups[g], labels[g]));
  }
}

void append_wide(Rows& rows, std::size_t wide) {
  if (wide == 0) return;
  rows.emplace_back("wide", fmt::format("{} people's bounds hold, but are not sharp: their "
                                        "epsilon may be smaller than is said",
                                        wide));
}

}  // namespace ration::cli
