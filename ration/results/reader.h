// A directory of results, read whole and checked, so that a page is made from all of it or not at
// all. Safe from any thread. docs/report.md
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ration/results/results.h"
#include "ration/results/summary_json.h"

namespace ration::results {

// What the settings of a run say about its results.
struct SettingsOfRun {
  std::string text, shown_text;     // as Results has them
  bool gaussian;                    // everybody takes part in every step
  std::vector<std::string> follow;  // people, by id or by number
};
// Reads settings.toml of a run whose summary and epochs have been read, and refuses settings of
// another run. It stands above this folder, since it takes the trainer to know what settings
// promise: train/read_results.h has it, and is what to call.
using ReadSettings = std::function<SettingsOfRun(std::string_view text, const std::string& source,
                                                 const Results& results)>;

// Private results are read only if they are wanted. Refuses, with a sentence that names the file, a
// directory without results, a file that is missing, cut off or damaged, and files that do not
// belong together. No text of a refusal holds anything that the files say.
Results read_results(const std::filesystem::path& directory, Sight sight,
                     const ReadSettings& read_settings);

// Whether two numbers are the same but for the last digits, which depend on the processor.
bool agree(double a, double b, double tolerance);

}  // namespace ration::results
