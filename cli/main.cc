#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "cli/commands.h"
#include "cli/help.h"
#include "ration/base/error.h"
#include "ration/file/atomic_file.h"

namespace {

constexpr int kDone = 0, kFailed = 1, kWrongInput = 2;

// CLI11's own messages can run over several lines; the program promises one.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == argv[1]) return;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  ration::refuse("command", "'" + std::string(argv[1]) + "'", "one of " + known);
}

int run(int argc, char** argv) {
  CLI::App app("A privacy budget for every person in a data set: certified accounting", "ration");
  app.set_version_flag("--version", RATION_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<ration::cli::HelpFormatter>());
  app.footer("Run 'ration COMMAND --help' for the options of a command and an example.");
  ration::cli::add_convert(app);
  ration::cli::add_compose(app);
  ration::cli::add_calibrate(app);
  ration::cli::add_account(app);
  ration::cli::add_train(app);
  ration::cli::add_reproduce(app);
  ration::cli::add_report(app);
  ration::cli::add_completion(app);
  ration::cli::add_manual(app);
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
    return kDone;
  } catch (const CLI::Success& e) {  // --help and --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    const auto commands = app.get_subcommands();
    fmt::print(stderr, "ration: {}; see 'ration {}--help'\n", one_line(e.what()),
               commands.empty() ? "" : commands.front()->get_name() + " ");
    return kWrongInput;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const ration::WriteFailure& e) {
    fmt::print(stderr, "ration: {}\n", one_line(e.what()));
    return kFailed;
  } catch (const ration::Error& e) {
    fmt::print(stderr, "ration: {}\n", one_line(e.what()));
    return kWrongInput;
  } catch (const ration::OutOfReach& e) {  // it says what to ask for instead
    fmt::print(stderr, "ration: {}\n", one_line(e.what()));
    return kWrongInput;
  } catch (const std::exception& e) {
    fmt::print(stderr, "ration: {}\n", one_line(e.what()));
    return kFailed;
  }
}
