#include "ration/results/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/open_file.h"
#include "ration/results/checked_rows.h"
#include "ration/results/directory.h"
#include "ration/results/epsilon_file.h"
#include "ration/results/moments_csv.h"
#include "ration/results/run_records.h"

namespace ration::results {
namespace {

namespace fs = std::filesystem;

// Calls work(text, name) with a file's contents. They need not end where a text in memory would.
template <class Work>
auto with_text(const fs::path& file, const Work& work) {
  const MappedFile mapped(file, "the file as it was written");
  return work(
      std::string_view(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()),
      file.string());
}

template <class Read>
void add_rows(const fs::path& file, Results& results, const Read& read) {
  with_text(file, [&](std::string_view text, const std::string& source) {
    read(ResultsRows(text, source), results);
  });
}

Results read_summary(const fs::path& file, Results::Kind kind, Sight sight) {
  return with_text(file, [&](std::string_view text, const std::string& source) {
    return parse_summary(text, source, kind, sight);
  });
}

void check_finished(const fs::path& directory, bool test_run) {
  if (is_there(run_file(directory, test_run, "summary", ".json"))) return;
  const bool resumable = is_there(run_file(directory, test_run, "checkpoint", ".state"));
  throw Error(fmt::format(
      "{} holds a run that has not finished: {}", directory.string(),
      resumable ? fmt::format("go on with it by ration train --resume --out {}", directory.string())
                : "start it again"));
}

void add_settings(const SettingsOfRun& settings, Results& results) {
  results.settings = settings.text;
  results.shown_settings = settings.shown_text;
  results.gaussian = settings.gaussian;
}

// Once everybody's id is known.
void add_followed(const SettingsOfRun& settings, const fs::path& file, Results& results) {
  for (const std::string& who : settings.follow) {
    const auto person = place_of(who, results.individual->ids, results.people);
    if (!person) refuse(file.string(), "of people whom there are not", "the files of one run");
    results.individual->followed.push_back({.person = *person, .points = {}});
  }
}

// epochs.csv, named `source`, must end with the test of the summary.
void check_test(const Results& results, const std::string& source) {
  const auto of_everybody = [](const std::vector<std::optional<double>>& record) {
    return record.empty() ? std::nullopt : record.front();
  };
  const ResultsMoment& last = results.moments.back();
  const Results::Test test = results.test.value_or(Results::Test{});
  if (of_everybody(last.test_loss) != test.loss || of_everybody(last.test_score) != test.score) {
    refuse(source, "of another test than the summary", "the files of one run");
  }
  if (results.test_people.empty()) return;  // not recorded
  const bool known =
      std::all_of(results.groups.begin(), results.groups.end(),
                  [&](const std::string& label) { return results.test_people.contains(label); });
  if (!known || results.test_people.size() != results.groups.size()) {
    refuse(source, "of other groups than the summary", "the files of one run");
  }
}

// private.csv of a run, named `source`, must end with the mean of epsilons.csv.
void check_mean(const Results& results, const std::string& source) {
  const auto& means = results.moments.back().mean_epsilon;
  // Before, means went through float.
  constexpr double kAsFloat = 0x1p-22;
  const double mean = upper_means_of(results.individual->epsilons, {}).front();
  if (means.empty() || !agree(means.front(), mean, kAsFloat)) {
    refuse(source, "of another mean than epsilons.csv", "the files of one run");
  }
}
Results read_run(const fs::path& directory, bool test_run, Sight sight,
                 const ReadSettings& read_settings) {
  const auto file = [&](std::string_view name, std::string_view ending = ".csv") {
    return run_file(directory, test_run, name, ending);
  };
  check_finished(directory, test_run);
  const fs::path settings_file = file("settings", ".toml");
  Results results = read_summary(file("summary", ".json"), Results::Kind::run, sight);
  add_rows(file("epochs"), results, read_epochs);
  check_test(results, file("epochs").string());
  const SettingsOfRun settings =
      with_text(settings_file, [&](std::string_view text, const std::string& source) {
        return read_settings(text, source, results);
      });
  add_settings(settings, results);
  if (!results.individual) return results;
  add_rows(file("private"), results, read_private);
  add_rows(file("epsilons"), results, read_epsilons);
  check_mean(results, file("private").string());
  add_followed(settings, settings_file, results);
  if (!results.individual->followed.empty()) add_rows(file("followed"), results, read_followed);
  return results;
}

Results read_account(const fs::path& directory, Sight sight) {
  Results results = read_summary(directory / "summary.json", Results::Kind::account, sight);
  if (sight == Sight::public_only) return results;
  if (results.budget) add_rows(directory / "private.csv", results, read_private);
  add_rows(directory / "epsilons.csv", results, read_epsilons);
  if (!results.individual->followed.empty()) {
    add_rows(directory / "followed.csv", results, read_followed);
  }
  return results;
}

}  // namespace

bool agree(double a, double b, double tolerance) {
  return a == b || std::abs(a - b) <= tolerance * std::max(a, b);
}

Results read_results(const fs::path& directory, Sight sight, const ReadSettings& read_settings) {
  if (!is_folder(directory)) {
    refuse(directory.string(), is_there(directory) ? "no directory" : "not there",
           "the directory of a run, or of ration account --results");
  }
  for (const bool test_run : {false, true}) {
    if (is_there(run_file(directory, test_run, "settings", ".toml"))) {
      return read_run(directory, test_run, sight, read_settings);
    }
  }
  if (is_there(directory / "summary.json")) return read_account(directory, sight);
  refuse(directory.string(), "a directory without results",
         "the directory of a run, or of ration account --results");
}

}  // namespace ration::results
