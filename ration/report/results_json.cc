#include "ration/report/results_json.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/label_text.h"
#include "ration/individual/accounts.h"
#include "ration/mechanism/plan.h"

namespace ration::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPeople = std::size_t{1} << 40;

// A place in the document, which refusals name: "summary.json: individual.method".
class Field {
 public:
  Field(const Json& value, std::string place) : value_(value), place_(std::move(place)) {}

  [[noreturn]] void refuse(std::string_view accepted) const {
    throw Error(fmt::format("{} is not {}: give the file as it was written", place_, accepted));
  }

  bool is_null() const { return value_.is_null(); }
  std::optional<Field> find(const std::string& key) const {
    if (!value_.is_object()) refuse("a list of names and values");
    const auto found = value_.find(key);
    if (found == value_.end()) return std::nullopt;
    return Field(*found, fmt::format("{}{}{}", place_, place_.ends_with(':') ? " " : ".", key));
  }
  Field operator[](const std::string& key) const {
    if (auto found = find(key)) return *std::move(found);
    throw Error(fmt::format("{}{}{} is missing: give the file as it was written", place_,
                            place_.ends_with(':') ? " " : ".", key));
  }

  std::string text() const {
    if (!value_.is_string()) refuse("a text");
    return value_.get<std::string>();
  }
  bool truth() const {
    if (!value_.is_boolean()) refuse("true or false");
    return value_.get<bool>();
  }
  std::uint64_t whole(std::uint64_t most) const {
    if (!value_.is_number_unsigned() || value_.get<std::uint64_t>() > most) {
      refuse(fmt::format("a whole number up to {}", most));
    }
    return value_.get<std::uint64_t>();
  }
  bool is_infinite() const { return value_.is_string() && value_ == "inf"; }
  double number() const {
    if (is_infinite()) return std::numeric_limits<double>::infinity();
    if (!value_.is_number()) refuse("a number");
    return value_.get<double>();
  }
  template <class Value>
  Value checked() const {
    const double value = number();
    try {
      return Value(value);
    } catch (const Error&) {
      refuse("a value that it can have");
    }
  }
  Bound epsilon() const {
    const Bound found = {.lower = (*this)["lower"].number(), .upper = (*this)["upper"].number()};
    if (!(0 <= found.lower && found.lower <= found.upper)) refuse("a bound on an epsilon");
    return found;
  }
  Guarantee guarantee() const {
    return {.theorem = (*this)["theorem"].text(),
            .adaptive = (*this)["adaptive"].truth(),
            .certified = (*this)["certified"].truth(),
            .neighbours = (*this)["neighbours"].text()};
  }
  Quantiles quantiles() const {
    Quantiles found{};
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i] = (*this)[fmt::format("{}", kQuantiles[i])].epsilon();
      if (i > 0 &&
          !(found[i - 1].lower <= found[i].lower && found[i - 1].upper <= found[i].upper)) {
        refuse("quantiles that grow");
      }
    }
    return found;
  }

  template <class Visit>
  void for_members(const Visit& visit) const {
    if (!value_.is_object()) refuse("a list of names and values");
    for (const auto& [name, value] : value_.items()) visit(name, Field(value, place_ + " of one"));
  }
  template <class Visit>
  void for_elements(const Visit& visit) const {
    if (!value_.is_array()) refuse("a list");
    for (const Json& value : value_) visit(Field(value, place_ + " of one"));
  }

 private:
  const Json& value_;
  std::string place_;
};

void read_groups(const Field& groups, Results& results) {
  std::size_t people = 0;
  groups.for_members([&](const std::string& label, const Field& group) {
    if (fault_of_label(label)) groups.refuse("by labels of plain text");
    const std::size_t members = group["people"].whole(results.people);
    results.groups.push_back(label);
    results.individual->groups.push_back(
        {.people = members,
         .quantiles = members == 0 ? Quantiles{} : group["quantiles"].quantiles()});
    people += members;
  });
  const std::unordered_set<std::string> names(results.groups.begin(), results.groups.end());
  if (names.size() != results.groups.size()) groups.refuse("of groups with different names");
  if (people != results.people) groups.refuse("of as many people as the results are");
}

void read_followed(const Field& followed, Results& results) {
  followed.for_elements([&](const Field& person) {
    results.individual->followed.push_back(
        {.person = person.whole(results.people - 1), .points = {}});
  });
}

