#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <sstream>
#include <string>

#include "cli/commands.h"
#include "ration/base/error.h"

namespace {

constexpr int kDone = 0, kFailed = 1, kWrongInput = 2;

// CLI11's own messages can run over several lines; the program promises one.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

// Wraps the descriptions of options and commands so that help fits into 80 columns.
class Formatter : public CLI::Formatter {
 public:
  Formatter() { column_width(kNames); }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_name(), wrapped(command->get_description()), kNames);
    return out.str();
  }

 private:
  static constexpr std::size_t kNames = 20, kColumns = 79;
  static std::string wrapped(const std::string& text) {
    std::istringstream words(text);
    std::string lines, line;
    for (std::string word; words >> word;) {
      if (!line.empty() && kNames + line.size() + 1 + word.size() > kColumns) {
        lines += line + "\n";
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
    }
    return lines + line;
  }
};

void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-' || app.get_subcommand_no_throw(argv[1]) != nullptr) return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands({})) known += command->get_name() + ", ";
  ration::refuse("command", "'" + std::string(argv[1]) + "'",
                 "one of " + known.substr(0, known.size() - 2));
}

int run(int argc, char** argv) {
  CLI::App app("A privacy budget for every person in a data set: certified accounting", "ration");
  app.set_version_flag("--version", RATION_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<Formatter>());
  app.footer("Run 'ration COMMAND --help' for the options of a command and an example.");
  ration::cli::add_convert(app);
  ration::cli::add_compose(app);
  ration::cli::add_calibrate(app);
  ration::cli::add_completion(app);
  ration::cli::add_manual(app);
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
    return kDone;
  } catch (const CLI::Success& e) {  // --help and --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    fmt::print(stderr, "ration: {}; see 'ration --help'\n", one_line(e.what()));
    return kWrongInput;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const ration::Error& e) {
    fmt::print(stderr, "ration: {}\n", one_line(e.what()));
    return kWrongInput;
  } catch (const std::exception& e) {
    fmt::print(stderr, "ration: {}\n", one_line(e.what()));
    return kFailed;
  }
}
