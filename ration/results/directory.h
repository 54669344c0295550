// A directory of results and the names of its files. A run keeps these there; in a test run every
// name says that what it holds is not private. An account keeps epsilons.csv, summary.json, and
// private.csv and followed.csv if it has any.
//   settings.toml    all settings, as they were used
//   epochs.csv       what may be shown: losses and scores of the test people, the promised epsilon
//   private.csv      what may not: losses of the people trained on, how many took part, by group
//   followed.csv     epsilon of people who are followed, over time (run.follow), if anybody is
//   epsilons.csv     everybody's epsilon, and their id if they have one; accounts.state their
//                    accounts
//   model.npz        the parameters; summary.json what was promised and reached
//   checkpoint.state and journal: to go on after a crash
//   ledger.state     of a run that takes its budgets from a ledger: what it holds there
// All but epochs.csv and settings.toml are for the owner's eyes only (mode 0600); so are
// settings that say who is followed.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "ration/file/atomic_file.h"
#include "ration/file/open_file.h"

namespace ration::results {

// run_file(PATH, false, "model", ".npz") is PATH/model.npz; of a test run
// PATH/model.not-private.npz.
std::filesystem::path run_file(const std::filesystem::path& directory, bool test_run,
                               std::string_view name, std::string_view ending);

// Every name that a run gives to a file there, whether or not there is one.
std::vector<std::filesystem::path> run_files(const std::filesystem::path& directory);

// The settings that a run directory was made with. Refuses a directory without any.
std::filesystem::path kept_settings(const std::filesystem::path& directory);

// Refuses an --out where one of the results' own files is, by whatever name or link, or belongs.
void check_spares_results(const std::filesystem::path& directory,
                          const std::filesystem::path& target);

class RunDirectory {
 public:
  // Makes the directory if it is not there, and refuses one that another run holds. What it made is
  // gone again if nothing was written there.
  RunDirectory(std::filesystem::path path, bool test_run);

  std::filesystem::path file(std::string_view name, std::string_view ending) const {
    return run_file(path(), test_run_, name, ending);
  }

  const std::filesystem::path& path() const { return directory_.path(); }
  std::filesystem::path checkpoint() const { return file("checkpoint", ".state"); }
  std::filesystem::path settings() const { return file("settings", ".toml"); }
  std::filesystem::path journal() const { return file("journal", ""); }

 private:
  NewDirectory directory_;
  bool test_run_;
  Descriptor lock_;
};

}  // namespace ration::results
