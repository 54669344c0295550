#include "paper/reproduce_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "paper/figure.h"
#include "ration/report/html_text.h"

namespace ration::paper {
namespace {

using report::Chart;
using report::escaped;
using report::HtmlTable;

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--paper:#fdfcfa;--raised:#fff;--ink:#1d2327;--soft:#545d66;--line:#d9d6cf;
--link:#0b5394;--yes:#1b5e35;--yes-paper:#e8f4ec;--no:#8c1d18;--no-paper:#fdf0ee;--note:#6b4d00;
--note-paper:#fdf6e3}
@media screen and (prefers-color-scheme:dark){:root{--paper:#101418;--raised:#161b22;--ink:#e6edf3;
--soft:#a9b1b8;--line:#363e45;--link:#8cc4f5;--yes:#a5dcb6;--yes-paper:#16301f;--no:#ffb4a9;
--no-paper:#3b1a17;--note:#f0d48a;--note-paper:#33290d}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1.5rem 1.25rem 4rem;background:var(--paper);color:var(--ink);
font:1.0625rem/1.6 system-ui,sans-serif}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-999rem}.skip:focus{left:1rem;background:var(--raised);padding:.5rem 1rem}
h1{font-size:clamp(1.7rem,5vw,2.4rem);line-height:1.2;margin:.2em 0 .4em}
h2{font-size:1.45rem;line-height:1.25;margin:0 0 .6em}h3{font-size:1.05rem;margin:1.4em 0 .4em}
p,li{max-width:46rem}
section{margin:3rem 0 0;padding:2rem 0 0;border-top:1px solid var(--line)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.25rem;margin:1.25rem 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.banner{border:1px solid;border-radius:8px;padding:.8rem 1.1rem;max-width:46rem;margin:1rem 0}
.private{color:var(--no);background:var(--no-paper)}.test{color:var(--note);background:var(--note-paper)}
.verdict{display:inline-block;white-space:nowrap;font-weight:600;border-radius:999px;padding:0 .7em}
.yes{color:var(--yes);background:var(--yes-paper)}.no{color:var(--no);background:var(--no-paper)}
table{border-collapse:collapse;width:100%;font-size:.94rem;line-height:1.45}
caption{text-align:left;color:var(--soft);padding:0 0 .5rem}
th,td{text-align:left;vertical-align:top;padding:.55rem .8rem .55rem 0;border-bottom:1px solid var(--line)}
thead th{color:var(--soft);font-weight:600}tbody th{font-weight:600}
.claims td:nth-child(1){width:14%}.claims td:nth-child(2){width:27%}.claims td:nth-child(4){width:14%}
figure{margin:1.5rem 0;overflow-x:auto}
figure svg{display:block;width:100%;min-width:30rem;max-width:46rem;border:1px solid var(--line);
border-radius:8px}
.findings{list-style:none;padding:0}.findings li{margin:0 0 .9rem}
.scroll{max-height:26rem;overflow:auto;margin:.8rem 0;border:1px solid var(--line);border-radius:8px;
padding:.6rem .9rem}
.scroll table{width:auto;font-variant-numeric:tabular-nums}
summary{cursor:pointer;color:var(--link)}
footer{margin-top:4rem;padding-top:1.5rem;border-top:1px solid var(--line);color:var(--soft);font-size:.94rem}
@media(max-width:40rem){dl{grid-template-columns:1fr}dd{margin:0 0 .6rem}
.claims thead{position:absolute;left:-999rem}.claims tr{display:block;padding:.8rem 0;
border-bottom:1px solid var(--line)}.claims td{display:block;width:auto!important;border:0;padding:.15rem 0}
.claims td:nth-child(2)::before{content:"Claim: ";color:var(--soft)}
.claims td:nth-child(3)::before{content:"Here: ";color:var(--soft)}
.claims td:nth-child(4)::before{content:"Data: ";color:var(--soft)}}
@media print{body{max-width:none;padding:0;font-size:10.5pt}nav,.skip,details{display:none}
section{break-inside:auto}figure,tr,li{break-inside:avoid}figure svg{min-width:0;max-width:34rem}}
)";

std::string verdict_badge(bool held) {
  return fmt::format(R"(<span class="verdict {}">{} {}</span>)", held ? "yes" : "no",
                     held ? "✓" : "✗", verdict(held));
}

std::string banners(const Reproduction& asked, std::span<const ReproducedFigure> figures) {
  std::string text;
  if (any_about_people(figures)) {
    text +=
        "<p class=\"banner private\" role=\"note\"><strong>This page contains private "
        "values.</strong> "
        "Some of its figures follow from single people's data: how much of their budget people "
        "used, "
        "who was still active, losses of those trained on. None of these numbers is itself "
        "differentially private. Do not pass the page on if the data are those of real "
        "people.</p>\n";
  }
  if (asked.test_seed) {
    text += fmt::format(
        "<p class=\"banner test\" role=\"note\"><strong>This was a test run.</strong> All noise "
        "came "
        "from the seed {}: nothing that was trained here is private.</p>\n",
        *asked.test_seed);
  }
  return text;
}

std::string facts(const Reproduction& asked, std::span<const PreparedExperiment> experiments) {
  std::string text = "<dl>";
  for (const PreparedExperiment& each : experiments) {
    text +=
        fmt::format("<dt>Data of {}</dt><dd>{}</dd>", name(each.experiment), escaped(each.data));
  }
  text += fmt::format("<dt>Version</dt><dd>{}</dd>",
                      asked.quick
                          ? "quick: a small version of each experiment (<code>--quick</code>)"
                          : "full: the paper's noise, clip bounds, steps and numbers of people. "
                            "Chosen here, since the paper does not give them: the hidden size, "
                            "plain SGD and the learning rate of mnist. Data may stand in for "
                            "the paper's, as said above.");
  const bool trains =
      std::any_of(experiments.begin(), experiments.end(), [](const PreparedExperiment& each) {
        return each.experiment == Experiment::mnist || each.experiment == Experiment::clinical;
      });
  if (trains) {
    text += fmt::format("<dt>Noise</dt><dd>{}</dd>",
                        asked.test_seed ? "from a seed: a test run" : "from the operating system");
  }
  return text + "</dl>\n";
}

std::string verdicts(std::span<const ReproducedFigure> figures) {
  std::string rows;
  std::size_t all = 0, held = 0;
  for (const auto& [figure, files] : figures) {
    for (const Claim& claim : figure.claims) {
      ++all;
      held += claim.held ? 1 : 0;
      rows += fmt::format(
          "<tr><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
          figure.name, figure.name, escaped(claim.statement), escaped(claim.finding),
          escaped(figure.on), verdict_badge(claim.held));
    }
  }
  return fmt::format(
      "<section id=\"claims\" aria-labelledby=\"claims-title\"><h2 id=\"claims-title\">{} of {} "
      "claims "
      "held</h2><p>Each verdict was computed from the numbers in <code>claims.csv</code>, which "
      "lie "
      "beside this page with their intervals and limits; where there are several runs with fresh "
      "noise, most of them decide. \"Here\" tells of the first run.</p>\n"
      "<table class=\"claims\"><thead><tr><th scope=\"col\">Figure</th>"
      "<th scope=\"col\">Claim</th><th scope=\"col\">Here</th><th scope=\"col\">Data</th>"
      "<th scope=\"col\">Verdict</th></tr></thead>"
      "<tbody>\n{}</tbody></table></section>\n",
      held, all, rows);
}

// The data themselves if there are few enough rows to read; otherwise only the file.
std::string data_table(const Figure& figure) {
  constexpr std::size_t kMostRows = 320;
  if (figure.data.rows.empty() || figure.data.rows.size() > kMostRows) return "";
  HtmlTable table{.caption = "Data of " + figure.name, .columns = figure.data.columns, .rows = {}};
  for (const auto& row : figure.data.rows) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (const auto& cell : row) cells.push_back(text_of(cell));
  }
  return fmt::format("<details><summary>Data as a table ({} rows)</summary>{}</details>\n",
                     table.rows.size(), html(table));
}

std::string file_links(const ReproducedFigure& made) {
  std::string links;
  for (const auto& file : made.files) {
    const std::string shown = escaped(file.filename().string());
    links += fmt::format("{}<a href=\"{}\">{}</a>", links.empty() ? "" : ", ", shown, shown);
  }
  return links;
}

std::string figure_section(const ReproducedFigure& made) {
  const Figure& figure = made.figure;
  std::string text = fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>\n"
      "<p><strong>The paper.</strong> {2}</p>\n<p><strong>Here.</strong> {3}</p>\n",
      figure.name, escaped(figure.title), escaped(figure.paper), escaped(figure.here));
  for (const Chart& chart : figure.charts) text += fmt::format("<figure>{}</figure>\n", svg(chart));
  if (!figure.claims.empty()) text += "<h3>What came out</h3><ul class=\"findings\">\n";
  for (const Claim& claim : figure.claims) {
    text += fmt::format("<li>{} {} <em>{}</em></li>\n", verdict_badge(claim.held),
                        escaped(claim.statement), escaped(claim.finding));
  }
  if (!figure.claims.empty()) text += "</ul>\n";
  if (!figure.corrections.empty()) text += "<h3>Corrections to the paper</h3><ul>\n";
  for (const std::string& each : figure.corrections) {
    text += fmt::format("<li>{}</li>\n", escaped(each));
  }
  if (!figure.corrections.empty()) text += "</ul>\n";
  return text + fmt::format("<p>Files{}: {}.</p>\n{}</section>\n",
                            figure.about_people ? " (private)" : "", file_links(made),
                            data_table(figure));
}

