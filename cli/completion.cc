#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "ration/base/error.h"

namespace ration::cli {
namespace {

// The long names of a command's options; what has none is given by position. Of a command with
// commands inside, those of all of them.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* inner : command.get_subcommands({})) {
    for (const std::string& name : options_of(*inner)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  if (!names.empty()) return names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

std::string commands_of(const CLI::App& app) {
  std::string list;
  for (const CLI::App* command : app.get_subcommands({})) list += command->get_name() + " ";
  return list;
}

// zsh runs the same function through its bash emulation.
std::string for_bash(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    cases += fmt::format("    {}) words=\"{}--{}\" ;;\n", command->get_name(),
                         commands_of(*command), fmt::join(options_of(*command), " --"));
  }
  return fmt::format(R"(_ration() {{
  local words
  case "${{COMP_WORDS[1]}}" in
{}    *) words="{}" ;;
  esac
  case "${{COMP_WORDS[COMP_CWORD-1]}}" in
    --plan|--pair|--curve|--groups|--out|--mnist|--mimic) COMPREPLY=($(compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}")); return ;;
    --method) words="gdp contour fourier rdp"
      [ "${{COMP_WORDS[1]}}" = account ] && words="gdp pld rdp blackwell" ;;
    --filter) words="gdp rdp tight" ;;
    --solve) words="noise steps rate" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -F _ration ration
)",
                     cases, commands_of(app));
}

std::string for_zsh(const CLI::App& app) {
  return "autoload -Uz bashcompinit && bashcompinit\n" + for_bash(app);
}

std::string for_fish(const CLI::App& app) {
  std::string script =
      fmt::format("complete -c ration -n __fish_use_subcommand -f -a '{}'\n", commands_of(app));
  for (const CLI::App* command : app.get_subcommands({})) {
    for (const std::string& option : options_of(*command)) {
      script += fmt::format("complete -c ration -n '__fish_seen_subcommand_from {}' -l {}\n",
                            command->get_name(), option);
    }
  }
  return script;
}

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "completion", "A script that completes commands and options: bash, zsh or fish");
  command->add_option("shell", *shell, "bash, zsh or fish")->type_name("NAME")->required();
  command->footer("Example: eval \"$(ration completion bash)\"");
  command->callback([&app, shell] {
    if (*shell == "bash") {
      fmt::print("{}", for_bash(app));
    } else if (*shell == "zsh") {
      fmt::print("{}", for_zsh(app));
    } else if (*shell == "fish") {
      fmt::print("{}", for_fish(app));
    } else {
      refuse("shell", "'" + *shell + "'", "bash, zsh or fish");
    }
  });
}

}  // namespace ration::cli
