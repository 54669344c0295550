#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/interrupts.h"
#include "cli/standard_streams.h"
#include "cli/unexpected.h"
#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/train/run.h"

namespace {

constexpr int kDone = 0, kFailed = 1, kWrongInput = 2;

// CLI11's own messages can run over several lines; the program promises one.
void say(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  ration::cli::tell("ration: " + text);
}

int run(int argc, char** argv) {
  CLI::App app("A privacy budget for every person in a data set: certified accounting", "ration");
  app.set_version_flag("--version", "ration " RATION_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<ration::cli::HelpFormatter>());
  app.footer("Run 'ration help COMMAND' for the options of a command and an example.");
  ration::cli::add_convert(app);
  ration::cli::add_compose(app);
  ration::cli::add_calibrate(app);
  ration::cli::add_account(app);
  ration::cli::add_train(app);
  ration::cli::add_reproduce(app);
  ration::cli::add_report(app);
  ration::cli::add_ledger(app);
  ration::cli::add_completion(app);
  ration::cli::add_manual(app);
  ration::cli::add_help(app);
  for (CLI::App* command : app.get_subcommands({})) command->group("Commands");
  if (argc < 2) {
    fmt::print("{}", ration::cli::help_of(app));
    return kDone;
  }
  if (argv[1][0] != '-') ration::cli::command_named(app, argv[1]);
  try {
    app.parse(argc, argv);
    return kDone;
  } catch (const CLI::Success& e) {  // --help and --version
    std::ostringstream text;
    app.exit(e, text);
    fmt::print("{}", text.str());
    return kDone;
  } catch (const CLI::ParseError& e) {
    say(ration::cli::refusal_of(app, e));
    return kWrongInput;
  }
}

int status_of(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const ration::train::Stopped& e) {
    say(e.what());
    return ration::cli::Interrupts::status();
  } catch (const ration::WriteFailure& e) {
    say(e.what());
    return kFailed;
  } catch (const ration::Error& e) {
    say(e.what());
    return kWrongInput;
  } catch (const ration::OutOfReach& e) {  // it says what to ask for instead
    say(e.what());
    return kWrongInput;
  } catch (const std::exception& e) {
    // A failed print is told below.
    if (std::ferror(stdout) == 0) say(e.what());
    return kFailed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  ration::cli::prepare_standard_streams();
  const int status = status_of(argc, argv);
  const auto failure = ration::cli::printing_failure();
  if (failure) say(*failure);
  return failure ? kFailed : status;
}
