#include "ration/report/page.h"

#include <fmt/format.h>
#include <sodium.h>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/report/assets.h"
#include "ration/report/html_text.h"
#include "ration/report/page_sections.h"

namespace ration::report {
namespace {

// What the browser may run or take as style: these very texts, and nothing else that might find its
// way into the page. Nothing is fetched from anywhere.
std::string allowed(std::string_view text) {
  unsigned char hash[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(hash, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  char base64[sodium_base64_ENCODED_LEN(sizeof hash, sodium_base64_VARIANT_ORIGINAL)];
  sodium_bin2base64(base64, sizeof base64, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL);
  return fmt::format("'sha256-{}'", base64);
}

std::string policy() {
  return fmt::format(
      "default-src 'none'; base-uri 'none'; form-action 'none'; script-src {} {}; style-src {}",
      allowed(assets::chart_js()), allowed(assets::program()), allowed(assets::style()));
}

struct Section {
  std::string id, title, html;
};

std::vector<Section> sections(PageInput& page) {
  std::vector<Section> all = {{"guarantee", "The guarantee", guarantee_section(page)},
                              {"attacks", "What an attacker can do", attack_section(page)},
                              {"people", "Worst case and individuals", people_section(page)},
                              {"groups", "Groups side by side", groups_section(page)},
                              {"time", "Over time", time_section(page)},
                              {"person", "One person", person_section(page)}};
  std::erase_if(all, [](const Section& section) { return section.html.empty(); });
  return all;
}

std::string html(const Section& section) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}"
      "</section>\n",
      section.id, section.title, section.html);
}

std::string link(const Section& section) {
  return fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, section.title);
}

// Who answers for the data, and what for.
std::string about(const PageOptions& options) {
  std::string rows;
  const auto add = [&](std::string_view term, const std::string& text) {
    if (!text.empty())
      rows += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", term, escaped(text));
  };
  add("Purpose", options.purpose);
  add("Controller", options.controller);
  return rows.empty() ? "" : fmt::format("<dl class=\"exact about\">\n{}</dl>\n", rows);
}

// As settings have it. The checksum of people's data is not for the public.
std::string made_text(const PageInput& page) {
  const results::Provenance& made = page.results.made;
  std::string lines;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) lines += fmt::format("{} = \"{}\"\n", name, value);
  };
  add("version", made.version);
  add("model_blake2b", made.model);
  if (!page.options.for_the_public) add("data_blake2b", made.data);
  add("ledger_head", made.ledger_head.empty() ? made.ledger_head_at_grant : made.ledger_head);
  return lines.empty() ? "" : "\n[results]\n" + lines;
}

std::string warnings(const PageInput& page) {
  std::vector<std::string> all = page.results.warnings;
  if (const IndividualResults* individual = page.individual()) {
    all.insert(all.end(), individual->warnings.begin(), individual->warnings.end());
  }
  if (page.options.for_the_public || all.empty()) return "";
  std::string items;
  for (const std::string& text : all) items += fmt::format("<li>{}</li>\n", escaped(text));
  return fmt::format(
      "<aside class=\"banner test\" "
      "aria-label=\"Warnings\"><strong>Warnings</strong>\n<ul>\n{}</ul>\n"
      "</aside>\n",
      items);
}

void check(const Results& results, const PageOptions& options) {
  if (options.for_the_public && !results.epsilon) {
    throw Error(
        "--public is for results that promise something: this run was made without privacy, and "
        "what it shows may give away anything about the people it was trained on");
  }
  if (options.for_the_public && results.test_run) {
    throw Error(
        "--public is for results that promise something: the noise of this test run follows from a "
        "known seed, and what it shows may give away anything about the people it was trained on");
  }
  if (!options.person) return;
  if (options.for_the_public) {
    throw Error("--person is private: leave it out of a page for the public");
  }
  if (!results.individual) {
    throw Error("--person needs everybody's own epsilon, which these results do not hold");
  }
  if (*options.person >= results.individual->epsilons.size()) {
    refuse("--person", fmt::format("{}", *options.person),
           fmt::format("a number from 0 to {}", results.individual->epsilons.size() - 1));
  }
}

}  // namespace

std::string report_page(const Results& results, const PageOptions& options) {
  check(results, options);
  PageFigures figures;
  PageInput page = {.results = results, .options = options, .figures = figures};
  std::string main, links;
  for (const Section& section : sections(page)) {
    main += html(section);
    links += link(section);
  }
  const std::string settings =
      (options.for_the_public ? results.shown_settings : results.settings) + made_text(page);
  const std::string kind = results.kind == Results::Kind::run ? "training run" : "set of accounts";
  const std::string title = options.title.empty() ? "Privacy report" : options.title;
  return filled(assets::skeleton(), {{"policy", policy()},
                                     {"style", assets::style()},
                                     {"title", escaped(title)},
                                     {"about", about(options)},
                                     {"kind", kind},
                                     {"data", escaped(results.data)},
                                     {"date", escaped(options.date)},
                                     {"year", escaped(options.date.substr(0, 4))},
                                     {"version", RATION_VERSION},
                                     {"banner", banner(page) + warnings(page)},
                                     {"links", links},
                                     {"sections", main},
                                     {"settings", escaped(settings)},
                                     {"charts", figures.data()},
                                     {"chart_js", assets::chart_js()},
                                     {"program", assets::program()}});
}

void write_page(const std::filesystem::path& file, std::string_view page,
                const PageOptions& options) {
  using Readers = AtomicFile::Readers;
  AtomicFile out(file, options.for_the_public ? Readers::everybody : Readers::owner);
  out.write(page);
  out.commit();
}

}  // namespace ration::report
