#include "ration/results/directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <utility>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/file/inputs_and_outputs.h"
#include "ration/file/open_file.h"

namespace ration::results {

namespace fs = std::filesystem;

RunDirectory::RunDirectory(std::filesystem::path path, bool test_run)
    : directory_(std::move(path)), test_run_(test_run) {
  lock_ = Descriptor(open(this->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock_.is_open()) {
    throw WriteFailure(fmt::format("{} cannot be opened", this->path().string()), errno);
  }
  if (flock(lock_.number(), LOCK_EX | LOCK_NB) != 0) {
    throw Error(fmt::format("{} is in use by another run: wait for it, or give another directory",
                            this->path().string()));
  }
}

std::filesystem::path run_file(const std::filesystem::path& directory, bool test_run,
                               std::string_view name, std::string_view ending) {
  return directory / fmt::format("{}{}{}", name, test_run ? ".not-private" : "", ending);
}

std::vector<std::filesystem::path> run_files(const std::filesystem::path& directory) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"settings", ".toml"},    {"epochs", ".csv"},     {"private", ".csv"}, {"followed", ".csv"},
      {"epsilons", ".csv"},     {"accounts", ".state"}, {"model", ".npz"},   {"summary", ".json"},
      {"checkpoint", ".state"}, {"journal", ""},        {"ledger", ".state"}};
  std::vector<std::filesystem::path> files;
  for (const auto& [name, ending] : kNames) {
    for (const bool test_run : {false, true}) {
      files.push_back(run_file(directory, test_run, name, ending));
    }
  }
  return files;
}

std::filesystem::path kept_settings(const std::filesystem::path& directory) {
  for (const char* name : {"settings.toml", "settings.not-private.toml"}) {
    if (is_there(directory / name)) return directory / name;
  }
  throw Error(fmt::format("{} holds no run: give the directory of one", directory.string()));
}

void check_spares_results(const fs::path& directory, const fs::path& target) {
  NamedFiles results;
  add(results, "DIR", run_files(directory));
  check_apart(results, {{"--out", target}});
}

}  // namespace ration::results
