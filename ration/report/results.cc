#include "ration/report/results.h"

#include <fmt/format.h>

#include <utility>

#include "ration/base/error.h"
#include "ration/file/open_file.h"
#include "ration/report/results_agreement.h"
#include "ration/report/results_csv.h"
#include "ration/report/results_json.h"
#include "ration/train/run_directory.h"
#include "ration/train/settings.h"

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
  if (is_there(train::run_file(directory, test_run, "summary", ".json"))) return;
  const bool resumable = is_there(train::run_file(directory, test_run, "checkpoint", ".state"));
  throw Error(fmt::format(
      "{} holds a run that has not finished: {}", directory.string(),
      resumable ? fmt::format("go on with it by ration train --resume --out {}", directory.string())
                : "start it again"));
}

// They are written in one form, so that a line that was cut off or changed shows.
train::Settings read_settings_of_run(const fs::path& file) {
  return with_text(file, [&](std::string_view text, const std::string& source) {
    std::optional<train::Settings> parsed;
    try {
      parsed = train::parse_settings(text, source);
    } catch (const Error&) {  // in words for anyone who wrote them by hand
    }
    if (!parsed || parsed->text != text) {
      refuse(source, "cut off or changed", "the file as it was written");
    }
    return *std::move(parsed);
  });
}

void add_settings(const train::Settings& settings, const fs::path& file, Results& results) {
  check_agreement(settings, results, file.string());
  results.settings = settings.text;
  results.shown_settings = settings.shown_text;
  results.gaussian = settings.plan && !settings.plan->sampled();
  if (!results.individual) return;
  for (const std::size_t person : settings.follow) {
    if (person >= results.people) {
      refuse(file.string(), "of people whom there are not", "the files of one run");
    }
    results.individual->followed.push_back({.person = person, .points = {}});
  }
}

Results read_run(const fs::path& directory, bool test_run, Sight sight) {
  const auto file = [&](std::string_view name, std::string_view ending = ".csv") {
    return train::run_file(directory, test_run, name, ending);
  };
  check_finished(directory, test_run);
  const fs::path settings = file("settings", ".toml");
  Results results = read_summary(file("summary", ".json"), Results::Kind::run, sight);
  add_rows(file("epochs"), results, read_epochs);
  check_test(results, file("epochs").string());
  add_settings(read_settings_of_run(settings), settings, results);
  if (!results.individual) return results;
  add_rows(file("private"), results, read_private);
  add_rows(file("epsilons"), results, read_epsilons);
  check_mean(results, file("private").string());
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

// Of both or one if they are not there: no.
bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  return fs::equivalent(a, b, failed) && !failed;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

void check_spares_results(const fs::path& directory, const fs::path& target) {
  const bool beside = is_same(folder_of(target), directory);
  for (const fs::path& file : train::run_files(directory)) {
    if (is_same(target, file) || (beside && target.filename() == file.filename())) {
      refuse(target.string(), "one of the files that results are in", "another name");
    }
  }
}

Results read_results(const fs::path& directory, Sight sight) {
  if (!is_folder(directory)) {
    refuse(directory.string(), is_there(directory) ? "no directory" : "not there",
           "the directory of a run, or of ration account --results");
  }
  for (const bool test_run : {false, true}) {
    if (is_there(train::run_file(directory, test_run, "settings", ".toml"))) {
      return read_run(directory, test_run, sight);
    }
  }
  if (is_there(directory / "summary.json")) return read_account(directory, sight);
  refuse(directory.string(), "a directory without results",
         "the directory of a run, or of ration account --results");
}

}  // namespace ration::results
