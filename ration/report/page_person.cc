#include <fmt/format.h>

#include <algorithm>

#include "ration/report/html_text.h"
#include "ration/report/page_sections.h"

namespace ration::report {
namespace {

// By their id, if they have one; not in charts, whose titles are short.
std::string name_of(const IndividualResults& individual, std::size_t person) {
  if (individual.ids.empty()) return fmt::format("{}", person);
  return fmt::format("<b>{}</b>", escaped(individual.ids[person]));
}
std::string short_name(const IndividualResults& individual, std::size_t person) {
  return individual.ids.empty() ? fmt::format("person {}", person) : "this person";
}

// The person's eps and what was promised to everybody by then.
std::string over_time(PageInput& page, const FollowedPerson& followed) {
  const std::string name = short_name(*page.individual(), followed.person);
  Line own = {.name = name, .x = {}, .y = {}};
  for (const FollowedPerson::Point& point : points_to_draw(followed.points)) {
    own.x.push_back(static_cast<double>(point.steps));
    own.y.push_back(point.epsilon.upper);
  }
  Line promise = {.name = "promise", .x = {}, .y = {}, .dashed = true, .colour = kPromisesColour};
  for (const ResultsMoment& at : points_to_draw(page.results.moments)) {
    if (!at.epsilon) continue;
    promise.x.push_back(static_cast<double>(at.steps));
    promise.y.push_back(*at.epsilon);
  }
  LineChart chart = {.frame = {.title = fmt::format("ε of {}", name),
                               .x = {.title = "steps"},
                               .y = {.title = "ε"}},
                     .lines = {std::move(own)}};
  if (page.promise() && !promise.x.empty()) chart.lines.push_back(std::move(promise));
  return page.figures.add(
      chart,
      {.id = "chart-person",
       .description = fmt::format("What this person had spent by then{}.",
                                  page.promise() ? ", against what was promised to everybody" : ""),
       .values = FigureText::Values::bounds});
}

std::string took_part(const Attendance::Person& person) {
  if (person.left_out == 0) {
    return fmt::format("They took part in all of {} steps.", counted(person.admitted));
  }
  // Steps count from 0 in files, from 1 in words.
  return fmt::format("They took part in {} steps and were left out of {}, first at step {}.",
                     counted(person.admitted), counted(person.left_out),
                     counted(std::uint64_t{person.first_left_out} + 1));
}

}  // namespace

std::string person_section(PageInput& page) {
  const auto* individual = page.individual();
  if (!individual || !page.options.person) return {};
  const std::size_t person = *page.options.person;
  const Bound& epsilon = individual->epsilons[person];
  std::string text = fmt::format("<p>Person {} has spent {} ε {}", name_of(*individual, person),
                                 individual->guarantee.certified ? "at most" : "about",
                                 shown_epsilon(epsilon.upper));
  if (const Bound* promise = page.promise()) {
    text += fmt::format(" of the ε {} that everybody is promised", shown_epsilon(promise->upper));
  }
  text += ". ";
  if (!individual->attendance.empty()) text += took_part(individual->attendance[person]);
  text += "</p>\n";
  const auto followed =
      std::find_if(individual->followed.begin(), individual->followed.end(),
                   [&](const FollowedPerson& other) { return other.person == person; });
  if (followed != individual->followed.end()) return text + over_time(page, *followed);
  if (!individual->ids.empty()) {
    return text + (page.results.kind == Results::Kind::run
                       ? "<p>Their account was not followed over time. To follow it, put their id "
                         "into <code>run.follow</code> of the next run's settings.</p>\n"
                       : "<p>Their account was not followed over time. To follow it, give their id "
                         "to <code>ration account --follow</code>.</p>\n");
  }
  return text +
         (page.results.kind == Results::Kind::run
              ? fmt::format("<p>Their account was not followed over time. To follow it, put "
                            "<code>follow = [{}]</code> under <code>[run]</code> in the "
                            "settings of the next run.</p>\n",
                            person)
              : fmt::format("<p>Their account was not followed over time. To follow it, give "
                            "<code>--follow {}</code> to <code>ration account</code>.</p>\n",
                            person));
}

}  // namespace ration::report
