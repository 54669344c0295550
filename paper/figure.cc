#include "paper/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ration/base/error.h"

namespace ration::paper {
namespace {

std::string quoted(const std::string& text) {
  const bool blank_end = text.starts_with(' ') || text.ends_with(' ');
  if (!blank_end && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out;
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return fmt::format("\"{}\"", out);
}

}  // namespace

std::string text_of(const DataTable::Cell& cell) {
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, cell);
}

std::string csv_of(const DataTable& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    out += quoted(table.columns[i]);
  }
  out += '\n';
  for (const auto& row : table.rows) {
    if (row.size() != table.columns.size()) {
      refuse("row of a table", fmt::format("of {} cells", row.size()),
             fmt::format("one for each of its {} columns", table.columns.size()));
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      out += quoted(text_of(row[i]));
    }
    out += '\n';
  }
  return out;
}

std::string_view verdict(bool held) { return held ? "held" : "did not hold"; }

std::size_t held_claims(const Figure& figure) {
  return static_cast<std::size_t>(std::count_if(figure.claims.begin(), figure.claims.end(),
                                                [](const Claim& claim) { return claim.held; }));
}

bool held(const Figure& figure) { return held_claims(figure) == figure.claims.size(); }

std::optional<std::string> printable_finding(const Figure& figure, const Claim& claim) {
  if (figure.about_people) return std::nullopt;
  return claim.finding;
}

std::string markdown_of(const Figure& figure) {
  std::string text =
      fmt::format("# {}\n\n**What the paper shows.** {}\n\n**What was done here.** {}\n",
                  figure.title, figure.paper, figure.here);
  if (!figure.claims.empty()) text += "\n**What came out.**\n\n";
  for (const Claim& claim : figure.claims) {
    text += fmt::format("- {} This {}. {}\n", claim.statement, verdict(claim.held), claim.finding);
  }
  if (!figure.corrections.empty()) text += "\n**Corrections to the paper.**\n\n";
  for (const std::string& correction : figure.corrections)
    text += fmt::format("- {}\n", correction);
  return text;
}

report::BinRange bins_up_to(double most) {
  constexpr std::size_t kBins = 40;
  return {.edge = most, .below = kBins, .bins = kBins};
}

std::vector<double> edges_of(const report::BinRange& range) {
  return report::bins_of({}, range).edges;
}

report::Histogram epsilon_histogram(std::string name, std::span<const Bound> epsilons,
                                    const report::BinRange& range) {
  const report::Bins bins = report::bins_of(epsilons, range);
  return {.name = std::move(name), .heights = {bins.counts.begin(), bins.counts.end()}};
}

}  // namespace ration::paper
