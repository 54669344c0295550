// A directory for results that are still to come: made if it is missing, and gone again if nothing
// was written into it. For one caller at a time.
#pragma once

#include <filesystem>

namespace ration {

class NewDirectory {
 public:
  // Throws WriteFailure (private_file.h) if it cannot be made.
  explicit NewDirectory(std::filesystem::path path);
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;
  ~NewDirectory();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool made_ = false;
};

}  // namespace ration