void read_individual(const Field& summary, Results& results) {
  const Field individual = summary["individual"];
  results.individual = {.method = individual["method"].text(),
                        .guarantee = individual["guarantee"].guarantee(),
                        .epsilons = {},
                        .attendance = {},
                        .quantiles = individual["quantiles"].quantiles()};
  if (const auto groups = individual.find("groups")) read_groups(*groups, results);
  if (const auto followed = individual.find("followed")) read_followed(*followed, results);
}

// What an account was made from, in place of settings: they were options of the program.
void read_plan(const Field& summary, Results& results) {
  const auto clip = summary["clip"].checked<Clip>();
  results.settings = fmt::format("norms = {}\nclip = {}\ndelta = {}\n", Json(results.data).dump(),
                                 double{clip}, double{*results.delta});
  if (const auto filter = summary.find("filter")) {
    results.settings += fmt::format("filter = {}\n", Json(filter->text()).dump());
  }
  results.gaussian = true;
  double steps = 0;
  summary["plan"].for_elements([&](const Field& entry) {
    const NoisySteps like = {.noise = entry["noise"].checked<Noise>(),
                             .rate = entry["rate"].checked<Rate>(),
                             .steps = entry["steps"].checked<Steps>()};
    results.gaussian &= like.rate == 1.0;
    steps += like.steps;
    results.settings += fmt::format("\n[[plan]]\nnoise = {}\nrate = {}\nsteps = {}\n",
                                    double{like.noise}, double{like.rate}, double{like.steps});
  });
  if (steps != static_cast<double>(results.steps)) {
    summary["plan"].refuse("of as many steps as the results are");
  }
  results.shown_settings = results.settings;
}

void read_promise(const Field& summary, Results& results) {
  results.delta = summary["delta"].checked<Delta>();
  results.epsilon = summary["epsilon"].epsilon();
  const Field worst_case = summary["worst_case"];
  results.worst_case = worst_case.epsilon();
  if (const auto budget = summary.find("budget")) results.budget = budget->epsilon();
  results.guarantee = summary["guarantee"].guarantee();
  const auto proved = worst_case.find("certified");
  results.worst_case_proved = proved ? proved->truth() : results.guarantee->certified;
  if (results.charged_steps < results.steps) {
    summary["charged_steps"].refuse("as many steps as were done, or more");
  }
}

// About people who were not trained on, and public.
void read_test(const Field& test, Results& results) {
  const auto finite = [&](const char* key) -> std::optional<double> {
    const auto found = test.find(key);
    if (!found || found->is_null() || found->is_infinite()) return std::nullopt;
    return found->number();
  };
  results.test = {.loss = finite("loss"), .score = finite("accuracy")};
  if (!results.test.score) results.test.score = finite("macro_auc");
  const auto people = test.find("people");
  if (!people) return;
  people->for_members([&](const std::string& label, const Field& count) {
    if (fault_of_label(label)) people->refuse("by labels of plain text");
    results.test_people[label] = count.whole(kMostPeople);
  });
}

}  // namespace

Results parse_summary(std::string_view text, const std::string& source, Results::Kind kind,
                      Sight sight) {
  const Json document = Json::parse(text.begin(), text.end(), nullptr, false);
  if (document.is_discarded() || !text.ends_with('\n')) {
    refuse(source, "cut off or damaged", "the file as it was written");
  }
  const Field summary(document, source + ":");
  Results results = {.kind = kind,
                     .data = summary["data"].text(),
                     .people = summary["people"].whole(kMostPeople),
                     .steps = summary["steps"].whole(Accounts::kMostSteps),
                     .charged_steps = summary["charged_steps"].whole(Accounts::kMostSteps),
                     .score_name = {},
                     .groups = {},
                     .moments = {},
                     .settings = {}};
  // A test run says so in its summary too, so that its files cannot be renamed into private ones.
  results.test_run = summary.find("not_private").has_value();
  if (results.test_run && kind == Results::Kind::account) {
    summary["not_private"].refuse("part of an account's results");
  }
  if (results.people == 0) summary["people"].refuse("a number of people");
  if (results.steps == 0) summary["steps"].refuse("a number of steps");
  const bool is_private = kind == Results::Kind::account || !summary["epsilon"].is_infinite();
  if (is_private) {
    read_promise(summary, results);
    if (sight == Sight::everything) read_individual(summary, results);
  } else if (!summary["delta"].is_null() || !summary["guarantee"].is_null()) {
    summary["delta"].refuse("null, although the results promise nothing");
  }
  if (const auto test = summary.find("test")) read_test(*test, results);
  if (kind == Results::Kind::account) read_plan(summary, results);
  return results;
}

}  // namespace ration::results
