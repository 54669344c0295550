#include <fmt/format.h>

#include <algorithm>

#include "ration/base/bound.h"
#include "ration/individual/quantiles.h"
#include "ration/numeric/directed.h"
#include "ration/report/attack.h"
#include "ration/report/html_text.h"
#include "ration/report/page_sections.h"

namespace ration::report {
namespace {

// A coin decides: right with probability (1 + advantage) / 2.
std::string in_one_sentence(const Results& results) {
  const double right = std::min(100.0, mul_up(50, add_up(1, most_advantage(attacked(results)))));
  return fmt::format(
      "Suppose that a coin decides whether one person's data are used. Whoever sees {} and guesses "
      "how the coin fell is right at most <strong>{} times in 100</strong>, whatever they know "
      "about the data and about everybody else. Without it they are right 50 times in 100.",
      is_run(results) ? "the trained model, or anything made from it,"
                      : "everything that the steps released",
      rounded_up(right, 3));
}

std::string row(std::string_view term, std::string_view html) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", term, html);
}

// The promise is about one person; those who live together ask for more.
std::string households(const Results& results) {
  const auto pair = [&](int people) {
    const auto [epsilon, delta] = promised_to(people, attacked(results));
    return fmt::format("({}, {})", rounded_up(epsilon, 6), rounded_up(delta, 6));
  };
  return fmt::format(
      "all of whose people are in the data, or none: of two at most {}-differential privacy, of "
      "four at most {}",
      pair(2), pair(4));
}

std::string exact_form(const PageInput& page) {
  const Guarantee& guarantee = *page.results.guarantee;
  std::string rows;
  if (const Bound* promise = page.promise()) {
    rows +=
        row("Guarantee", fmt::format("({}, {})-differential privacy", rounded_up(promise->upper, 6),
                                     double{*page.results.delta}));
    rows += row("ε lies in",
                fmt::format("[{}, {}]", rounded_down(promise->lower), rounded_up(promise->upper)));
  }
  rows += row("Theorem", escaped(guarantee.theorem));
  rows += row("Neighbours", escaped(guarantee.neighbours));
  if (page.promise()) rows += row("A household", households(page.results));
  if (page.results.together) rows += row("Records", "all records of a person count together");
  rows += row("Steps", guarantee.adaptive ? "may be chosen in view of what was released before"
                                          : "were fixed in advance");
  if (page.results.test_run) return fmt::format("<dl class=\"exact\">\n{}</dl>\n", rows);
  rows +=
      row("Certified", guarantee.certified ? "yes: every numerical error is inside the bounds"
                                           : "<strong>no</strong>: the numbers are approximations");
  return fmt::format("<dl class=\"exact\">\n{}</dl>\n", rows);
}

std::string card(std::string_view name, std::string_view value, std::string_view note) {
  return fmt::format(
      "<div><dt>{}</dt><dd><span class=\"value\">{}</span> <span class=\"note\">{}</span></dd>"
      "</div>\n",
      name, value, note);
}

std::string epsilon(const Bound& bound) { return fmt::format("ε {}", shown_epsilon(bound.upper)); }

std::string cards(const PageInput& page) {
  const Results& results = page.results;
  std::string all;
  if (const Bound* promise = page.promise()) {
    all += card("Promise", epsilon(*promise),
                fmt::format("to everybody, at δ {}", double{*results.delta}));
  }
  if (results.worst_case) {
    all += card(results.worst_case_proved ? "Worst case" : "Worst case, approximated",
                epsilon(*results.worst_case),
                "if somebody always contributed as much as the clip bound allows and were never "
                "left out");
  }
  if (results.budget) {
    all += card("Budget", epsilon(*results.budget), "above which a person's data are left out");
  }
  if (const auto* individual = page.individual()) {
    all += card("Half of the people", epsilon(spent_by(50, individual->epsilons)),
                individual->guarantee.certified ? "or less, by their own account"
                                                : "or less, by an approximation");
  }
  all +=
      card("People", counted(results.people),
           fmt::format("in {} {}", counted(results.steps), results.steps == 1 ? "step" : "steps"));
  return fmt::format("<dl class=\"numbers\">\n{}</dl>\n", all);
}

// Two numbers side by side need a word on which is which.
std::string promise_and_worst_case(const PageInput& page) {
  const Results& results = page.results;
  const Bound* const promise = page.promise();
  if (!promise || !results.worst_case) return {};
  const std::string promised = "<p>The promise is what holds for everybody. ";
  if (promise->upper == results.worst_case->upper) {
    return promised +
           "Here it is the worst case: what the steps cost somebody who always contributes as much "
           "as the clip bound allows.</p>\n";
  }
  return promised +
         "The worst case is what the same steps would cost somebody who always contributes as much "
         "as the clip bound allows, if nobody were ever left out. The filter leaves a person out "
         "before they have spent more than the budget, and so the promise is smaller.</p>\n";
}

// What a filter is that few have heard of.
std::string about_the_filter(const PageInput& page) {
  if (page.results.filter != "tight") return {};
  return "<p>The filter is a tight one: before the first step it fixes what a step costs a person, "
         "by how well the noise hides what they contribute, and it leaves them out of every step "
         "that they can no longer pay for. What the budget allows all steps together to give away "
         "is worked out against the worst case, in which whoever chooses the steps sees everything "
         "that was released before and picks each next one to learn as much as possible about that "
         "one person.</p>\n";
}

// A reader must not take an approximation for a promise.
std::string nothing_proved(const Results& results) {
  if (results.test_run) {
    return "None. This is a test run: its noise follows from a known seed, and whoever knows that "
           "can take the noise away.";
  }
  return is_run(results)
             ? "None that is proved. What the run may give away is too much for the error of its "
               "noise to be bounded: train with more noise, or for fewer epochs."
             : "None that is proved. These accounts were made by an approximation, which may say "
               "less than was spent: account again with <code>--method pld</code>.";
}

std::string interrupted(const Results& results) {
  if (results.charged_steps <= results.steps) return {};
  return fmt::format(
      "<p>The run was interrupted: {} steps were charged for {} that were done. What was done "
      "again was paid for again, and is counted.</p>\n",
      counted(results.charged_steps), counted(results.steps));
}

}  // namespace

