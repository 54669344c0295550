#include "ration/results/summary_json.h"

#include <fmt/format.h>

#include <limits>
#include <unordered_set>
#include <utility>

#include "ration/base/error.h"
#include "ration/dataset/label_names.h"
#include "ration/individual/accounts.h"
#include "ration/mechanism/mechanism.h"
#include "ration/results/json.h"

namespace ration::results {
namespace {

constexpr std::size_t kMostPeople = std::size_t{1} << 40;
constexpr const char *kAccuracy = "accuracy", *kMacroAuc = "macro_auc", *kTogether = "together";

Json or_null(const std::optional<double>& value) { return value ? json(*value) : Json(nullptr); }

Json json_of(const Results::Test& test, const Results& results) {
  Json document = {{"loss", or_null(test.loss)},
                   {test.by_accuracy ? kAccuracy : kMacroAuc, or_null(test.score)}};
  if (test.majority) document["majority"] = json(*test.majority);
  Json people = Json::object();
  for (const std::string& label : results.groups) {
    const auto found = results.test_people.find(label);
    if (found != results.test_people.end()) people[label] = found->second;
  }
  if (!people.empty()) document["people"] = people;
  return document;
}

Json json_of(const IndividualResults& individual, const Results& results) {
  Json document = {{"quantiles", json(individual.quantiles)},
                   {"method", individual.method},
                   {"guarantee", json(individual.guarantee)}};
  if (!individual.groups.empty()) document["groups"] = json(results.groups, individual.groups);
  if (individual.wide > 0) document["wide"] = individual.wide;
  // A run's settings say who was followed.
  if (results.kind == Results::Kind::account && !individual.followed.empty()) {
    document["followed"] = Json::array();
    for (const FollowedPerson& followed : individual.followed) {
      document["followed"].push_back(followed.person);
    }
  }
  if (!individual.warnings.empty()) document["warnings"] = individual.warnings;
  document["private"] = kPrivate;
  return document;
}

Json json_of(const Provenance& made) {
  Json document = Json::object();
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) document[name] = value;
  };
  add("version", made.version);
  add("started", made.started);
  add("model_blake2b", made.model);
  add("data_blake2b", made.data);
  add("ledger_token", made.ledger_token);
  add("ledger_head_at_grant", made.ledger_head_at_grant);
  add("ledger_head", made.ledger_head);
  return document;
}

Json json_of(const AccountedPlan& plan) {
  Json document = Json::array();
  for (const auto& [noise, rate, steps] : plan.entries) {
    document.push_back({{"noise", double{noise}}, {"rate", double{rate}}, {"steps", steps}});
  }
  return document;
}

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
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for_elements([&](const Field& element) { all.push_back(element.text()); });
    return all;
  }
  std::string dump() const {
    if (!value_.is_object()) refuse("a list of names and values");
    return value_.dump();
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
      found[i] = (*this)[quantile_name(i)].epsilon();
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
  if (const auto wide = individual.find("wide"))
    results.individual->wide = wide->whole(results.people);
  if (const auto groups = individual.find("groups")) read_groups(*groups, results);
  if (const auto followed = individual.find("followed")) read_followed(*followed, results);
  if (const auto texts = individual.find("warnings")) results.individual->warnings = texts->texts();
}

// The checksum of people's data is theirs.
void read_provenance(const Field& made, Sight sight, Results& results) {
  const auto text = [&](const char* key) {
    const auto found = made.find(key);
    return found ? found->text() : std::string();
  };
  results.made = {.version = text("version"),
                  .started = text("started"),
                  .model = text("model_blake2b"),
                  .data = sight == Sight::everything ? text("data_blake2b") : std::string(),
                  .ledger_token = text("ledger_token"),
                  .ledger_head_at_grant = text("ledger_head_at_grant"),
                  .ledger_head = text("ledger_head")};
}

