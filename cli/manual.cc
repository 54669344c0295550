#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/man_page.h"
#include "ration/train/setting_list.h"

namespace ration::cli {
namespace {

void print_command(const CLI::App& command, const std::string& prefix = "ration ") {
  if (const auto inner = command.get_subcommands({}); !inner.empty()) {
    for (const CLI::App* each : inner) print_command(*each, prefix + command.get_name() + " ");
    return;
  }
  fmt::print("\n## {}{}\n\n{}.\n\n", prefix, command.get_name(), command.get_description());
  fmt::print("| option | meaning |\n|---|---|\n");
  for (const CLI::Option* option : command.get_options()) {
    const std::string value =
        option->get_items_expected_max() > 0 ? " " + option->get_type_name() : "";
    fmt::print("| `{}{}` | {} |\n", option->get_name(), value, option->get_description());
  }
  const std::string example = command.get_footer();
  fmt::print("\n```sh\n{}\n```\n", example.substr(example.find(": ") + 2));
}

}  // namespace

void add_manual(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("manual", "All commands and options on one page, in Markdown");
  auto settings = std::make_shared<bool>(false), man = std::make_shared<bool>(false);
  command->add_flag("--settings", *settings,
                    "Instead: all settings of a configuration file for ration train, in Markdown");
  command->add_flag("--man", *man, "Instead: as a page for man, which make install puts in place");
  command->footer("Example: ration manual > commands.md");
  command->callback([&app, settings, man] {
    if (*settings || *man) {
      fmt::print("{}", *man ? man_page(app) : train::settings_page());
      return;
    }
    fmt::print("# The `ration` program\n\n{}.\n\n", app.get_description());
    fmt::print(
        "This page is what `ration manual` prints. Exit status: 0 done, 2 the input is wrong "
        "(one line on standard error says what), 1 anything else.\n");
    for (const CLI::App* each : app.get_subcommands({})) print_command(*each);
  });
}

}  // namespace ration::cli
