#include "ration/file/new_directory.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "ration/file/private_file.h"

namespace ration {

NewDirectory::NewDirectory(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code failed;
  made_ = std::filesystem::create_directory(path_, failed);
  if (failed || !std::filesystem::is_directory(path_, failed)) {
    throw WriteFailure(fmt::format("{} cannot be made a directory", path_.string()));
  }
}

NewDirectory::~NewDirectory() {
  std::error_code not_empty;  // and then it stays
  if (made_) std::filesystem::remove(path_, not_empty);
}

}  // namespace ration
