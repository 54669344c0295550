#include "ration/train/setting_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <sstream>
#include <vector>

namespace ration::train {
namespace {

struct Section {
  std::string_view name, holds;
};
constexpr Section kSections[] = {
    {"data", "what is trained on ([data.md](data.md))"},
    {"groups", "groups of people, for the reports"},
    {"model", "the network"},
    {"optimiser", "how its parameters move"},
    {"privacy", "what is promised to everybody ([training.md](training.md))"},
    {"filter", "what each person may spend before they are left out; one of the budgets"},
    {"run", "the run itself"},
};

// How many letters have to be put in, taken out, changed, or swapped with their neighbour.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> least(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t k = 0; k <= b.size(); ++k) {
      if (i == 0 || k == 0) {
        least[i][k] = i + k;
        continue;
      }
      const bool same = a[i - 1] == b[k - 1];
      least[i][k] = std::min(
          {least[i - 1][k] + 1, least[i][k - 1] + 1, least[i - 1][k - 1] + (same ? 0 : 1)});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        least[i][k] = std::min(least[i][k], least[i - 2][k - 2] + 1);
    }
  }
  return least[a.size()][b.size()];
}

std::string default_of(const Setting& setting) {
  if (!setting.by_default.empty()) return fmt::format("`{}`", setting.by_default);
  return std::string(setting.otherwise);
}

// A bar would end the cell.
std::string table_row(std::initializer_list<std::string> cells) {
  std::string row = "|";
  for (const std::string& cell : cells) {
    row += ' ';
    for (const char c : cell) row += c == '|' ? "\\|" : std::string(1, c);
    row += " |";
  }
  return row + '\n';
}

// "(number; by default 10; only for data.source csv)"
std::string details(const Setting& setting) {
  std::string text = fmt::format("({}", name(setting.kind));
  if (!setting.by_default.empty()) {
    text += fmt::format("; by default {}", setting.by_default);
  } else {
    text += setting.otherwise.starts_with(kMustBe) ? "; " : "; without it: ";
    text += setting.otherwise;
  }
  if (!setting.only_for.empty()) text += fmt::format("; only for {}", setting.only_for);
  return text + ")";
}

std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t kColumns = 79;
  std::istringstream words{std::string(text)};
  std::string lines, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > kColumns) {
      lines += std::string(indent, ' ') + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + std::string(indent, ' ') + line + '\n';
}

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::text:
      return "text in quotes";
    case Kind::number:
      return "number";
    case Kind::whole:
      return "whole number that is not negative";
    case Kind::texts:
      return "text in quotes or list of texts";
    case Kind::wholes:
      return "list of whole numbers";
    case Kind::people:
      return "list of ids or of whole numbers";
    case Kind::numbers:
      return "number or list of numbers";
    case Kind::texts_by_column:
      return "list of texts for each column";
    case Kind::scales_by_column:
      return "list [mean, scale] for each column";
  }
  return {};
}

bool is_section(std::string_view name) {
  return std::any_of(std::begin(kSections), std::end(kSections),
                     [&](const Section& section) { return section.name == name; });
}

const Setting& nearest_setting(std::string_view path) {
  path = path.substr(0, 100);
  const std::string_view key = path.substr(path.find('.') + 1);
  // A key that stands in the wrong section is one slip, however long their names are.
  const auto distance = [&](const Setting& setting) {
    return std::min(edits(path, setting.path), 1 + edits(key, setting.key()));
  };
  return *std::min_element(
      std::begin(kSettingList), std::end(kSettingList),
      [&](const Setting& a, const Setting& b) { return distance(a) < distance(b); });
}

std::string settings_page() {
  std::string page =
      "# Settings of a training run\n\n"
      "Every key of a configuration file for `ration train`, as the program itself lists them: "
      "this "
      "page is what\n`ration manual --settings` prints. `ration train --settings` prints the same "
      "for a terminal, and\n`--set section.key=value` overrides any of them. What is no setting is "
      "refused.\n";
  for (const Section& section : kSections) {
    page += fmt::format(
        "\n## [{}]: {}\n\n| setting | type | default | example | meaning |\n"
        "|---|---|---|---|---|\n",
        section.name, section.holds);
    for (const Setting& setting : kSettingList) {
      if (setting.section() != section.name) continue;
      page += table_row(
          {fmt::format("`{}`", setting.path), std::string(name(setting.kind)), default_of(setting),
           fmt::format("`{}`", setting.example),
           fmt::format(
               "{}{}", setting.meaning,
               setting.only_for.empty() ? "" : fmt::format(" (only for {})", setting.only_for))});
    }
  }
  return page;
}

std::string settings_text() {
  std::string text;
  for (const Section& section : kSections) {
    text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section.name);
    for (const Setting& setting : kSettingList) {
      if (setting.section() != section.name) continue;
      text += wrapped(fmt::format("{} = {}", setting.key(), setting.example), 2);
      text += wrapped(setting.meaning, 6) + wrapped(details(setting), 6);
    }
  }
  return text;
}

}  // namespace ration::train
