// Whatever bytes come in as one of the files of results, results come out or an Error: nothing
// else. Those that come out are whole.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ration/base/error.h"
#include "ration/results/epsilon_file.h"
#include "ration/results/moments_csv.h"
#include "ration/results/summary_json.h"

namespace {

using namespace ration;
using namespace ration::results;

void expect(bool holds) {
  if (!holds) std::abort();
}

// Results of two people and two steps, as their summary left them.
Results some_results(bool run, bool grouped, bool filtered) {
  Results results = {.kind = run ? Results::Kind::run : Results::Kind::account,
                     .data = "norms.npy",
                     .people = 2,
                     .steps = 2,
                     .charged_steps = 2,
                     .delta = 1e-5,
                     .epsilon = exactly(2),
                     .worst_case = exactly(2),
                     .score_name = {},
                     .groups = {},
                     .moments = {},
                     .settings = {}};
  if (grouped) results.groups = {"a", "b"};
  if (filtered) results.budget = exactly(2);
  results.individual = IndividualResults{.method = "gdp",
                                         .guarantee = {.certified = true},
                                         .epsilons = {},
                                         .attendance = {},
                                         .quantiles = {}};
  for (Bound& quantile : results.individual->quantiles) quantile = exactly(1);
  results.individual->followed = {{.person = 1, .points = {}}};
  return results;
}

void read_summary(std::string_view text, bool run, Sight sight) {
  const auto kind = run ? Results::Kind::run : Results::Kind::account;
  const Results results = parse_summary(text, "summary.json", kind, sight);
  expect(results.people > 0 && results.steps > 0);
  expect(run || (results.delta && results.epsilon && results.guarantee));
  expect(sight == Sight::everything || !results.individual);
}

void read_epochs_of(std::string_view text, Results results) {
  read_epochs(ResultsRows(text, "epochs.csv"), results);
  expect(!results.moments.empty() && results.moments.back().steps == 2);
}

void read_private_of(std::string_view text, Results results) {
  if (results.kind == Results::Kind::run) {
    results.moments = {{.epoch = 1, .steps = 1}, {.epoch = 2, .steps = 2}};
  }
  read_private(ResultsRows(text, "private.csv"), results);
  for (const ResultsMoment& moment : results.moments) {
    expect(moment.active.size() == 1 + results.groups.size() && moment.active[0] <= 2);
  }
}

void read_epsilons_of(std::string_view text, Results results) {
  read_epsilons(ResultsRows(text, "epsilons.csv"), results);
  expect(results.individual->epsilons.size() == 2);
  expect(results.individual->attendance.size() == (results.budget ? 2 : 0));
}

void read_followed_of(std::string_view text, Results results) {
  results.individual->epsilons = {exactly(1), exactly(1)};
  results.moments = {{.epoch = 1, .steps = 1}, {.epoch = 2, .steps = 2}};
  read_followed(ResultsRows(text, "followed.csv"), results);
  expect(results.individual->followed[0].points.back().epsilon == exactly(1));
}

// After the right header as well: few inputs get that far by themselves.
template <class Read>
void read_below(std::string_view header, const std::string& text, const Read& read) {
  for (const std::string& whole : {text, std::string(header) + "\n" + text}) {
    try {
      read(whole);
    } catch (const Error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 8192) return 0;
  const bool run = (data[0] & 1) != 0, grouped = (data[0] & 2) != 0, filtered = (data[0] & 4) != 0;
  const std::string text = std::string(data + 1, data + size) + "\n";
  const Results results = some_results(run, grouped, filtered);
  switch (data[0] >> 3 & 7) {
    case 0:
      read_below("epoch,steps,epsilon,test_loss,test_accuracy", text,
                 [&](const std::string& whole) { read_epochs_of(whole, results); });
      break;
    case 1:
      read_below(run ? "epoch,steps,train_loss,active,mean_epsilon" : "steps,active", text,
                 [&](const std::string& whole) { read_private_of(whole, results); });
      break;
    case 2:
      read_below(filtered ? "person,epsilon_lower,epsilon_upper,admitted,left_out,first_left_out"
                          : "person,epsilon_lower,epsilon_upper",
                 text, [&](const std::string& whole) { read_epsilons_of(whole, results); });
      break;
    case 3:
      read_below(run ? "epoch,steps,epsilon_lower:1,epsilon_upper:1,admitted:1"
                     : "steps,epsilon_lower:1,epsilon_upper:1,admitted:1",
                 text, [&](const std::string& whole) { read_followed_of(whole, results); });
      break;
    default:
      for (const Sight sight : {Sight::everything, Sight::public_only}) {
        try {
          read_summary(text, run, sight);
        } catch (const Error&) {
        }
      }
  }
  return 0;
}
