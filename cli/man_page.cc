#include "cli/man_page.h"

#include <fmt/format.h>

namespace ration::cli {
namespace {

// A hyphen that is typed, a backslash, and a line that begins like a request of roff.
std::string escaped(const std::string& text) {
  std::string roff = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else {
      roff += c;
    }
  }
  return roff;
}

std::string section_of(const CLI::App& command, const std::string& prefix = "RATION ") {
  if (const auto inner = command.get_subcommands({}); !inner.empty()) {
    std::string pages;
    for (const CLI::App* each : inner) {
      pages += section_of(*each, prefix + command.get_name() + " ");
    }
    return pages;
  }
  std::string page = fmt::format(".SH \"{}{}\"\n{}.\n", escaped(prefix),
                                 escaped(command.get_name()), escaped(command.get_description()));
  for (const CLI::Option* option : command.get_options()) {
    page += fmt::format(".TP\n\\fB{}\\fR", escaped(option->get_name()));
    if (option->get_items_expected_max() > 0) {
      page += fmt::format(" \\fI{}\\fR", escaped(option->get_type_name()));
    }
    page += fmt::format("\n{}.\n", escaped(option->get_description()));
  }
  return page + fmt::format(".PP\n{}\n", escaped(command.get_footer()));
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string page = fmt::format(
      ".TH RATION 1 \"\" \"ration {}\"\n.SH NAME\nration \\- {}\n.SH SYNOPSIS\n"
      "\\fBration\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.SH \"EXIT STATUS\"\n"
      "0 done, 2 the input is wrong (one line on standard error says what), 1 anything else.\n",
      RATION_VERSION, escaped(app.get_description()));
  for (const CLI::App* each : app.get_subcommands({})) page += section_of(*each);
  return page;
}

}  // namespace ration::cli