std::string contents(std::span<const ReproducedFigure> figures) {
  std::string text = "<nav aria-label=\"Figures\"><ul>";
  for (const auto& [figure, files] : figures) {
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>", figure.name, escaped(figure.title));
  }
  return text + "</ul></nav>\n";
}

}  // namespace

std::string reproduction_page(const Reproduction& asked,
                              std::span<const PreparedExperiment> experiments,
                              std::span<const ReproducedFigure> figures) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<meta name=\"color-scheme\" content=\"light dark\">"
      "<title>The paper made anew: individual privacy accounting</title><style>{}</style></head>"
      "<body><a class=\"skip\" href=\"#main\">To the results</a>\n<header>"
      "<h1>Individual privacy accounting: the paper made anew</h1>"
      "<p>The figures of Koskela, Tobaben and Honkela, <cite>Individual Privacy Accounting with "
      "Gaussian Differential Privacy</cite> (2023), computed by <code>ration reproduce</code> and "
      "compared with what the paper says.</p>\n",
      kStyle);
  text += banners(asked, figures) + facts(asked, experiments) + "</header>\n" + contents(figures);
  text += "<main id=\"main\">\n" + verdicts(figures);
  for (const ReproducedFigure& each : figures) text += figure_section(each);
  return text +
         "</main>\n<footer><p>A claim held when the numbers that it is judged by satisfy it as it "
         "is "
         "written, in most runs if there are several, and did not hold when they do not; \"not "
         "resolved\" says that they do not contradict it either. Every eps and delta that is "
         "called "
         "certified "
         "is the upper end of a proved bound. How claims are judged: "
         "docs/reproduce.md.</p></footer>"
         "</body></html>\n";
}

}  // namespace ration::paper
