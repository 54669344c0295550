#include "cli/histogram.h"

#include <fmt/format.h>
#include <langinfo.h>
#include <locale.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "ration/report/distribution.h"

namespace ration::cli {
namespace {

constexpr std::size_t kBins = 10, kLongestBar = 40;

// Up to the promise, and to the greatest of those who have a finite one.
double top_of(std::span<const Bound> epsilons, const std::optional<Bound>& promise) {
  double top = promise && std::isfinite(promise->upper) ? promise->upper : 0;
  for (const Bound& epsilon : epsilons) {
    if (std::isfinite(epsilon.upper)) top = std::max(top, epsilon.upper);
  }
  return top > 0 ? top : 1;
}

// Enough digits to tell one edge from the next, and no more than the edges have.
std::array<std::string, kBins + 1> labels_of(const std::vector<double>& edges) {
  const double width = edges[1];
  const bool plain = width >= 1e-4 && edges.back() < 1e6;
  const int digits = std::max(0, 2 - static_cast<int>(std::floor(std::log10(width))));
  std::array<std::string, kBins + 1> labels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = plain ? fmt::format("{:.{}f}", edges[i], digits) : fmt::format("{:.2e}", edges[i]);
  }
  const auto ends_in_zero = [](const std::string& label) {
    return label.find('.') != std::string::npos && label.back() == '0';
  };
  while (plain && std::all_of(labels.begin(), labels.end(), ends_in_zero)) {
    for (std::string& label : labels) label.pop_back();
  }
  for (std::string& label : labels) {
    if (label.back() == '.') label.pop_back();
  }
  return labels;
}

// In eighths of a column where there are characters for that.
std::string bar(std::uint64_t count, std::uint64_t most, Bars bars) {
  if (count == 0) return {};
  const double length =
      static_cast<double>(kLongestBar) * static_cast<double>(count) / static_cast<double>(most);
  if (bars == Bars::ascii) {
    return std::string(static_cast<std::size_t>(std::max(1.0, std::round(length))), '#');
  }
  constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(std::max(1.0, std::round(8 * length)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + std::string(kParts[eighths % 8]);
}

}  // namespace

bool shows_unicode() {
  const locale_t user = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (user == nullptr) return false;
  const bool is_utf8 = std::string_view(nl_langinfo_l(CODESET, user)) == "UTF-8";
  freelocale(user);
  return is_utf8;
}

std::string histogram(std::span<const Bound> epsilons, const std::optional<Bound>& promise,
                      Bars bars) {
  const report::Bins bins =
      report::bins_of(epsilons, {.edge = top_of(epsilons, promise), .below = kBins, .bins = kBins});
  const auto labels = labels_of(bins.edges);
  std::size_t label = 0;
  for (const std::string& each : labels) label = std::max(label, each.size());
  const std::uint64_t most = std::max<std::uint64_t>(
      1, std::max(bins.beyond, *std::max_element(bins.counts.begin(), bins.counts.end())));
  const std::size_t number = std::max<std::size_t>(6, fmt::format("{}", most).size());
  const std::size_t range = 2 * label + 4;

  std::string text = fmt::format("{:<{}}  {:>{}}\n", "epsilon", range, "people", number);
  const auto add = [&](const std::string& where, std::uint64_t count) {
    std::string line =
        fmt::format("{:<{}}  {:>{}}  {}", where, range, count, number, bar(count, most, bars));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  for (std::size_t i = 0; i < kBins; ++i) {
    add(fmt::format("{:>{}} to {:>{}}", labels[i], label, labels[i + 1], label), bins.counts[i]);
  }
  if (bins.beyond > 0) add("infinite", bins.beyond);
  return text;
}

}  // namespace ration::cli
