#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/unexpected.h"

namespace ration::cli {

std::string help_of(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
}

void add_help(CLI::App& app) {
  auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("help", "What there is, or what a command does");
  command->add_option("command", *names, "The command, such as train or ledger create")
      ->type_name("COMMAND")
      ->expected(0, 2);
  command->footer("Example: ration help account");
  command->callback([&app, names] {
    const CLI::App* at = &app;
    std::string above;
    for (const std::string& name : *names) {
      above += (above.empty() ? "" : " ") + at->get_name();
      at = &command_named(*at, name);
    }
    fmt::print("{}", names->empty() ? help_of(app) : at->help(above));
  });
}

}  // namespace ration::cli
