#include <fmt/format.h>

#include <algorithm>

#include "ration/report/html_text.h"
#include "ration/report/page_sections.h"

namespace ration::report {
namespace {

// Curves over time, of everybody and of the largest groups.
class Curves {
 public:
  explicit Curves(PageInput& page)
      : page_(page),
        moments_(points_to_draw(page.results.moments)),
        groups_(largest_groups(page, kOverTime)),
        colours_(group_colours(page)) {}

  Axis time() const {
    return {.title = page_.results.kind == Results::Kind::run ? "epoch" : "steps"};
  }

  // Empty if there is no value at any time.
  template <class ValueOf>
  std::vector<Line> line(std::string name, ValueOf&& value_of) const {
    Line line = {.name = std::move(name), .x = {}, .y = {}, .colour = kEverybodysColour};
    bool any = false;
    for (const ResultsMoment& at : moments_) {
      const double value = value_of(at);
      any |= value == value;
      line.x.push_back(
          static_cast<double>(page_.results.kind == Results::Kind::run ? at.epoch : at.steps));
      line.y.push_back(value);
    }
    return any ? std::vector<Line>{std::move(line)} : std::vector<Line>{};
  }

  // list_of(moment)[0] is of everybody, [1 + g] of group g, each as value(entry, index).
  template <class ListOf, class Value>
  std::vector<Line> lines(const std::string& everybody, ListOf&& list_of, Value&& value) const {
    const auto at_index = [&](std::size_t index) {
      return [&, index](const ResultsMoment& at) {
        const std::span list = list_of(at);
        return index < list.size() ? value(list[index], index) : kUnknown;
      };
    };
    std::vector<Line> all = line(everybody, at_index(0));
    for (const std::size_t g : groups_) {
      for (Line& group : line(page_.results.groups[g], at_index(1 + g))) {
        group.colour = colours_[g];
        all.push_back(std::move(group));
      }
    }
    return all;
  }

  std::string figure(LineChart chart, const FigureText& text) const {
    if (chart.lines.empty()) return {};
    return page_.figures.add(chart, text);
  }

 private:
  PageInput& page_;
  std::vector<ResultsMoment> moments_;
  std::vector<std::size_t> groups_, colours_;
};

double as_is(double value, std::size_t) { return value; }
double if_any(const std::optional<double>& value, std::size_t) { return value.value_or(kUnknown); }

std::string epsilons(const PageInput& page, const Curves& curves) {
  const bool proved = page.promise() || !page.results.epsilon;  // without privacy it is infinite
  std::vector<Line> lines =
      curves.line(proved ? "promise" : "not proved",
                  [](const ResultsMoment& at) { return at.epsilon.value_or(kUnknown); });
  for (Line& line : lines) {
    line.dashed = true;
    line.colour = kPromisesColour;
  }
  for (Line& mean : curves.lines(
           "mean of everybody", [&](const auto& at) { return page.mean_epsilons(at); }, as_is)) {
    lines.push_back(std::move(mean));
  }
  const bool private_too = lines.size() > 1;
  return curves.figure(
      {.frame = {.title = "ε over time", .x = curves.time(), .y = {.title = "ε"}},
       .lines = std::move(lines)},
      {.id = "chart-epsilon-over-time",
       .description = fmt::format("What {} by then{}.", proved ? "is promised" : "it may cost",
                                  private_too ? ", and the mean of what people have spent" : ""),
       .values = FigureText::Values::bounds});
}

std::string active_people(const PageInput& page, const Curves& curves) {
  const auto* individual = page.individual();
  if (!individual) return {};
  // Groups differ in size: shares can be compared.
  const auto share = [&](std::uint64_t active, std::size_t index) {
    const std::size_t people =
        index == 0 ? page.results.people : individual->groups.at(index - 1).people;
    return people == 0 ? kUnknown : 100 * static_cast<double>(active) / static_cast<double>(people);
  };
  return curves.figure(
      {.frame = {.title = "People who take part",
                 .x = curves.time(),
                 .y = {.title = "share of people, %", .from = 0, .to = 100}},
       .lines = curves.lines(
           "everybody", [&](const auto& at) { return page.active(at); }, share)},
      {.id = "chart-active",
       .description = "Anyone who has spent their budget is left out and spends nothing more."});
}

std::string test_loss(const Curves& curves) {
  return curves.figure(
      {.frame = {.title = "Test loss over time", .x = curves.time(), .y = {.title = "loss"}},
       .lines = curves.lines(
           "everybody", [](const auto& at) -> auto& { return at.test_loss; }, if_any)},
      {.id = "chart-loss", .description = "Of people who were not trained on. Less is better."});
}

// What it takes no model to reach: the area under the curve of guesses is one half by definition.
std::vector<Line> baseline(const PageInput& page, const Curves& curves) {
  const bool by_accuracy = page.results.score_name == "accuracy";
  const std::optional<double> score = by_accuracy ? page.majority() : 0.5;
  if (!score) return {};
  std::vector<Line> lines = curves.line(by_accuracy ? "always the most frequent label" : "guessing",
                                        [&](const ResultsMoment&) { return *score; });
  for (Line& line : lines) {
    line.dashed = true;
    line.colour = kPromisesColour;
  }
  return lines;
}

std::string test_score(const PageInput& page, const Curves& curves) {
  const std::string& name = page.results.score_name;
  std::vector<Line> lines = curves.lines(
      "everybody", [](const auto& at) -> auto& { return at.test_score; }, if_any);
  if (lines.empty()) return {};
  std::string description = "Of people who were not trained on. More is better.";
  for (Line& line : baseline(page, curves)) {
    description +=
        fmt::format(" {} gives {:.3g}.",
                    line.name == "guessing" ? "Guessing" : "Naming always the most frequent label",
                    line.y.front());
    lines.push_back(std::move(line));
  }
  return curves.figure({.frame = {.title = fmt::format("Test {} over time", name),
                                  .x = curves.time(),
                                  .y = {.title = name}},
                        .lines = std::move(lines)},
                       {.id = "chart-score", .description = std::move(description)});
}

}  // namespace

std::string time_section(PageInput& page) {
  if (page.results.moments.empty()) return {};
  const Curves curves(page);
  std::string figures = epsilons(page, curves);
  figures += active_people(page, curves);
  figures += test_loss(curves);
  figures += test_score(page, curves);
  if (figures.empty()) return {};
  std::string note;
  const std::size_t groups = groups_shown(page).size();
  if (groups > kOverTime) {
    note = fmt::format("<p>Of {} groups, {} are drawn.</p>\n", counted(groups), kOverTime);
  }
  return note + "<div class=\"figures\">\n" + figures + "</div>\n";
}

}  // namespace ration::report
