#include "ration/results/directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <utility>

#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/file/open_file.h"

namespace ration::results {
namespace {

namespace fs = std::filesystem;

// Of both or one if they are not there: no.
bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  return fs::equivalent(a, b, failed) && !failed;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

RunDirectory::RunDirectory(std::filesystem::path path, bool test_run)
    : path_(std::move(path)), test_run_(test_run) {
  std::error_code failed;
  std::filesystem::create_directories(path_, failed);
  if (failed || !std::filesystem::is_directory(path_, failed)) {
    throw WriteFailure(
        fmt::format("{} cannot be made a directory: {}", path_.string(), failed.message()));
  }
  lock_ = Descriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock_.is_open()) {
    throw WriteFailure(fmt::format("{} cannot be opened", path_.string()));
  }
  if (flock(lock_.number(), LOCK_EX | LOCK_NB) != 0) {
    throw Error(fmt::format("{} is in use by another run: wait for it, or give another directory",
                            path_.string()));
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
      {"checkpoint", ".state"}, {"journal", ""}};
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
  const bool beside = is_same(folder_of(target), directory);
  for (const fs::path& file : run_files(directory)) {
    if (is_same(target, file) || (beside && target.filename() == file.filename())) {
      refuse(target.string(), "one of the files that results are in", "another name");
    }
  }
}

}  // namespace ration::results
