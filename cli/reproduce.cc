#include "paper/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/standard_streams.h"
#include "ration/base/error.h"
#include "ration/file/inputs_and_outputs.h"

namespace ration::cli {
namespace {

struct ReproduceOptions {
  std::vector<std::string> names;
  std::string out;
  Text mnist, mimic, test_seed;
  bool quick = false, json = false;
};

std::uint64_t seed_of(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || end != text.data() + text.size()) {
    refuse("--test-seed", "'" + text + "'", "a whole number");
  }
  return seed;
}

paper::Reproduction asked_for(const ReproduceOptions& options) {
  paper::Reproduction asked{.experiments = paper::experiments_named(options.names),
                            .out = options.out,
                            .quick = options.quick};
  if (options.mnist) asked.mnist = *options.mnist;
  if (options.mimic) asked.mimic = *options.mimic;
  if (options.test_seed) asked.test_seed = seed_of(*options.test_seed);
  return asked;
}

// Refuses to write over what is read.
void check_files(const paper::Reproduction& asked) {
  NamedFiles inputs, outputs;
  if (asked.mnist) add_files_in(inputs, "--mnist", *asked.mnist);
  if (asked.mimic) add_files_in(inputs, "--mimic", *asked.mimic);
  add_links_in(outputs, "--out", asked.out);
  check_apart(inputs, outputs);
}

void print_json(const paper::Reproduced& made) {
  Json figures = Json::array();
  for (const auto& [figure, files] : made.figures) {
    Json names = Json::array(), findings = Json::array();
    std::string claim;
    for (const auto& file : files) names.push_back(file.string());
    for (const paper::Claim& each : figure.claims) {
      claim += (claim.empty() ? "" : " ") + each.statement;
      Json& one = findings.emplace_back(Json{{"claim", each.statement}, {"held", each.held}});
      if (const auto finding = printable_finding(figure, each)) one["finding"] = *finding;
    }
    figures.push_back({{"name", figure.name},
                       {"files", names},
                       {"claim", claim},
                       {"held", held(figure)},
                       {"findings", findings},
                       {"private", figure.about_people}});
  }
  print(Json{{"figures", figures}, {"claims", made.claims.string()}, {"page", made.page.string()}});
}

void print_table(const paper::Reproduced& made) {
  std::size_t widest = 0;
  for (const auto& each : made.figures) widest = std::max(widest, each.figure.name.size());
  const auto line = [&](const auto& figure, const auto& claims, const auto& file) {
    fmt::print("{:<{}}  {:<16}  {}\n", figure, widest, claims, file);
  };
  line("figure", "claims held", "data");
  for (const auto& [figure, files] : made.figures) {
    line(figure.name, fmt::format("{} of {}", held_claims(figure), figure.claims.size()),
         files.front().string());
  }
  fmt::print("\n");
  Rows rows;
  for (const auto& [figure, files] : made.figures) {
    for (const paper::Claim& claim : figure.claims) {
      if (claim.held) continue;
      const auto finding = printable_finding(figure, claim);
      rows.emplace_back("not held", claim.statement + (finding ? " " + *finding : ""));
    }
  }
  rows.emplace_back("page", made.page.string());
  print(rows);
}

// The small version says so too when it takes long enough to wonder.
void tell_time(const paper::Reproduction& asked) {
  const auto expected = expected_time(asked);
  if (asked.quick && expected < std::chrono::seconds(10)) return;
  tell(fmt::format("This takes {} on this machine.", paper::in_words(expected)));
}

void run(const ReproduceOptions& options) {
  const paper::Reproduction asked = asked_for(options);
  check_files(asked);
  check_can_make("--out", asked.out);
  const paper::Reproduced made = [&] {
    std::optional<Progress> bar;  // when nothing was refused
    return paper::reproduce(asked, [&](const paper::ReproductionProgress& at) {
      if (!bar) {
        tell_time(asked);
        bar.emplace("Preparing");
      }
      bar->rename(std::string(name(at.experiment)));
      bar->update(at.fraction);
    });
  }();
  options.json ? print_json(made) : print_table(made);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App* command = app.add_subcommand(
      "reproduce", "The paper's figures made anew: data, pictures, and whether its claims hold");
  command->add_option("names", options->names, "gdp-vs-rdp, mnist, clinical, tight-filter or all")
      ->type_name("NAME")
      ->required();
  command
      ->add_option("--out", options->out,
                   "Directory for the figures and for index.html, a page with all of them")
      ->type_name("DIR")
      ->required();
  command->add_flag("--quick", options->quick,
                    "A small version of each experiment: under 5 minutes in all on two cores");
  command
      ->add_option("--mnist", options->mnist,
                   "Folder with the four IDX files of MNIST, by default Debian's Fashion-MNIST")
      ->type_name("DIR");
  command
      ->add_option(
          "--mimic", options->mimic,
          "Folder with train_X.npy, train_y.npy, test_X.npy and test_y.npy of the MIMIC-III "
          "phenotyping benchmark, by default a synthetic cohort")
      ->type_name("DIR");
  command
      ->add_option("--test-seed", options->test_seed,
                   "A test run: noise follows from this seed, and the name of every file says that "
                   "it is not private")
      ->type_name("N");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->footer("Example: ration reproduce gdp-vs-rdp --out paper");
  command->callback([options] { run(*options); });
}

}  // namespace ration::cli
