#include "ration/file/looked_at.h"

#include <system_error>

#include "ration/base/error.h"

namespace ration {

std::filesystem::file_type type_of(const std::filesystem::path& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::none) {
    throw Error("cannot look at " + path.string() + ": " + failed.message());
  }
  return status.type();
}

}  // namespace ration
