// Help texts that fit into 80 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>

namespace ration::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(kNames);
    label("SUBCOMMAND", "COMMAND");
  }
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

}  // namespace ration::cli
