// A file that holds people's data: only its owner may read it, and it is there whole or not at all
// (whole_file.h).
#pragma once

#include <filesystem>
#include <utility>

#include "ration/file/whole_file.h"

namespace ration {

class PrivateFile : public WholeFile {
 public:
  explicit PrivateFile(std::filesystem::path target,
                       Temporary temporary = Temporary::unnamed_if_possible)
      : WholeFile(std::move(target), Readers::owner, temporary) {}
};

}  // namespace ration
