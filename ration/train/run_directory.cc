#include "ration/train/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <utility>

#include "ration/base/error.h"
#include "ration/file/private_file.h"

namespace ration::train {

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

}  // namespace ration::train