// What an account was made from, in place of settings: they were options of the program.
void read_plan(const Field& summary, Results& results) {
  const auto clip = summary["clip"].checked<Clip>();
  results.settings = fmt::format("norms = {}\nclip = {}\ndelta = {}\n", Json(results.data).dump(),
                                 double{clip}, double{*results.delta});
  results.plan = {.clip = clip, .entries = {}};
  if (!results.filter.empty()) {
    results.settings += fmt::format("filter = {}\n", Json(results.filter).dump());
  }
  results.gaussian = true;
  double steps = 0;
  summary["plan"].for_elements([&](const Field& entry) {
    const NoisySteps like = {.noise = entry["noise"].checked<Noise>(),
                             .rate = entry["rate"].checked<Rate>(),
                             .steps = entry["steps"].checked<Steps>()};
    results.gaussian &= like.rate == 1.0;
    steps += like.steps;
    results.plan->entries.push_back({.noise = like.noise,
                                     .rate = like.rate,
                                     .steps = static_cast<std::uint64_t>(double{like.steps})});
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
  if (const auto filter = summary.find("filter")) results.filter = filter->text();
  if (const auto budget = summary.find("budget")) results.budget = budget->epsilon();
  results.guarantee = summary["guarantee"].guarantee();
  const auto proved = worst_case.find("certified");
  results.worst_case_proved = proved ? proved->truth() : results.guarantee->certified;
  if (results.charged_steps < results.steps) {
    summary["charged_steps"].refuse("as many steps as were done, or more");
  }
}

// About people who were not trained on, and public but for what counts their labels.
void read_test(const Field& test, Results& results, Sight sight) {
  const auto finite = [&](const char* key) -> std::optional<double> {
    const auto found = test.find(key);
    if (!found || found->is_null() || found->is_infinite()) return std::nullopt;
    return found->number();
  };
  const bool by_accuracy = test.find(kAccuracy).has_value();
  results.test = {.loss = finite("loss"),
                  .score = finite(by_accuracy ? kAccuracy : kMacroAuc),
                  .by_accuracy = by_accuracy};
  if (const auto majority = test.find("majority"); majority && sight == Sight::everything) {
    results.test->majority = majority->number();
    if (!(*results.test->majority > 0 && *results.test->majority <= 1)) {
      majority->refuse("a share of people");
    }
  }
  const auto people = test.find("people");
  if (!people) return;
  people->for_members([&](const std::string& label, const Field& count) {
    if (fault_of_label(label)) people->refuse("by labels of plain text");
    results.test_people[label] = count.whole(kMostPeople);
  });
}

}  // namespace

std::string summary_text(const Results& results) {
  Json document = {{"epsilon", results.epsilon ? json(*results.epsilon) : Json("inf")},
                   {"delta", results.delta ? Json(double{*results.delta}) : Json(nullptr)},
                   {"steps", results.steps},
                   {"charged_steps", results.charged_steps},
                   {"people", results.people},
                   {"data", results.data}};
  if (results.together) document["records"] = kTogether;
  if (results.test) document["test"] = json_of(*results.test, results);
  if (results.plan) {
    document["clip"] = double{results.plan->clip};
    document["plan"] = json_of(*results.plan);
  }
  if (results.worst_case) document["worst_case"] = json(*results.worst_case);
  if (results.plan) document["worst_case"]["certified"] = results.worst_case_proved;
  if (!results.filter.empty()) document["filter"] = results.filter;
  if (results.budget) document["budget"] = json(*results.budget);
  if (results.individual) document["individual"] = json_of(*results.individual, results);
  document["guarantee"] = results.guarantee ? json(*results.guarantee) : Json(nullptr);
  if (results.test_run) document["not_private"] = kTestRun;
  if (!results.warnings.empty()) document["warnings"] = results.warnings;
  if (!results.settings_json.empty()) document["settings"] = Json::parse(results.settings_json);
  if (const Json made = json_of(results.made); !made.empty()) document["made"] = made;
  if (results.kind == Results::Kind::run) document["directory"] = results.directory;
  return text_of(document);
}

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
  if (const auto records = summary.find("records")) {
    results.together = records->text() == kTogether;
    if (!results.together) records->refuse(fmt::format("'{}', or not there", kTogether));
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
  if (const auto test = summary.find("test")) read_test(*test, results, sight);
  if (const auto made_in = summary.find("directory")) results.directory = made_in->text();
  if (const auto texts = summary.find("warnings")) results.warnings = texts->texts();
  const auto settings = summary.find("settings");
  if (settings && sight == Sight::everything) results.settings_json = settings->dump();
  if (const auto made = summary.find("made")) read_provenance(*made, sight, results);
  if (kind == Results::Kind::account) read_plan(summary, results);
  return results;
}

}  // namespace ration::results
