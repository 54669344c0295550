#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cctype>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/file/inputs_and_outputs.h"
#include "ration/report/page.h"
#include "ration/results/directory.h"
#include "ration/train/read_results.h"

namespace ration::cli {
namespace {

struct ReportOptions {
  std::string directory, out;
  Text person, title, purpose, controller;
  bool for_the_public = false, json = false;
};

// A page is HTML, whatever its name says: better to hear it before the page is made.
void check_is_page(const std::string& out) {
  std::string ending = std::filesystem::path(out).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending == ".html" || ending == ".htm") return;
  refuse("--out", "'" + out + "'",
         "a name that ends in .html: a browser opens that page and prints it as PDF");
}

std::string words(std::string_view option, const Text& given) {
  if (!given) return {};
  if (given->find_first_not_of(" \t\r\n") == std::string::npos) {
    refuse(option, "'" + *given + "'", "some words, or leave the option out");
  }
  return *given;
}

void run(const ReportOptions& options) {
  check_can_write("--out", options.out);
  results::check_spares_results(options.directory, options.out);
  check_is_page(options.out);
  const results::Results results =
      train::read_results(options.directory, options.for_the_public ? results::Sight::public_only
                                                                    : results::Sight::everything);
  report::PageOptions shown = {
      .for_the_public = options.for_the_public,
      .date = fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))),
      .title = words("--title", options.title),
      .purpose = words("--purpose", options.purpose),
      .controller = words("--controller", options.controller)};
  if (options.person) {
    shown.person =
        person("--person", *options.person, results.people,
               results.individual ? results.individual->ids : std::vector<std::string>());
  }
  report::write_page(options.out, report::report_page(results, shown), shown);
  if (options.json) {
    print(Json{{"page", options.out}, {"public", options.for_the_public}});
    return;
  }
  print(Rows{{"page", options.out},
             {"shown to", options.for_the_public
                              ? "anybody: private values were left out"
                              : "its owner alone: it holds private values. For a page that may be "
                                "shown, give --public"}});
}

}  // namespace

void add_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "A page to look at, from the results of train or account");
  command
      ->add_option("directory", options->directory,
                   "Run directory of ration train, or what ration account --results wrote")
      ->type_name("DIR")
      ->required();
  command->add_option("--out", options->out, "The page: one HTML file that needs nothing else")
      ->type_name("PAGE.html")
      ->required();
  command->add_flag("--public", options->for_the_public,
                    "Leave out every value that depends on single people's data or on who took "
                    "part. Without it the page is for its owner alone, and only they may read it");
  command
      ->add_option("--person", options->person,
                   "Show this person's account too, by their id or, if people have none, by their "
                   "number from 0 on")
      ->type_name("ID");
  command->add_option("--title", options->title, "What the page is called (Privacy report)")
      ->type_name("TEXT");
  command
      ->add_option("--purpose", options->purpose,
                   "What the results are for, as the page is to say it")
      ->type_name("TEXT");
  command
      ->add_option("--controller", options->controller,
                   "Who answers for the data, as the page is to say it")
      ->type_name("TEXT");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer("Example: ration report run --out page.html");
  command->callback([options] { run(*options); });
}

}  // namespace ration::cli