std::string banner(const PageInput& page) {
  std::string kind, title, text;
  if (page.results.test_run) {
    kind = "test";
    title = "Test run, without any guarantee: do not publish this page.";
    text =
        "The noise follows from a known seed: it hides nothing. The page holds values that depend "
        "on single people's data. Epsilons are what the same run would cost with real noise.";
  } else if (page.options.for_the_public) {
    kind = "public";
    title = "This page may be shown.";
    text =
        "Left out is what depends on single people's data and is not covered by the guarantee: "
        "everybody's own epsilon and its distribution, epsilons of groups, losses of the people "
        "who were trained on, and who took part. The number of people is taken to be public.";
    if (is_run(page.results)) {
      text += fmt::format(
          " Losses and scores of test people are shown as they are: the guarantee is about the "
          "people who were trained on, and does not cover them. Groups with fewer than {} test "
          "people are left out, and others where they would follow from these.",
          kLeastShown);
    }
  } else if (!page.results.epsilon) {
    kind = "private";
    title = "Private: do not publish this page.";
    text =
        "The run was made without privacy. What it shows may give away anything about the people "
        "it was trained on.";
  } else {
    kind = "private";
    title = "Private: do not publish this page.";
    text =
        "It holds values that depend on single people's data: their epsilons, how these are "
        "distributed, and who took part. The guarantee below does not cover them. For a page that "
        "may be shown, give the option <code>--public</code>.";
  }
  return fmt::format(
      "<aside class=\"banner {}\" aria-label=\"Who may see this page\"><p><strong>{}</strong> "
      "{}</p>"
      "</aside>\n",
      kind, title, text);
}

std::string guarantee_section(const PageInput& page) {
  const Results& results = page.results;
  if (!results.epsilon || !results.delta || !results.guarantee) {
    return "<p class=\"sentence\">None. This run was made without privacy: no clipping, no noise, "
           "no accounts. The model may give away anything about the people it was trained "
           "on.</p>\n";
  }
  if (!page.promise()) {
    return fmt::format("<p class=\"sentence\">{}</p>\n{}{}<h3>By which method</h3>\n{}",
                       nothing_proved(results), cards(page), interrupted(results),
                       exact_form(page));
  }
  return fmt::format(
      "<p class=\"sentence\">{}</p>\n<p>This holds for each of the {} people, whatever their data "
      "are.</p>\n{}{}{}{}<h3>In its exact form</h3>\n{}",
      in_one_sentence(results), counted(results.people), cards(page), promise_and_worst_case(page),
      about_the_filter(page), interrupted(results), exact_form(page));
}

}  // namespace ration::report
