#include "cli/unexpected.h"

#include <fmt/format.h>

#include <algorithm>

#include "ration/base/error.h"

namespace ration::cli {
namespace {

// How many letters must be put in, taken out or changed, or swapped with their neighbour.
std::size_t distance(const std::string& a, const std::string& b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> two_back, back(width), row(width);
  for (std::size_t j = 0; j < width; ++j) back[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      row[j] =
          std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
    two_back = back;
    back = row;
  }
  return back.back();
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The first option, or else the first other argument, that the command does not take.
std::optional<std::string> unexpected_argument(const CLI::App& command, const std::string& of) {
  const std::vector<std::string> left = command.remaining();
  if (left.empty()) return std::nullopt;
  const auto option = std::find_if(left.begin(), left.end(), [](const std::string& each) {
    return each.size() > 1 && each.front() == '-';
  });
  if (option == left.end()) {
    return fmt::format("'{}' is one argument too many for {}; see '{} --help'", left.front(), of,
                       of);
  }
  const std::string name = option->substr(0, option->find('='));
  const auto meant = nearest(name, option_names(command));
  return fmt::format("{} is no option of {}{} '{} --help'", name, of,
                     meant ? fmt::format(": did you mean {}? See", *meant) : "; see", of);
}

}  // namespace

std::optional<std::string> nearest(const std::string& typed,
                                   const std::vector<std::string>& known) {
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& name : known) {
    const bool begun = typed.size() > 3 && name.starts_with(typed);
    const std::size_t far = begun ? 1 : distance(typed, name);
    if (far >= least) continue;
    least = far;
    best = name;
  }
  return best;
}

const CLI::App& command_named(const CLI::App& app, const std::string& name) {
  const std::string lister =
      app.get_parent() == nullptr ? "ration help" : "ration help " + app.get_name();
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return *command;
    known.push_back(command->get_name());
  }
  const auto meant = nearest(name, known);
  refuse("command", "'" + name + "'",
         meant ? fmt::format("{}, or another one that '{}' lists", *meant, lister)
               : fmt::format("one of {}", fmt::join(known, ", ")));
}

std::string refusal_of(const CLI::App& app, const CLI::ParseError& failure) {
  const CLI::App* innermost = &app;  // some commands have commands of their own
  std::string of = "ration";
  while (!innermost->get_subcommands().empty()) {
    innermost = innermost->get_subcommands().front();
    of += " " + innermost->get_name();
  }
  const CLI::App& command = *innermost;
  if (!command.get_subcommands({}).empty() && !command.remaining().empty()) {
    const std::string typed = command.remaining().front();
    if (typed.front() != '-') command_named(command, typed);
  }
  if (const auto unexpected = unexpected_argument(command, of)) return *unexpected;
  const std::string text = failure.what(), option = text.substr(0, text.find(':'));
  if (text.ends_with(" missing")) return option + " is without a value: give one after it";
  if (text.find("At Most 1 required") != std::string::npos) {
    return option + " is given several times: give it once";
  }
  return fmt::format("{}; see '{} --help'", text, of);
}

}  // namespace ration::cli
