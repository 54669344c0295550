#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "ration/file/atomic_file.h"
#include "ration/report/page.h"
#include "ration/results/directory.h"
#include "ration/train/read_results.h"

namespace ration::cli {
namespace {

struct ReportOptions {
  std::string directory, out;
  Text person;
  bool for_the_public = false, json = false;
};

void run(const ReportOptions& options) {
  results::check_spares_results(options.directory, options.out);
  const results::Results results =
      train::read_results(options.directory, options.for_the_public ? results::Sight::public_only
                                                                    : results::Sight::everything);
  report::PageOptions shown = {
      .for_the_public = options.for_the_public,
      .date = fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)))};
  if (options.person) {
    shown.person = static_cast<std::size_t>(
        whole("--person", *options.person, 0, static_cast<double>(results.people) - 1));
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
      ->add_option("--person", options->person, "Show this person's account too (numbered from 0)")
      ->type_name("N");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer("Example: ration report run --out page.html");
  command->callback([options] { run(*options); });
}

}  // namespace ration::cli
